package gotrace

import "contend/format"

// The readers of an RWMutex are woken by the writer that releases it, and the writer by the
// last reader. With one writer, which never wakes another, the lock looks like two: one
// that readers acquire and the writer releases, and one that the writer acquires and
// readers release. The two are joined if the same functions do both: one function acquires
// the first for reading and releases the second from reading, and another acquires the
// second for writing and releases the first from writing.

// rwRole is the way in which a function uses an RWMutex.
type rwRole struct {
	fn      string
	callers format.StackID
	shared  bool
	unlocks bool
}

// severalLocks stands for the locks of a function that uses more than one in the same way.
const severalLocks = site(-1)

// half is a pair of locks that may be one RWMutex: the one that readers acquire, and the
// one that the writer acquires.
type half struct{ readers, writers site }

// joinHalves joins the two halves of each RWMutex.
func (s *sites) joinHalves() {
	roles := map[rwRole]site{}
	for i, k := range s.keys.List {
		if k.class != "sync.RWMutex" {
			continue
		}
		role, root := rwRole{k.fn, k.callers, k.shared, k.unlocks}, s.find(site(i))
		if before, ok := roles[role]; ok && before != root {
			root = severalLocks
		}
		roles[role] = root
	}
	byReaders, byWriters := map[half]bool{}, map[half]bool{}
	for role, takes := range roles {
		gives, ok := roles[rwRole{role.fn, role.callers, role.shared, true}]
		switch {
		case role.unlocks || !ok || takes == gives || takes == severalLocks || gives == severalLocks:
		case role.shared:
			byReaders[half{takes, gives}] = true
		default:
			byWriters[half{gives, takes}] = true
		}
	}
	partners := map[site]int{}
	for h := range byReaders {
		partners[h.readers]++
		partners[h.writers]++
	}
	for h := range byReaders {
		if byWriters[h] && partners[h.readers] == 1 && partners[h.writers] == 1 {
			s.join(h.readers, h.writers)
		}
	}
}
