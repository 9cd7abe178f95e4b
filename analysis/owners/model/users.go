package model

import (
	"slices"
	"sort"

	"contend/format"
	"contend/format/column"
)

// lockView is the lock that a worker works on: its waits in several orders, and its users.
type lockView struct {
	*Lock
	waits  []Wait  // by start
	byEnd  []int32 // numbers of the waits, by end
	byUser []int32 // the same, by user and start
	first  []int32 // by user: its first in byUser
	users  users
}

// read reads the waits for a lock of a group, unless it is the current one.
func (v *lockView) read(gr *Group, l *Lock) {
	if v.Lock == l {
		return
	}
	v.Lock = l
	v.forgetUsers()
	v.waits = gr.program.Waits(l.ID, v.waits[:0])
	v.byEnd = slices.Grow(v.byEnd[:0], len(v.waits))
	var current column.KeyHeap // waits, by end: they are few at a time
	for i := range v.waits {
		w := &v.waits[i]
		for ; len(current) > 0 && current[0].At <= w.Start; current.Pop() {
			v.byEnd = append(v.byEnd, int32(current[0].ID))
		}
		current.Push(column.Key{At: w.End, ID: uint32(i)})
		w.Shared = w.Shared || l.permits
	}
	for ; len(current) > 0; current.Pop() {
		v.byEnd = append(v.byEnd, int32(current[0].ID))
	}
}

// forgetUsers has the users of the current lock be found again when they are asked for.
func (v *lockView) forgetUsers() { v.users.sites = -1 }

// load makes a lock of a group the current one, with its users.
func (v *lockView) load(gr *Group, l *Lock) {
	v.read(gr, l)
	if v.users.sites != len(gr.sites) {
		v.users.set(gr, v.waits, l.Dumps)
		v.sortByUser()
	}
}

// sortByUser sorts the waits by their users, by counting.
func (v *lockView) sortByUser() {
	v.first = append(v.first[:0], make([]int32, len(v.users.threads)+2)...)
	for i := range v.waits {
		v.first[v.waits[i].user+2]++
	}
	for i := 2; i < len(v.first); i++ {
		v.first[i] += v.first[i-1]
	}
	v.byUser = slices.Grow(v.byUser[:0], len(v.waits))[:len(v.waits)]
	for i := range v.waits {
		at := &v.first[v.waits[i].user+1]
		v.byUser[*at] = int32(i)
		*at++
	}
}

// waiting reports whether a user waits for the lock in [from, to).
func (v *lockView) waiting(user int32, from, to int64) bool {
	list := v.byUser[v.first[user]:v.first[user+1]]
	n := sort.Search(len(list), func(i int) bool { return v.waits[list[i]].Start >= to })
	return n > 0 && v.waits[list[n-1]].End > from
}

// users are the threads that are known to use a lock.
type users struct {
	sites   int
	threads []format.ThreadID
	index   map[format.ThreadID]int32
	shares  []float64 // by user, then site: the share of the site's uses that are the user's
	total   []float64 // by site: the sum over the users; the rest is of unknown threads
}

// set makes it the users of a lock: the threads that waited for it, previous owners of waits and owners
// in dumps; where neither of these is recorded, the users of the silent sites of all locks of the group,
// too. It numbers the threads of the waits.
func (u *users) set(gr *Group, waits []Wait, dumps []Dump) {
	u.sites = len(gr.sites)
	u.threads, u.shares = u.threads[:0], u.shares[:0]
	if clear(u.index); u.index == nil {
		u.index = map[format.ThreadID]int32{}
	}
	add := func(t format.ThreadID) int32 {
		i, ok := u.index[t]
		if !ok && t != format.NoThread {
			i = int32(len(u.threads))
			u.index[t] = i
			u.threads = append(u.threads, t)
		}
		return i
	}
	for i := range waits {
		waits[i].user = add(waits[i].Thread)
		if i == 0 || waits[i].Last != waits[i-1].Last {
			add(waits[i].Last)
		}
	}
	for i := range dumps {
		add(dumps[i].Owner)
	}
	recorded := slices.ContainsFunc(waits, func(w Wait) bool { return w.Last != format.NoThread }) ||
		slices.ContainsFunc(dumps, func(d Dump) bool { return d.Owner != format.NoThread })
	if !recorded {
		for _, t := range gr.silentUsers {
			add(t)
		}
	}
	u.total = append(u.total[:0], make([]float64, u.sites)...)
	each := 1 / float64(len(u.threads)+1) // one use is shared by all, and by one unknown thread
	for _, t := range u.threads {
		for s, x := range gr.sites {
			v := (x.users[t] + each) / (x.uses() + 1)
			u.shares = append(u.shares, v)
			u.total[s] += v
		}
	}
}

// number returns the number of a thread, noUser if it is none.
func (u *users) number(t format.ThreadID) int32 {
	if i, ok := u.index[t]; ok {
		return i
	}
	return noUser
}

// of returns a user's share of the uses of each site.
func (u *users) of(i int32) []float64 {
	if i < 0 {
		return nil
	}
	return u.shares[int(i)*u.sites : (int(i)+1)*u.sites]
}

// recentUsers are, by site, the users that acquired the lock there last. Gaps are cut in
// batches, so acquisitions become known before the gaps that precede them are answered:
// they are pending until then.
type recentUsers struct {
	last    [][recentLen]int32 // by site: a ring
	n       []int              // by site: how many were put in it
	pending []acquisition      // by time
	next    int                // the first of pending that has not been put in a ring
}

// acquisition is one that ended a wait.
type acquisition struct {
	time   int64
	thread format.ThreadID
	user   int32
	site   int // or noSite
}

func (r *recentUsers) reset(sites int) {
	r.last = make([][recentLen]int32, sites)
	r.n = make([]int, sites)
	r.pending = r.pending[:0]
	r.next = 0
}

// advance takes over the pending acquisitions up to an instant.
func (r *recentUsers) advance(to int64) {
	for ; r.next < len(r.pending) && r.pending[r.next].time <= to; r.next++ {
		a := &r.pending[r.next]
		if a.site >= 0 && a.user >= 0 && (r.n[a.site] == 0 || r.last[a.site][(r.n[a.site]-1)%recentLen] != a.user) {
			r.last[a.site][r.n[a.site]%recentLen] = a.user
			r.n[a.site]++
		}
	}
}

// forget drops the pending acquisitions that were taken over.
func (r *recentUsers) forget() {
	r.pending, r.next = r.pending[:copy(r.pending, r.pending[r.next:])], 0
}
