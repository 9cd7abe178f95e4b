package model

import (
	"math"
	"slices"
	"sort"

	"contend/analysis/internal/column"
	"contend/format"
)

// gap is a stretch between recorded acquisitions of a lock in which somebody waits.
type gap struct {
	number   int // among those of the lock
	from, to int64
	acquired bool            // it begins with an acquisition by the thread at the site; else with an arrival
	ended    bool            // it ends with an acquisition
	thread   format.ThreadID // the last known acquirer, NoThread for none
	stack    format.StackID  // with which it got the lock
	site     int             // of it, -1 for none that is known
	shared   bool            // it has the lock together with others
	joined   bool            // so does who acquires it at the end

	waiting  int       // threads that wait from the beginning on
	arrivals []Wait    // those that come inside, by start
	blocked  []float64 // by site: the share of its users that waits all the time, or does something else
	deeds    []deed    // what users of the lock do in it
}

// deed is a Doing of a user of the lock, with the sites that its stack leads through.
type deed struct {
	Doing
	user int32
	in   []within
}

// ns is how long all threads together waited in the gap up to an instant.
func (g *gap) ns(until int64) float64 {
	sum := float64(g.waiting) * float64(until-g.from)
	for i := range g.arrivals {
		if w := &g.arrivals[i]; w.Start < until {
			sum += float64(min(until, max(w.End, w.Start)) - w.Start)
		}
	}
	return sum
}

// when is the instant up to which they waited so long.
func (g *gap) when(ns float64) int64 {
	n, at := float64(g.waiting), g.from
	for i := range g.arrivals {
		next := g.arrivals[i].Start
		if step := n * float64(next-at); step >= ns {
			break
		} else {
			ns -= step
		}
		n, at = n+1, next
	}
	if n == 0 {
		return at
	}
	return min(at+int64(ns/n), g.to)
}

// batchGaps is how many gaps are looked at together: so many share a look at what
// the users of the lock do.
const batchGaps = 256

// gaps cuts a lock's waiting into gaps and calls take for those that are wanted, in
// order of time. What they hold is good during the call only.
func (k *worker) gaps(l *Lock, wanted func(*gap) bool, take func(*gap)) {
	k.load(l)
	k.block = append(k.block[:0], make([]float64, len(k.class.sites))...)
	c := cutter{waits: k.waits, ends: k.ends, users: &k.users, block: k.block, start: k.start}
	c.cur.site = -1
	k.due, k.calm = k.due[:0], append(k.calm[:0], make([]Time, len(k.users.threads))...)
	for u := range k.users.threads {
		k.due.Push(column.Key{At: math.MinInt64, ID: uint32(u)})
	}
	n := 0
	flush := func() {
		k.gather(l, k.batch[:n])
		known := 0
		for i := range k.batch[:n] {
			g := &k.batch[i]
			for ; known < len(k.pending) && k.pending[known].time <= g.from; known++ {
				k.recent.add(k.pending[known].site, k.pending[known].user)
			}
			take(g)
		}
		n, k.pending = 0, k.pending[:copy(k.pending, k.pending[known:])]
	}
	k.pending = k.pending[:0]
	k.recent.reset(len(k.class.sites))
	c.got = func(w *Wait) int {
		s := k.siteOf(w.Stack)
		k.pending = append(k.pending, recently{w.End, w.user, s})
		return s
	}
	c.cut(func(g *gap) {
		if !wanted(g) {
			return
		}
		if n == len(k.batch) {
			k.batch = append(k.batch, gap{}) // most locks have few
		}
		to := &k.batch[n]
		blocked, deeds := to.blocked[:0], to.deeds[:0]
		*to = *g
		to.blocked, to.deeds = append(blocked, c.start...), deeds
		if n++; n == batchGaps {
			flush()
		}
	})
	flush()
	k.start = c.start
}

// cutter cuts.
type cutter struct {
	waits []Wait  // by start
	ends  []int32 // the same by end
	users *users
	got   func(*Wait) int // tells the site of an acquisition
	cur   gap
	block []float64 // by site: the share of its users that waits now
	start []float64 // the same when the gap began
	n     int       // threads that wait
}

