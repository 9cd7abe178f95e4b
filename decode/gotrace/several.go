package gotrace

import (
	"cmp"
	"slices"

	"contend/format"
)

// Sites that acquire the locks of several objects look like one lock. Two facts separate
// them. Between acquiring a lock and releasing it a goroutine owns it, so a release by
// another goroutine in between belongs to another lock. And a hand-off links two waits for
// the same lock.

// tolerance is the share of holds that another goroutine's release may interrupt although
// the lock is one: a goroutine may release a lock unseen and acquire it again at once.
const tolerance = 0.05

// several reports whether the points of a lock belong to several locks.
func several(points []point) bool {
	whole, broken := 0, 0
	open := map[format.ThreadID]int{} // since which point a thread owns the lock
	latest := latest{before: -1, last: -1}
	for i := range points {
		p := &points[i]
		if p.what == blocked || p.mode == format.Shared {
			delete(open, p.thread)
			continue
		}
		if p.what == acquired {
			open[p.thread] = i
		} else if from, ok := open[p.thread]; ok {
			if latest.other(p.thread) > from {
				broken++
			} else {
				whole++
			}
			delete(open, p.thread)
		}
		latest.addPoint(p.thread, i)
	}
	return float64(broken) > tolerance*float64(whole+broken) && broken >= 10
}

// latest knows the last point of each but one thread.
type latest struct {
	thread       format.ThreadID
	last, before int // the last point of thread, and of any other
}

func (l *latest) addPoint(t format.ThreadID, i int) {
	if t != l.thread {
		l.thread, l.before = t, l.last
	}
	l.last = i
}

// other returns the last point that is not of thread t, -1 for none.
func (l *latest) other(t format.ThreadID) int {
	if t == l.thread {
		return l.before
	}
	return l.last
}

// divide divides the waits of several locks so that at any time each part is of one lock:
// chains of waits linked by hand-offs, concatenated if they do not overlap. A part is one
// lock at any one time, not over the whole trace.
func divide(waits []*wait, points []point) [][]*wait {
	type part struct {
		free   int64 // from when on
		number int
	}
	byFree := func(a, b part) int { return cmp.Or(cmp.Compare(a.free, b.free), cmp.Compare(a.number, b.number)) }
	var parts []part // the first to be free first
	var out [][]*wait
	for _, c := range chain(waits, points) {
		p := part{number: len(out)}
		if len(parts) > 0 && parts[0].free <= c[0].start {
			p, parts = parts[0], parts[1:]
		} else {
			out = append(out, nil)
		}
		for _, w := range c {
			p.free = max(p.free, w.end)
		}
		at, _ := slices.BinarySearchFunc(parts, p, byFree)
		parts = slices.Insert(parts, at, p)
		out[p.number] = append(out[p.number], c...)
	}
	return out
}

// chain joins two waits if the goroutine of one woke the other's, and the tries of one
// acquisition. Chains, and the waits in each, are ordered by start.
func chain(waits []*wait, points []point) [][]*wait {
	var links sites // a union-find over waits
	for i := range waits {
		links.parent = append(links.parent, site(i))
	}
	has := map[format.ThreadID]int32{}   // the wait whose lock a thread owns
	tries := map[format.ThreadID]int32{} // the wait that a thread's next block continues
	for i := range points {
		p := &points[i]
		switch p.what {
		case blocked:
			if w, ok := tries[p.thread]; ok && waits[p.wait].asked < waits[p.wait].start {
				links.join(site(w), site(p.wait))
			}
			delete(has, p.thread)
			tries[p.thread] = p.wait
		case acquired:
			has[p.thread] = p.wait
		case released:
			if w, ok := has[p.thread]; ok {
				links.join(site(w), site(p.wait))
				delete(has, p.thread)
			}
		}
	}
	byRoot := map[site][]*wait{}
	for i, w := range waits {
		root := links.find(site(i))
		byRoot[root] = append(byRoot[root], w)
	}
	var out [][]*wait
	for _, c := range byRoot {
		slices.SortFunc(
			c,
			func(a, b *wait) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread)) },
		)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b []*wait) int {
		return cmp.Or(cmp.Compare(a[0].start, b[0].start), cmp.Compare(a[0].thread, b[0].thread))
	})
	return out
}
