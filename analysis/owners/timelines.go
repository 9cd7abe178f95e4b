package owners

import (
	"cmp"
	"slices"

	"contend/analysis/internal/times"
	"contend/analysis/owners/model"
	"contend/format"
	"contend/format/column"
	"contend/format/workers"
)

// Timelines has the owners of each contended lock while threads waited for it.
type Timelines struct {
	Owned    *Owned
	Unowned  []Owner                       // by lock: what intervals without an owner are charged to
	Unlinked []Unlinked                    // contended locks of thread dumps without a recorded wait, by time
	Seen     map[format.ObjectID]Agreement // by lock: dumps that were hidden from the model and compared with it
	Whys     map[format.ObjectID]Why       // by lock that was asked for

	add     func(Ownership)                  // adds a recorded one
	gaps    map[format.ObjectID][]times.Span // by lock with recorded holds: where the owner is inferred
	asked   map[format.ObjectID]times.Span
	learned map[sameClass]*model.Learned // from the inputs inferred so far
}

// Why has the evidence for each candidate of a lock.
type Why = model.Why

// Timelines begins to find the owners of all locks; they are complete when rebuilt returns. If ask
// is not nil, it returns the interval of each lock's waiting that Whys are wanted for, an empty one
// for none.
func (a *Activities) Timelines(
	sym Symbols,
	ask func(format.ObjectID) (from, to int64),
) (tl *Timelines, rebuilt func()) {
	byLock := a.byLock
	tl = &Timelines{
		Owned:   newOwned(),
		Unowned: make([]Owner, len(byLock)),
		Seen:    map[format.ObjectID]Agreement{},
		Whys:    map[format.ObjectID]Why{},
		asked:   map[format.ObjectID]times.Span{},
		gaps:    map[format.ObjectID][]times.Span{},
		learned: map[sameClass]*model.Learned{},
	}
	for i := range a.record.inputs {
		a.record.inputs[i].pauses = merge(a.record.inputs[i].pauses)
	}
	tl.add = func(o Ownership) { a.record.input(o.Lock).pauses.cut(o, tl.Owned) }
	recorded := tl.addTenures(a)
	ev := a.evidence(sym)
	tl.Unlinked = ev.unlinked
	var unknown []format.ObjectID
	for l, waits := range byLock {
		if len(waits) > 0 && (!recorded[l] || tl.gaps[format.ObjectID(l)] != nil) {
			unknown = append(unknown, format.ObjectID(l))
			if ask != nil {
				if from, to := ask(format.ObjectID(l)); from < to {
					tl.asked[format.ObjectID(l)] = times.Span{Start: from, End: to}
				}
			}
		}
	}
	var rebuilding workers.Group
	rebuilding.Go(func() {
		a.indexing.Wait()
		tl.infer(ev, unknown)
		a.forget()
	})
	return tl, rebuilding.Wait
}

// addTenures adds the owners by recorded holds. It returns, by lock, whether there are any. Where a recorder that
// followed some locks does not know the owner, it is inferred.
func (tl *Timelines) addTenures(a *Activities) (recorded []bool) {
	recorded = make([]bool, len(a.byLock))
	if a.record.Tenures.Len() == 0 {
		return recorded
	}
	busy := make([][]times.Span, len(a.byLock))
	for l, waits := range a.byLock {
		busy[l] = a.busy(waits)
	}
	a.record.Tenures.Each(func(_ column.Ref, t *Tenure) {
		if int(t.Lock) < len(a.byLock) {
			prov := a.record.input(t.Lock).prov()
			recorded[t.Lock] = true
			tl.Unowned[t.Lock] = Owner{Kind: Handoff, Prov: prov}
			if t.Thread == format.NoThread && a.record.input(t.Lock).partial {
				tl.gaps[t.Lock] = append(tl.gaps[t.Lock], times.Span{Start: t.Start, End: t.End})
				return
			}
			t.owned(prov, a.record.endOf(t.Thread), busy[t.Lock], tl.add)
		}
	})
	for l, list := range tl.gaps {
		tl.gaps[l] = times.UnionOf(list)
	}
	return recorded
}

// gap passes on what lies in the gaps between recorded holds of a lock, and where in them nothing is inferred. What
// is inferred comes in order of time.
type gap struct {
	lock format.ObjectID
	left []times.Span // gaps that are not past
	add  func(Ownership)
}

func (g *gap) inferred(o Ownership) {
	g.until(o.Start)
	for len(g.left) > 0 && g.left[0].Start < o.End {
		part := o
		part.Start, part.End = max(o.Start, g.left[0].Start), min(o.End, g.left[0].End)
		g.add(part)
		if g.left[0].Start = part.End; part.End < g.left[0].End {
			return
		}
		g.left = g.left[1:]
	}
}