// cut calls give for each gap.
func (c *cutter) cut(give func(*gap)) {
	next, began := 0, 0
	begin := func(at int64, acquired bool) {
		c.cur.from, c.cur.acquired, c.cur.waiting, began = at, acquired, c.n, next
		c.start = append(c.start[:0], c.block...)
	}
	for done := 0; done < len(c.ends); {
		end := &c.waits[c.ends[done]]
		if next < len(c.waits) && c.waits[next].Start < end.End {
			if c.n == 0 {
				begin(c.waits[next].Start, false)
			}
			c.count(&c.waits[next], 1)
			next++
			continue
		}
		done++
		if end.Failed && c.n > 1 { // the others wait on
			c.count(end, -1)
			continue
		}
		g := &c.cur
		if g.to, g.ended, g.joined = end.End, !end.Failed, end.Shared; g.to > g.from {
			g.arrivals = c.waits[began:next]
			give(g)
			g.number++
		}
		c.count(end, -1)
		if !end.Failed {
			g.thread, g.stack, g.shared, g.site = end.Thread, end.Stack, end.Shared, c.got(end)
		}
		begin(end.End, !end.Failed)
	}
}

// count notes that a thread begins or ceases to wait.
func (c *cutter) count(w *Wait, by int) {
	c.n += by
	for s, v := range c.users.of(w.user) {
		c.block[s] += float64(by) * v
	}
}

// users are the threads that are known to use a lock.
type users struct {
	sites   int
	threads []format.ThreadID
	index   map[format.ThreadID]int32
	shares  []float64 // by user, by site: its share of the site's uses
	total   []float64 // by site
	waits   []int32   // of each user, by start
	first   []int32   // by user: the first of its waits there
}

// set makes it those of a lock of a class: the threads that waited for it, those named as
// having had it, its owners in dumps, and those at a silent site.
func (u *users) set(c *Class, waits []Wait, dumps []Dump) {
	u.sites = len(c.sites)
	u.threads, u.shares = u.threads[:0], u.shares[:0]
	if clear(u.index); u.index == nil {
		u.index = map[format.ThreadID]int32{}
	}
	add := func(t format.ThreadID) {
		if _, ok := u.index[t]; !ok && t != format.NoThread {
			u.index[t] = int32(len(u.threads))
			u.threads = append(u.threads, t)
		}
	}
	for i := range waits {
		add(waits[i].Thread)
		add(waits[i].Last)
	}
	for i := range dumps {
		add(dumps[i].Owner)
	}
	for _, t := range c.silentUsers {
		add(t)
	}
	u.total = append(u.total[:0], make([]float64, u.sites)...)
	each := 1 / float64(len(u.threads)+1)
	for _, t := range u.threads {
		for s, x := range c.sites {
			v := (x.users[t] + each) / (x.total() + 1)
			u.shares = append(u.shares, v)
			u.total[s] += v
		}
	}
}

// list lists the waits of each user.
func (u *users) list(waits []Wait) {
	u.first = append(u.first[:0], make([]int32, len(u.threads)+2)...)
	for i := range waits {
		waits[i].user = u.number(waits[i].Thread)
		u.first[waits[i].user+2]++
	}
	for i := 2; i < len(u.first); i++ {
		u.first[i] += u.first[i-1]
	}
	u.waits = slices.Grow(u.waits[:0], len(waits))[:len(waits)]
	for i := range waits {
		at := &u.first[waits[i].user+1]
		u.waits[*at] = int32(i)
		*at++
	}
}

// number returns the number of a thread, -1 for none that is known.
func (u *users) number(t format.ThreadID) int32 {
	if i, ok := u.index[t]; ok {
		return i
	}
	return -1
}

// of returns a user's share of the uses of each site.
func (u *users) of(i int32) []float64 {
	if i < 0 {
		return nil
	}
	return u.shares[int(i)*u.sites : (int(i)+1)*u.sites]
}

