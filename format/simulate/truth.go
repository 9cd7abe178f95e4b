package simulate

import "slices"

// Truth is the blame of a run, computed by the simulator itself. Sums by owner are float64
// because readers share evenly; without shared modes they are whole nanoseconds.
type Truth struct {
	Waits     int64       `json:"waits"`
	WaitNs    int64       `json:"waitNs"`
	RunningNs int64       `json:"runningNs"` // lifetimes less idle time
	Locks     []LockTruth `json:"locks"`
	// Owners are threads by name, or [handoff], [external], [deadlock]. Sites are the methods
	// of critical sections, or these.
	DirectByOwner map[string]float64 `json:"directByOwner"`
	RootByOwner   map[string]float64 `json:"rootByOwner"`
	DirectBySite  map[string]float64 `json:"directBySite"`
	RootBySite    map[string]float64 `json:"rootBySite"`
}

// LockTruth is one lock.
type LockTruth struct {
	Class  string `json:"class"`
	Waits  int64  `json:"waits"`
	WaitNs int64  `json:"waitNs"`
}

func newTruth() *Truth {
	return &Truth{
		DirectByOwner: map[string]float64{},
		RootByOwner:   map[string]float64{},
		DirectBySite:  map[string]float64{},
		RootBySite:    map[string]float64{},
	}
}

// charge charges the time from now to t over the current wait-for graph, by following every
// pointer of every blocked thread, and moves now to t.
func (w *world) charge(t int64) {
	d := t - w.now
	if d <= 0 {
		return
	}
	for _, th := range w.threads {
		if !th.idle && !th.ended {
			w.truth.RunningNs += d
		}
		if th.blocked >= 0 {
			w.path = append(w.path[:0], th)
			w.follow(float64(d), th.blocked, w.path)
		}
	}
	w.now = t
}

// follow charges a part of the time in which a path of threads waited for a lock.
func (w *world) follow(part float64, l int, path []*thread) {
	lk := w.locks[l]
	if len(lk.holders) == 0 {
		w.book(part, "[handoff]", "[handoff]", len(path) == 1, true)
		return
	}
	part /= float64(len(lk.holders))
	for _, h := range lk.holders {
		owner, site := h.thread.name, w.names[h.stack]
		if h.thread.ended {
			owner, site = "[external]", "[external]"
		}
		blocked := h.thread.blocked >= 0
		w.book(part, owner, site, len(path) == 1, !blocked)
		switch {
		case !blocked:
		case slices.Contains(path, h.thread):
			w.book(part, "[deadlock]", "[deadlock]", false, true)
		default:
			w.follow(
				part,
				h.thread.blocked,
				append(path, h.thread),
			) // path was followed to its end, so its room may be reused for the next holder
		}
	}
}

func (w *world) book(part float64, owner, site string, direct, root bool) {
	if direct {
		w.truth.DirectByOwner[owner] += part
		w.truth.DirectBySite[site] += part
	}
	if root {
		w.truth.RootByOwner[owner] += part
		w.truth.RootBySite[site] += part
	}
}
