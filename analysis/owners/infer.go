package owners

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"

	"contend/analysis/internal/column"
	"contend/analysis/internal/times"
	"contend/analysis/owners/model"
	"contend/format"
	"contend/format/workers"
)

// evidence prepares the evidence for the owners of all locks.
func (a *Activities) evidence(sym Symbols) *evidence {
	ev := &evidence{Activities: a, Symbols: sym, dumpsOf: make([][]model.Dump, len(a.byLock))}
	ev.link()
	return ev
}

// Waits implements model.Program. It leaves out waits of no duration.
func (ev *evidence) Waits(lock format.ObjectID, to []model.Wait) []model.Wait {
	to = slices.Grow(to, len(ev.byLock[lock]))
	for _, i := range ev.byLock[lock] {
		w := ev.Wait(i)
		if w.End > w.Start {
			to = append(to, model.Wait{Start: w.Start, End: w.End, Thread: w.Thread, Last: w.prev(), Stack: w.Stack, Failed: w.Failed(), Shared: w.Mode() == format.Shared})
		}
	}
	return to
}

func (ev *evidence) Observations(t format.ThreadID, lock format.ObjectID, from, to int64, near *column.Ref, out []model.Observation) ([]model.Observation, int64) {
	list := ev.Of(t)
	n := ev.before(list, from, *near)
	list = ev.goingOn(list, n)
	*near = list.From
	for c := ev.Scan(list); c.Next(); {
		if c.End < from || c.End == c.Start && c.End == from && n > 0 || c.IsWait() && c.key().lock == lock {
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
	d = model.Observation{Start: c.Start, End: c.End, Stack: key.stack, Lock: key.lock}
	if c.IsWait() {
		d.What = model.Waits
		return d, true
	}
	d.Lock = key.at()
	switch key.does() {
	case format.ActivityRun, format.ActivityRunnable, format.ActivitySeen:
		d.What = model.Sample
		if d.Lock != format.NoObject {
			d.What = model.Holds
		}
		return d, key.stack != format.NoStack
	case format.ActivityWait:
		d.What = model.Leaves
	case format.ActivityPark, format.ActivitySleep, format.ActivityIO, format.ActivityFile, format.ActivitySocket:
		d.What = model.Away
	default:
		return d, false
	}
	return d, d.End > d.Start && (!ev.Bare(d.Stack) || len(ev.Frames(d.Stack)) == 1)
}

func (ev *evidence) Samples(of format.ObjectID, from, to int64, most int, f func(format.ThreadID, int64, format.StackID)) {
	list := ev.runs[ev.inputOf[of]]
	begins := func(i column.Ref, t int64) int { return cmp.Compare(ev.Begins(i), t) }
	first, _ := slices.BinarySearchFunc(list, from, begins)
	last, _ := slices.BinarySearchFunc(list, to, begins)
	step := max(1, (last-first)/most)
	for at := first + step - 1; at < last; at += step {
		o := ev.Other(list[at])
		f(o.Thread(), o.Start, o.Stack)
	}
}

// groupKey identifies the locks that share a model: those of one class and kind in one input.
type groupKey struct {
	input uint32
	class uint32
	kind  format.LockKind
}

// smallGroup is the largest number of waits for the locks of a group whose model is learned
// when the first lock is answered. Larger ones are learned before, in parallel.
const smallGroup = 1 << 9

// lockGroup is the locks that share a model. The model is dropped when all of them are answered,
// because a recording may have a group for each lock.
type lockGroup struct {
	kind  format.LockKind
	waits int
	once  sync.Once
	ids   []format.ObjectID
	locks []*model.Lock
	model *model.Group
	left  int // locks not yet answered
}

// groupLock is a lock in its group.
type groupLock struct {
	of     *lockGroup // nil for a lock that is not inferred by a model
	number int        // of the lock in it
}

func (m groupLock) lock() *model.Lock { return m.of.locks[m.number] }

// groups returns, by lock, its group if inferred is true. It learns the models of large groups,
// on all cores.
func (ev *evidence) groups(locks []format.ObjectID, inferred func(i int) bool) []groupLock {
	found := map[groupKey]*lockGroup{}
	out := make([]groupLock, len(locks))
	var large []*lockGroup
	for i, l := range locks {
		if !inferred(i) {
			continue
		}
		k := groupKey{ev.inputOf[l], ev.Class(l), ev.Kind(l)}
		m := found[k]
		if m == nil {
			m = &lockGroup{kind: k.kind}
			found[k] = m
		}
		if n := len(ev.byLock[l]); m.waits <= smallGroup && m.waits+n > smallGroup {
			large = append(large, m)
		}
		m.waits += len(ev.byLock[l])
		m.ids = append(m.ids, l)
		out[i] = groupLock{m, m.left}
		m.left++
	}
	slices.SortStableFunc(large, func(a, b *lockGroup) int { return cmp.Compare(b.waits, a.waits) })
	workers.Each(len(large), func(i int) { large[i].learn(ev) })()
	return out
}

func (m *lockGroup) learn(ev *evidence) {
	m.once.Do(func() {
		m.locks = make([]*model.Lock, len(m.ids))
		for i, l := range m.ids {
			m.locks[i] = &model.Lock{ID: l, Dumps: ev.dumpsOf[l]}
		}
		m.model = model.NewGroup(ev, m.kind == format.KindMonitor, slices.Clone(m.locks))
		m.model.Permits = m.kind == format.KindSemaphore
		m.model.Silent()
		m.model.Learn()
		m.model.Check()
	})
}

// batch is the largest number of ownerships that are passed on together.
const batch = 1 << 12

func (ev *evidence) answer(m groupLock, give func([]Ownership)) {
	var out []Ownership
	m.of.learn(ev)
	lock := m.lock()
	m.of.model.Answer(lock, func(p model.Part) {
		h := Holder{Kind: Thread, Prov: Likely(p.Chance), Thread: p.Thread, Stack: p.Stack}
		switch p.State {
		case model.Unknown:
			return
		case model.Free:
			h = Holder{Kind: Handoff, Prov: h.Prov}
		}
		ev.byActivity(Ownership{p.Start, p.End, lock.ID, h}, func(o Ownership) {
			if out = append(out, o); len(out) == batch {
				give(out)
				out = make([]Ownership, 0, batch)
			}
		})
	})
	if len(out) > 0 {
		give(out)
	}
}

// maxTimes is how many intervals of an activity are kept. There are up to twice as many while
// they are collected.
const maxTimes = 1 << 10

func (ev *evidence) ActivitiesOf(of format.ObjectID) []*model.Activity {
	ev.listing.Do(ev.listActivities)
	return ev.activities[ev.inputOf[of]]
}

type activityID struct {
	stack format.StackID
	lock  format.ObjectID
	what  model.What
	input uint32
}

// collected is an activity and a sample of its intervals: those whose hashed start has at least
// zeros trailing zeros. So the sample does not depend on the order of threads.
type collected struct {
	model.Activity
	input uint32
	zeros int
}

func (ev *evidence) listActivities() {
	found, last := map[activityID]*collected{}, make([]*collected, len(ev.keys)) // by id, and by the number of a key
	for t := range ev.Threads() {
		input := uint32(0)
		if t < len(ev.doneIn) {
			input = ev.doneIn[t]
		}
		for c := ev.Scan(ev.Of(format.ThreadID(t))); c.Next(); {
			d, ok := ev.observation(&c)
			if !ok || d.What == model.Sample || d.What == model.Holds || d.Stack == format.NoStack {
				continue
			}
			k := activityID{stack: d.Stack, what: d.What, input: input}
			if c.IsWait() {
				k.lock, k.input = d.Lock, ev.inputOf[d.Lock]
			}
			x := &last[c.b.number(c.data())]
			if *x == nil || (*x).input != k.input {
				if *x = found[k]; *x == nil {
					does := c.key().does()
					*x = &collected{input: k.input, Activity: model.Activity{What: d.What, Stack: d.Stack, Lock: k.lock, Idle: !c.IsWait() && (does == format.ActivityPark || does == format.ActivityWait)}}
					found[k] = *x
				}
			}
			(*x).add(model.Interval{Span: times.Span{Start: d.Start, End: d.End}, Thread: format.ThreadID(t)})
		}
	}
	ev.activities = map[uint32][]*model.Activity{}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b activityID) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.lock, b.lock), cmp.Compare(a.what, b.what))
	})
	for _, k := range keys {
		x := found[k]
		slices.SortFunc(x.Times, func(a, b model.Interval) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
		ev.activities[k.input] = append(ev.activities[k.input], &x.Activity)
	}
}

func (x *collected) add(t model.Interval) {
	x.Ns += t.End - t.Start
	if zeros(t.Start) < x.zeros {
		return
	}
	if x.Times = append(x.Times, t); len(x.Times) > 2*maxTimes {
		x.zeros++
		x.Times = slices.DeleteFunc(x.Times, func(t model.Interval) bool { return zeros(t.Start) < x.zeros })
	}
}

func zeros(at int64) int { return bits.TrailingZeros64(uint64(at) * 0x9e3779b97f4a7c15 >> 20) }
