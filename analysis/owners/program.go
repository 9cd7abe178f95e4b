package owners

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis/internal/times"
	"contend/analysis/owners/model"
	"contend/format"
	"contend/format/column"
)

// The methods of evidence that package model asks (model.Program). They only read the record; the
// list of activities is made when it is first asked for.

// Waits implements model.Program. It leaves out waits of no duration.
func (ev *evidence) Waits(lock format.ObjectID, to []model.Wait) []model.Wait {
	to = slices.Grow(to, len(ev.activities.byLock[lock]))
	for _, i := range ev.activities.byLock[lock] {
		w := ev.activities.Activity(i)
		if w.End > w.Start {
			to = append(
				to,
				model.Wait{
					Start:  w.Start,
					End:    w.End,
					Thread: w.Thread,
					Last:   w.prev(),
					Stack:  w.Stack,
					Failed: w.Failed(),
					Shared: w.Mode() == format.Shared,
				},
			)
		}
	}
	return to
}

func (ev *evidence) Observations(
	t format.ThreadID,
	lock format.ObjectID,
	from, to int64,
	near *column.Ref,
	out []model.Observation,
) ([]model.Observation, int64) {
	list := ev.activities.OfThread(t)
	n := ev.activities.before(list, from, *near)
	list = ev.activities.goingOn(list, n)
	*near = list.From
	for c := ev.activities.Scan(list); c.Next(); {
		if c.End < from || c.End == c.Start && c.End == from && n > 0 || c.IsWait() && c.key().Lock == lock {
			continue
		}
		if c.Start >= to {
			return out, c.Start
		}
		if d, ok := ev.observation(&c); ok {
			out = append(out, d)
		}
	}
	return out, math.MaxInt64
}

// observation translates an activity. It returns false for one that says nothing of the
// program, such as one with a stack of the runtime only. A stack of one frame is kept: JDK 25
// records sleeps like that.
func (ev *evidence) observation(c *Scan) (d model.Observation, ok bool) {
	key := c.key()
	d = model.Observation{Start: c.Start, End: c.End, Stack: key.Stack, Lock: key.Lock}
	if c.IsWait() {
		d.What = model.Waits
		return d, true
	}
	d.Lock = key.AssociatedLock()
	switch key.What() {
	case format.ActivityRun, format.ActivityRunnable, format.ActivitySeen:
		d.What = model.Sample
		if d.Lock != format.NoObject {
			d.What = model.Holds
		}
		return d, key.Stack != format.NoStack
	case format.ActivityWait:
		d.What = model.Leaves
	case format.ActivityPark, format.ActivitySleep, format.ActivityIO, format.ActivityFile, format.ActivitySocket:
		d.What = model.Away
	default:
		return d, false
	}
	return d, d.End > d.Start && (!ev.Bare(d.Stack) || len(ev.Frames(d.Stack)) == 1)
}

func (ev *evidence) Samples(
	of format.ObjectID,
	from, to int64,
	most int,
	f func(format.ThreadID, int64, format.StackID),
) {
	list := ev.activities.runs[ev.activities.record.inputOf[of]]
	begins := func(i column.Ref, t int64) int { return cmp.Compare(ev.activities.Begins(i), t) }
	first, _ := slices.BinarySearchFunc(list, from, begins)
	last, _ := slices.BinarySearchFunc(list, to, begins)
	step := max(1, (last-first)/most)
	for at := first + step - 1; at < last; at += step {
		o := ev.activities.Activity(list[at])
		f(o.Thread, o.Start, o.Stack)
	}
}

func (ev *evidence) ActivitiesOf(of format.ObjectID) []*model.Activity {
	ev.listing.Lock()
	defer ev.listing.Unlock()
	if ev.threadsOf == nil {
		ev.threadsOf = make(
			[][]format.ThreadID,
			len(ev.activities.record.inputs),
		)
		ev.byKey = make(
			[]*gathered,
			len(ev.activities.keys),
		)
		ev.listed = map[uint32][]*model.Activity{}
		for t := range ev.activities.record.reach {
			in := ev.activities.record.reach[t].input
			ev.threadsOf[in] = append(ev.threadsOf[in], format.ThreadID(t))
		}
	}
	in := ev.activities.record.inputOf[of]
	list, known := ev.listed[in]
	if !known {
		list = ev.list(in)
		ev.listed[in] = list
	}
	return list
}

// forgetListed drops the activities of all inputs listed so far.
func (ev *evidence) forgetListed() { clear(ev.listed) }

type activityID struct {
	stack format.StackID
	lock  format.ObjectID
	what  model.What
}

// list lists the activities of an input.
func (ev *evidence) list(input uint32) (out []*model.Activity) {
	found := map[activityID]*gathered{}
	var known []uint32 // the keys in byKey
	for _, t := range ev.threadsOf[input] {
		for c := ev.activities.Scan(ev.activities.OfThread(t)); c.Next(); {
			d, ok := ev.observation(&c)
			if !ok || d.What == model.Sample || d.What == model.Holds || d.Stack == format.NoStack {
				continue
			}
			number := c.b.number(c.data())
			x := ev.byKey[number]
			if x == nil {
				k := activityID{stack: d.Stack, what: d.What}
				if c.IsWait() {
					k.lock = d.Lock
				}
				if x = found[k]; x == nil {
					does := c.key().What()
					x = &gathered{
						activity: model.Activity{
							What:  d.What,
							Stack: d.Stack,
							Lock:  k.lock,
							Idle:  !c.IsWait() && (does == format.ActivityPark || does == format.ActivityWait),
						},
					}
					found[k] = x
				}
				ev.byKey[number], known = x, append(known, number)
			}
			x.addTime(model.ThreadTime{When: times.Span{Start: d.Start, End: d.End}, Thread: t})
		}
	}
	for _, number := range known {
		ev.byKey[number] = nil
	}
	for _, x := range found {
		slices.SortFunc(
			x.activity.Times,
			func(a, b model.ThreadTime) int {
				return cmp.Or(cmp.Compare(a.When.Start, b.When.Start), cmp.Compare(a.When.End, b.When.End))
			},
		)
		out = append(out, &x.activity)
	}
	slices.SortFunc(out, func(a, b *model.Activity) int {
		return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.What, b.What))
	})
	return out
}
