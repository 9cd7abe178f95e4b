package owners

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// The owners of locks whose trace tells of every release that woke a thread
// (format.SettingReleases). It shows waits, acquisitions by threads that had waited, and
// releases that wake a thread; no acquisition without a wait and no release that wakes nobody.
// But a release wakes a thread whenever one is queued and none is awake and competing:
//
//   - a release by an owner ends its tenure;
//   - a release by another thread ends a tenure that began unseen, as long before as its section
//     usually takes: after the last acquisition or release, and before a thread blocked since;
//   - an acquirer without a release held the lock as long as its section usually takes, at most
//     until the next owner or until it waits itself.
//
// What is left in between is the hand-off.

// happening is what happens to a lock, in the order in which those of one instant are taken.
type happening uint8

const (
	released happening = iota // by thread: until now it owned the lock
	blocked                   // thread begins to wait
	acquired                  // thread had waited and runs again: from now on it owns the lock
)

// point is an instant of a lock's history. Only Start of the tenure is set.
type point struct {
	what happening
	Tenure
}

// points returns the history of a lock, by time. A wait acquires the lock when it ends,
// unless it failed, or its thread is known to have blocked again. Where waits are whole, one
// that nothing ended was still waiting when the recording ended.
func (a *Activities) points(lock format.ObjectID) (list []point) {
	ended := map[format.ThreadID][]*release{} // releases that woke the thread, by time
	for _, i := range a.releasesOf(lock) {
		r := a.releases.At(i)
		if ended[r.woken()] = append(ended[r.woken()], r); r.thread != format.NoThread {
			list = append(list, point{released, Tenure{Start: r.time, Thread: r.thread, Lock: lock, Stack: r.stack, Mode: r.mode()}})
		}
	}
	whole := a.input(lock).whole
	for _, i := range a.byLock[lock] {
		w := a.Wait(i)
		t := Tenure{Start: w.Start, Thread: w.Thread, Lock: lock, Stack: w.Stack, Mode: w.Mode()}
		list = append(list, point{blocked, t})
		by := ended[w.Thread]
		n, _ := slices.BinarySearchFunc(by, w.End+1, func(r *release, t int64) int { return cmp.Compare(r.time, t) })
		woken := n > 0 && by[n-1].time >= w.Start
		if woken && by[n-1].again != format.NoTime || !woken && (whole || w.Failed()) {
			continue
		}
		t.Start = w.End
		list = append(list, point{acquired, t})
	}
	slices.SortStableFunc(list, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.what, b.what), cmp.Compare(a.Thread, b.Thread))
	})
	return list
}

func (a *Activities) releasesOf(lock format.ObjectID) []column.Ref {
	if int(lock) < len(a.released) {
		return a.released[lock]
	}
	return nil
}

// usual returns the median length of each section, in ns: from an acquisition to the release
// by the same thread where nothing else is seen between.
func (ev *evidence) usual(points []point) map[function]int64 {
	lengths, out := map[function][]int64{}, map[function]int64{}
	var last *point
	for i := range points {
		p := &points[i]
		if p.what == blocked {
			continue
		}
		if last != nil && p.what == released && last.what == acquired && last.Thread == p.Thread {
			fn := ev.function(p.Stack)
			lengths[fn] = append(lengths[fn], p.Start-last.Start)
		}
		last = p
	}
	for fn, list := range lengths {
		slices.Sort(list)
		out[fn] = list[len(list)/2]
	}
	return out
}

// history is the state of a lock while its points are walked through.
type history struct {
	ev     *evidence
	kind   format.LockKind
	usual  map[function]int64
	owners []Tenure // that go on
	last   int64    // the last acquisition or release
	block  int64    // the first block since, NoTime for none
	gave   point    // the last release
	add    func(Tenure)
}

// fromReleases returns the owners of a lock in busy time; none where no releases are told.
func (ev *evidence) fromReleases(lock format.ObjectID) (out []Ownership) {
	in := ev.input(lock)
	if !in.waking || !in.whole && len(ev.releasesOf(lock)) == 0 {
		return nil
	}
	busy, points := ev.gather(ev.byLock[lock]).busy(), ev.points(lock)
	h := &history{ev: ev, kind: ev.sym.Kind(lock), usual: ev.usual(points), block: format.NoTime}
	h.add = func(t Tenure) {
		t.owned(byReleases, ev.endOf(t.Thread), busy, func(o Ownership) {
			ev.byDoing(o, func(o Ownership) { out = append(out, o) })
		})
	}
	from, to := in.from, in.to
	if from == format.NoTime {
		from, to = points[0].Start, points[len(points)-1].Start
	}
	h.last = from
	for i := range points {
		h.take(&points[i])
	}
	if h.block == format.NoTime {
		h.vacate(format.Exclusive, to)
		return out
	}
	for _, t := range h.owners { // others wait: it goes on
		t.End = to
		h.add(t)
	}
	if len(h.owners) == 0 { // somebody has it
		h.add(Tenure{Start: h.block, End: to, Lock: lock})
	}
	return out
}

// take goes on to a point.
func (h *history) take(p *point) {
	i := slices.IndexFunc(h.owners, func(t Tenure) bool { return t.Thread == p.Thread })
	switch p.what {
	case blocked: // an owner gave the lock back unseen, or is a writer that waits for readers
		if i >= 0 {
			h.estimate(h.owners[i], p.Start)
			h.owners = slices.Delete(h.owners, i, i+1)
		}
		if h.block == format.NoTime {
			h.block = p.Start
		}
		return
	case acquired:
		h.vacate(p.Mode, p.Start)
		h.owners = append(h.owners, p.Tenure)
	case released:
		if i < 0 && h.kind == format.KindReadWriteLock && p.Mode == format.Exclusive && h.gave.Thread == p.Thread {
			return // a writer wakes all readers that are queued one by one
		}
		t := p.Tenure
		if t.End = p.Start; i >= 0 {
			t.Start = h.owners[i].Start
			h.owners = slices.Delete(h.owners, i, i+1)
			h.vacate(format.Exclusive, t.End) // a release that wakes a thread is that of the last reader
		} else {
			t.Start = h.began(p)
			h.vacate(p.Mode, t.Start)
		}
		h.add(t)
		h.gave = *p
	}
	h.last, h.block = p.Start, format.NoTime
}

// began estimates since when the lock was owned by a thread that is first seen
// giving it back.
func (h *history) began(p *point) int64 {
	at := h.last + (p.Start-h.last)/2
	if usual, ok := h.usual[h.ev.function(p.Stack)]; ok {
		at = p.Start - usual
	}
	if h.block != format.NoTime {
		at = min(at, h.block)
	}
	return min(max(at, h.last), p.Start)
}

// vacate ends the tenures that exclude one of the given mode from t on. Permits of a semaphore
// exclude none: a tenure ends when it is as long as usual.
func (h *history) vacate(m format.Mode, t int64) {
	kept := h.owners[:0]
	for _, o := range h.owners {
		usual, ok := h.usual[h.ev.function(o.Stack)]
		if m == format.Shared && o.Mode == format.Shared || h.kind == format.KindSemaphore && (!ok || o.Start+usual > t) {
			kept = append(kept, o)
			continue
		}
		h.estimate(o, t)
	}
	h.owners = kept
}

// estimate ends a tenure whose end was not seen, at t at the latest.
func (h *history) estimate(o Tenure, t int64) {
	if usual, ok := h.usual[h.ev.function(o.Stack)]; ok {
		t = min(t, o.Start+usual)
	}
	o.End = t
	h.add(o)
}
