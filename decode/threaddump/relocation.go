package threaddump

import "contend/format"

// relocations follows locks whose address a garbage collector changed between two
// dumps of a series. A dump does not say so: the evidence is that threads
// wait, in the same stack as before, for a lock of the same class at a new
// address, and that the old one is gone.
//
//  1. Each such thread votes for a pair of an old address, which the new dump
//     does not mention, and a new one, which the dump before does not.
//  2. A pair stands when no other pair has either of its addresses.
//  3. One vote may come from a thread that merely went on to another lock of
//     that kind at the same place. So the pair needs further evidence: the
//     thread that held the one lock and now holds the other, or a second
//     waiter.
type relocations struct {
	waits   map[format.ThreadID]waitingAt // of the dump before
	holders map[LockRef]format.ThreadID   // of the dump before: the owner of each lock, NoThread when only waited for
	count   int                           // locks followed
}

// waitingAt is the lock and the stack of a waiting thread.
type waitingAt struct {
	stack format.StackID
	lock  LockRef
}

// addresses are the old and the new address of a lock, by the evidence of a waiter.
type addresses struct{ old, now LockRef }

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
		votes := m.votes(waits, holders)
		pairs := map[LockRef]int{} // that an address is part of
		for v := range votes {
			pairs[v.old]++
			pairs[v.now]++
		}
		for v, voters := range votes {
			before := m.holders[v.old]
			if pairs[v.old] == 1 && pairs[v.now] == 1 &&
				(voters > 1 || before != format.NoThread && before == holders[v.now]) {
				m.move(v, ids)
			}
		}
	}
	m.waits, m.holders = waits, holders
}

// votes counts the threads whose waits indicate that a lock moved.
func (m *relocations) votes(
	waits map[format.ThreadID]waitingAt,
	holders map[LockRef]format.ThreadID,
) map[addresses]int {
	votes := map[addresses]int{}
	for thread, now := range waits {
		before, waited := m.waits[thread]
		if !waited || before.stack != now.stack || now.stack == format.NoStack || before.lock.Class != now.lock.Class ||
			before.lock.Name != now.lock.Name {
			continue
		}
		_, stays := holders[before.lock]
		if _, known := m.holders[now.lock]; !known && !stays {
			votes[addresses{before.lock, now.lock}]++
		}
	}
	return votes
}

// move gives the lock at a new address the id it had at the old one. Another lock may use
// the old address now, as another may have used the new one before.
func (m *relocations) move(v addresses, ids map[LockRef]format.ObjectID) {
	if id, ok := ids[v.old]; ok { // otherwise no thread was seen waiting for it as a lock
		ids[v.now] = id
		delete(ids, v.old)
		m.count++
	}
}
