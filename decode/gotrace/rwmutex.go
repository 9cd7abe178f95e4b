package gotrace

// The readers of an RWMutex are woken by the writer that releases it, and the
// writer by the last reader. With one writer, which never wakes another, its
// lock looks like two: one that readers acquire and the writer releases, and one
// that the writer acquires and readers release. They are joined where the same
// functions do both: one acquires the first for reading and releases the second
// so, and another acquires the second for writing and releases the first so.

// rwRole is what a function does to an RWMutex.
type rwRole struct {
	fn      string
	shared  bool
	unlocks bool
}

// severalLocks stands for the locks of a function that does the same to more
// than one.
const severalLocks = site(-1)

// half is a pair of locks that may be the two halves of one: what readers take,
// and what the writer takes.
type half struct{ readers, writers site }

// joinHalves joins the two halves of each RWMutex.
func (s *sites) joinHalves() {
	roles := map[rwRole]site{}
	for i, k := range s.keys.List {
		if k.class != "sync.RWMutex" {
			continue
		}
		role, root := rwRole{k.fn, k.shared, k.unlocks}, s.find(site(i))
		if before, ok := roles[role]; ok && before != root {
			root = severalLocks
		}
		roles[role] = root
	}
	byReaders, byWriters := map[half]bool{}, map[half]bool{}
	for role, takes := range roles {
		gives, ok := roles[rwRole{role.fn, role.shared, true}]
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