// until passes on gaps that begin before t, as far as they do, with no owner.
func (g *gap) until(t int64) {
	for len(g.left) > 0 && g.left[0].Start < t {
		end := min(t, g.left[0].End)
		g.add(Ownership{g.left[0].Start, end, g.lock, Owner{Kind: Nobody, Prov: Unknown}})
		if g.left[0].Start = end; end < g.left[0].End {
			return
		}
		g.left = g.left[1:]
	}
}

// locksAhead bounds the locks that are inferred before the owners of an earlier lock have been
// stored.
const locksAhead = 1 << 12

// batchesAhead is how many batches of ownerships of a lock may wait until the locks before it
// are stored.
const batchesAhead = 64

// infer finds the owners of locks without recorded holds. It takes a few inputs at a time: of models only what was
// learned is shared by inputs, and those that are taken together do not learn from each other.
func (tl *Timelines) infer(ev *evidence, locks []format.ObjectID) {
	for len(locks) > 0 {
		n := ev.together(locks)
		tl.inferAll(ev, locks[:n], len(locks) > n)
		ev.forgetListed()
		locks = locks[n:]
	}
}

// The largest numbers of waits and of locks that small inputs are taken together with. So many
// keep all cores busy. Models take memory until all locks taken together are answered: with
// four times as many locks, they take half of all memory for recordings of many samples and few
// waits.
const (
	maxWaits = 1 << 15
	maxLocks = 1 << 10
)

// together returns how many of some locks are inferred together: all of them if the locks of
// two inputs alternate.
func (ev *evidence) together(locks []format.ObjectID) int {
	if !slices.IsSortedFunc(
		locks,
		func(a, b format.ObjectID) int {
			return cmp.Compare(ev.activities.record.InputOf(a), ev.activities.record.InputOf(b))
		},
	) {
		return len(locks)
	}
	waits, whole := 0, 0
	for i, l := range locks {
		if i > 0 && ev.activities.record.InputOf(l) != ev.activities.record.InputOf(locks[i-1]) {
			whole = i
		}
		if waits += len(ev.activities.byLock[l]); (waits > maxWaits || i >= maxLocks) && whole > 0 {
			return whole
		}
	}
	return len(locks)
}

// inferAll finds the owners of several locks, on all cores: from their releases if there are
// any, else by the model of their group. They are stored lock by lock, in the given order. If more locks follow,
// what was learned is kept for them.
func (tl *Timelines) inferAll(ev *evidence, locks []format.ObjectID, more bool) {
	released := make([]bool, len(locks))
	for i, l := range locks {
		released[i] = ev.waited(l) && ev.showsReleases(l)
	}
	of := ev.groups(locks, func(i int) bool { return !released[i] && ev.waited(locks[i]) }, tl.learned)
	var learned []*lockGroup
	var gaps *gap // those of the lock whose owners are being stored, nil if it has no holds
	begin := func(l format.ObjectID) {
		if list := tl.gaps[l]; list != nil && gaps == nil {
			gaps = &gap{l, list, tl.add}
		}
	}
	workers.InOrder(len(locks), &workers.Handover[[]Ownership]{
		Ahead: locksAhead,
		Room:  func(i int) int { return min(batchesAhead, len(ev.activities.byLock[locks[i]])/batch+1) },
		Make: func(i int, give func([]Ownership)) {
			if of[i].of != nil {
				ev.answer(of[i], give)
			} else if released[i] {
				ev.fromReleases(locks[i], give)
			}
		},
		Take: func(i int, list []Ownership) {
			begin(locks[i])
			for _, o := range list {
				if gaps != nil {
					gaps.inferred(o)
				} else {
					tl.add(o)
				}
			}
		},
		Taken: func(i int) {
			switch begin(locks[i]); {
			case gaps != nil:
				gaps.until(maxTime)
				gaps = nil
			case released[i]:
				tl.Unowned[locks[i]] = Owner{Kind: Handoff, Prov: byReleases}
			default:
				tl.Unowned[locks[i]] = Owner{Kind: Nobody, Prov: Unknown}
			}
			if m := of[i].of; m != nil {
				tl.Seen[locks[i]] = of[i].lock().Seen
				if s, ok := tl.asked[locks[i]]; ok {
					tl.Whys[locks[i]] = m.model.Why(of[i].lock(), s.Start, s.End)
				}
				if m.left--; m.left == 0 {
					if more {
						learned, m.learned = append(learned, m), m.model.Learned()
					}
					m.model = nil
					m.locks = nil
					m.ids = nil
				}
			}
		},
	})
	for _, m := range learned {
		all := tl.learned[m.class]
		if all == nil {
			all = &model.Learned{}
			tl.learned[m.class] = all
		}
		all.Merge(m.learned)
	}
}

func (ev *evidence) waited(l format.ObjectID) bool {
	for _, i := range ev.activities.byLock[l] {
		if start, end := ev.activities.Span(i); end > start {
			return true
		}
	}
	return false
}
