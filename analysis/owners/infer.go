package owners

import (
	"cmp"
	"slices"
	"sync"

	"contend/analysis/owners/model"
	"contend/format"
	"contend/format/workers"
)

// evidence prepares the evidence for the owners of all locks.
func (a *Activities) evidence(sym Symbols) *evidence {
	ev := &evidence{
		activities: a,
		Symbols:    sym,
		dumpsOf:    make([][]model.Dump, len(a.byLock)),
		held:       map[format.ObjectID]bool{},
	}
	ev.link()
	for _, k := range a.keys {
		if l := k.had(); l != format.NoObject {
			ev.held[l] = true
		}
	}
	return ev
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
	class sameClass
	known *model.Learned // of the class by earlier inputs, nil for nothing
	left  int            // locks not yet answered

	learned *model.Learned // when all are answered
}

// groupLock is a lock in its group.
type groupLock struct {
	of     *lockGroup // nil for a lock that is not inferred by a model
	number int        // of the lock in it
}

func (m groupLock) lock() *model.Lock { return m.of.locks[m.number] }

// sameClass identifies the locks of one class and kind in all recordings of a program.
type sameClass struct {
	class uint32
	kind  format.LockKind
}

// groups returns, by lock, its group if inferred is true. It learns the models of large groups,
// on all cores.
func (ev *evidence) groups(
	locks []format.ObjectID,
	inferred func(i int) bool,
	known map[sameClass]*model.Learned,
) []groupLock {
	found := map[groupKey]*lockGroup{}
	out := make([]groupLock, len(locks))
	var large []*lockGroup
	for i, l := range locks {
		if !inferred(i) {
			continue
		}
		k := groupKey{ev.activities.record.inputOf[l], ev.Class(l), ev.Kind(l)}
		m := found[k]
		if m == nil {
			m = &lockGroup{kind: k.kind, class: sameClass{k.class, k.kind}}
			m.known = known[m.class]
			found[k] = m
		}
		if n := len(ev.activities.byLock[l]); m.waits <= smallGroup && m.waits+n > smallGroup {
			large = append(large, m)
		}
		m.waits += len(ev.activities.byLock[l])
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
			m.locks[i] = &model.Lock{ID: l, Dumps: ev.dumpsOf[l], Holds: ev.held[l]}
		}
		m.model = model.Fit(ev, m.kind, slices.Clone(m.locks), m.known)
	})
}

func (ev *evidence) answer(m groupLock, give func([]Ownership)) {
	m.of.learn(ev)
	lock := m.lock()
	out := batches{make([]Ownership, 0, min(batch, 2*len(ev.activities.byLock[lock.ID]))), give}
	m.of.model.Answer(lock, func(p model.Part) {
		by := Owner{Kind: Thread, Prov: Likely(p.Chance), Thread: p.Thread, Stack: p.Stack}
		switch p.State {
		case model.Unknown:
			return
		case model.Free:
			by = Owner{Kind: Handoff, Prov: by.Prov}
		}
		ev.divide(Ownership{p.Start, p.End, lock.ID, by}, false, out.addOwnership)
	})
	out.flush()
}
