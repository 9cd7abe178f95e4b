package gotrace

import (
	"cmp"
	"math"
	"slices"

	"contend/decode/gonames"
	"contend/format"
)

// Sites that acquire the locks of several objects look like one lock. Two facts show that they are
// several. Between acquiring a lock and releasing it a goroutine owns it, so a release by
// another goroutine in between belongs to another lock. And a hand-off links two waits for
// the same lock.

// tolerance is the share of contradictions that a single lock may have: times of different
// processors are not exact, and a spinning goroutine may acquire a lock in passing.
const tolerance = 0.05

// minContradictions is how many contradictions there must be at least.
const minContradictions = 10

// several reports whether the points of a lock belong to several locks. These contradict a
// single one:
//
//   - A goroutine acquires the lock and later releases it, another goroutine releases it in
//     between, and the one that this wakes has been queued since before. The first goroutine
//     may have released it unseen and acquired it again at once, but not while one is queued:
//     a release wakes it.
//   - A release of a mutex wakes a goroutine while another one that was woken has not run yet.
func (r *Reader) several(waits []*wait, points []point) bool {
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
			switch other := latest.other(p.thread); {
			case r.unseen(waits[points[from].wait], p.at, waits[p.wait].unlock):
			case other <= from:
				whole++
			case waits[points[other].wait].start < points[from].at:
				broken++
			}
			delete(open, p.thread)
		}
		latest.addPoint(p.thread, i)
	}
	woken, together := awake(waits)
	return contradicted(whole, broken) || contradicted(woken-together, together)
}

// contradicted reports whether contradictions are too many for a single lock.
func contradicted(agree, contradict int) bool {
	return contradict >= minContradictions && float64(contradict) > tolerance*float64(agree+contradict)
}

// awake returns how many waiters of a mutex were woken, and how many of them while another one
// that had been woken did not run yet. A read-write lock wakes many together.
func awake(waits []*wait) (woken, together int) {
	var list []*wait
	for _, w := range waits {
		if w.kind == format.KindMutex && w.waker != format.NoThread {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *wait) int { return cmp.Compare(a.woken, b.woken) })
	until := int64(math.MinInt64)
	for _, w := range list {
		if woken++; w.woken < until {
			together++
		}
		until = max(until, w.end)
	}
	return woken, together
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

// maxCallers is how many callers of a function that acquires locks tell them apart.
const maxCallers = 4

// lockWaits are the waits for one lock.
type lockWaits struct {
	waits   []*wait
	callers int // how many callers of the functions that acquire it tell it from others
	number  int // of several that no callers tell apart, from 1; else 0
}

// separate divides waits into those of each lock. Sites that contradict a single lock may be those of
// a function that locks what its callers give it: then as many callers are regarded as are needed.
func (r *Reader) separate(waits []*wait, callers int) (out []lockWaits) {
	points := r.points(waits)
	if !r.several(waits, points) {
		return []lockWaits{{waits: waits, callers: callers}}
	}
	for n := callers + 1; n <= maxCallers; n++ {
		parts := r.byCallers(waits, n)
		if len(parts) == 1 {
			continue
		}
		for _, part := range parts {
			out = append(out, r.separate(part, n)...)
		}
		return out
	}
	for i, part := range r.divide(waits, points) {
		out = append(out, lockWaits{part, callers, i + 1})
	}
	return out
}

// byCallers divides waits by the sites that wake each other, as they are with some callers. A part of
// few waits, or without a known waker, says too little of a lock: it goes with the largest.
func (r *Reader) byCallers(waits []*wait, n int) [][]*wait {
	var s sites
	var chains format.Stacks
	siteOf := func(stack format.StackID, call uint32) site {
		u := r.stacks.use(stack)
		_, program := gonames.OfLock(r.stacks.framesOf(stack))
		callers, _ := chains.ID(program[min(1, len(program)):min(n+1, len(program))])
		return s.siteOf(&u, call, callers)
	}
	at := make([]site, len(waits))
	for i, w := range waits {
		if at[i] = siteOf(w.stack, 0); w.waker != format.NoThread {
			s.join(at[i], siteOf(w.unlock, w.call))
		}
	}
	s.joinHalves()
	counts, largest := map[site]int{}, s.find(at[0])
	for _, a := range at {
		root := s.find(a)
		if counts[root]++; counts[root] > counts[largest] {
			largest = root
		}
	}
	var out [][]*wait
	number := map[site]int{}
	for i, w := range waits {
		root := s.find(at[i])
		if counts[root] < minContradictions {
			root = largest
		}
		part, known := number[root]
		if !known {
			part, number[root] = len(out), len(out)
			out = append(out, nil)
		}
		out[part] = append(out[part], w)
	}
	return out
}

// divide divides the waits of several locks so that at any time each part is of one lock:
// chains of waits linked by hand-offs, concatenated if they do not overlap. A part is one
// lock at any one time, not over the whole trace.
func (r *Reader) divide(waits []*wait, points []point) [][]*wait {
	type part struct {
		free   int64 // from when on
		number int
	}
	byFree := func(a, b part) int { return cmp.Or(cmp.Compare(a.free, b.free), cmp.Compare(a.number, b.number)) }
	var parts []part // the first to be free first
	var out [][]*wait
	for _, c := range r.chain(waits, points) {
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
func (r *Reader) chain(waits []*wait, points []point) [][]*wait {
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
				if !r.unseen(waits[w], p.at, waits[p.wait].unlock) {
					links.join(site(w), site(p.wait))
				}
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
