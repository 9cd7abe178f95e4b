package threaddump

import "contend/format"

// relocations follows locks whose address a garbage collector changed between two
// dumps of a series. A dump does not say so: the evidence is that threads
// wait, in the same stack as before, for a lock of the same class at a new
// address, and that the old one is gone.
//
//  1. Each such thread votes for a pair of an old address, which the new dump
//     does not mention, and a new one, which the dump before does not.
//  2. A pair stands when no vote names either of its addresses in another.
//  3. One vote may come from a thread that merely went on to another lock of
//     that kind at the same place. So the pair needs further evidence: the
//     thread that held the one lock and now holds the other, or a second
//     waiter.
type relocations struct {
	waits   map[format.ThreadID]waitingAt // of the dump before
	holders map[LockRef]format.ThreadID   // of the dump before: the owner of each lock, NoThread when only waited for
	count   int                           // locks followed
	votes   map[LockRef]vote              // by old address
	back    map[LockRef]LockRef           // old by new address; the zero ref where votes disagree
}

// waitingAt is what a thread waits for, and where.
type waitingAt struct {
	stack format.StackID
	lock  LockRef
}

// vote is the new address of a lock, as its waiters say; the zero ref where
// they disagree.
type vote struct {
	to     LockRef
	voters int
}

func newRelocations() relocations {
	return relocations{votes: map[LockRef]vote{}, back: map[LockRef]LockRef{}}
}

// follow gives locks that moved since the dump before the ids they had there.
// parties are the threads of the dump with their stacks, in order.
func (m *relocations) follow(d *Dump, parties []format.Party, ids map[LockRef]format.ObjectID) {
	waits, holders := map[format.ThreadID]waitingAt{}, map[LockRef]format.ThreadID{}
	if d.Addresses {
		for i := range d.Threads {
			t := &d.Threads[i]
			if t.Wait != NotWaiting && t.For.Addr != 0 {
				waits[parties[i].Thread] = waitingAt{parties[i].Stack, t.For}
				holders[t.For] = max(holders[t.For], format.NoThread)
			}
			for _, ref := range t.Held {
				holders[ref] = parties[i].Thread
			}
		}
		m.collectVotes(waits, holders)
		for old, v := range m.votes {
			if m.confirmed(old, v, holders) {
				m.move(old, v.to, ids)
			}
		}
	}
	m.waits, m.holders = waits, holders
}

// collectVotes takes the votes of all threads.
func (m *relocations) collectVotes(waits map[format.ThreadID]waitingAt, holders map[LockRef]format.ThreadID) {
	clear(m.votes)
	clear(m.back)
	for thread, now := range waits {
		before, waited := m.waits[thread]
		if !waited || before.stack != now.stack || now.stack == format.NoStack || before.lock.Class != now.lock.Class || before.lock.Name != now.lock.Name {
			continue
		}
		_, stays := holders[before.lock]
		if _, known := m.holders[now.lock]; known || stays {
			continue
		}
		v, again := m.votes[before.lock]
		if again && v.to != now.lock {
			v.to = LockRef{}
		} else {
			v.to = now.lock
		}
		v.voters++
		m.votes[before.lock] = v
		if from, named := m.back[now.lock]; named && from != before.lock {
			m.back[now.lock] = LockRef{}
		} else {
			m.back[now.lock] = before.lock
		}
	}
}

// confirmed reports whether votes for a pair agree and there is further evidence.
func (m *relocations) confirmed(old LockRef, v vote, holders map[LockRef]format.ThreadID) bool {
	if v.to == (LockRef{}) || m.back[v.to] != old {
		return false
	}
	before, now := m.holders[old], holders[v.to]
	return v.voters > 1 || before != format.NoThread && before == now
}

// move gives the lock at a new address the id it had at the old one, which
// another lock may take now, as it may have been another's before.
func (m *relocations) move(old, to LockRef, ids map[LockRef]format.ObjectID) {
	if id, ok := ids[old]; ok { // else nobody was seen waiting for it as a lock
		ids[to] = id
		delete(ids, old)
		m.count++
	}
}