// wait reports whether a user waits for the lock in [from, to).
func (k *worker) wait(user int32, from, to int64) bool {
	list := k.users.waits[k.users.first[user]:k.users.first[user+1]]
	n := sort.Search(len(list), func(i int) bool { return k.waits[list[i]].Start >= to })
	return n > 0 && k.waits[list[n-1]].End > from
}

// gather finds out what the users of a lock do in gaps that follow each other.
func (k *worker) gather(l *Lock, gaps []gap) {
	for len(gaps) > 0 {
		n, length := 1, gaps[0].to-gaps[0].from
		for n < len(gaps) && gaps[n].from-gaps[n-1].to <= 8*length/int64(n) {
			length += gaps[n].to - gaps[n].from
			n++
		}
		k.look(l, gaps[:n])
		gaps = gaps[n:]
	}
}

// look does so for gaps that are near each other.
func (k *worker) look(l *Lock, gaps []gap) {
	sites := len(k.class.sites)
	k.diff = append(k.diff[:0], make([]float64, (len(gaps)+1)*sites)...)
	from, to := gaps[0].from-slack, gaps[len(gaps)-1].to+slack
	for _, u := range k.dueBefore(to) {
		at, t := 0, k.users.threads[u]
		var next int64
		k.doings, next = k.class.program.Doings(t, l.ID, from, to, k.doings[:0])
		k.dueAgain(u, next, to)
		for j := range k.doings {
			d := &k.doings[j]
			lo, hi := d.Start, d.End
			if d.What == Sample {
				if k.bare {
					continue
				}
				lo, hi = lo-slack, hi+slack
			}
			for at < len(gaps) && gaps[at].to <= d.Start-slack {
				at++
			}
			known, in := false, []within(nil)
			for i := at; i < len(gaps) && gaps[i].from < hi; i++ {
				g := &gaps[i]
				if g.to <= lo {
					continue
				}
				if !known {
					known, in = true, k.inside(d.Stack)
				}
				if whole := d.What != Sample && d.What != Holds && lo <= g.from && hi >= g.to; whole && t != g.thread && (len(in) == 0 || spans(d, g)) {
					end := i + 1 // and of all gaps that follow inside
					for step := len(gaps); step > 0; step /= 2 {
						for end+step <= len(gaps) && gaps[end+step-1].to+slack < hi {
							end += step
						}
					}
					for s, v := range k.users.of(u) {
						k.diff[i*sites+s] += v
						k.diff[end*sites+s] -= v
					}
					i = end - 1
					continue
				}
				g.deeds = append(g.deeds, deed{*d, u, in})
			}
		}
	}
	sum := k.diff[:sites]
	for i := range gaps {
		for s, v := range sum {
			gaps[i].blocked[s] += v
		}
		next := k.diff[(i+1)*sites : (i+2)*sites]
		for s := range next {
			next[s] += sum[s]
		}
		sum = next
	}
}

// dueBefore returns the users that may do something before an instant, by number. The
// others are not asked: where 100,000 threads wait for a lock, few do anything else in a
// gap.
func (k *worker) dueBefore(to int64) []int32 {
	k.asked = k.asked[:0]
	for ; len(k.due) > 0 && k.due[0].At < to; k.due.Pop() {
		k.asked = append(k.asked, int32(k.due[0].ID))
	}
	slices.Sort(k.asked)
	return k.asked
}

// dueAgain says when a user is asked again that was asked up to an instant: where
// something else begins, or at once where one of k.doings may go on.
func (k *worker) dueAgain(user int32, next, to int64) {
	for i := range k.doings {
		if k.doings[i].End >= to-2*slack {
			next = to - 2*slack
		}
	}
	k.due.Push(column.Key{At: next, ID: uint32(user)})
}

// spans reports whether a thread did something from before an acquisition by others on,
// or beyond one: then it cannot have done it while it held the lock, unless those have
// the lock together with others.
func spans(d *Doing, g *gap) bool {
	return d.What != Sample && (g.acquired && !g.shared && d.Start < g.from-slack || g.ended && !g.joined && d.End > g.to+slack)
}
