package simulate

import (
	"fmt"
	"slices"

	"contend/format"
)

// Truth is what happened, computed by the simulator itself. Sums by owner are
// float64 because readers share evenly; without shared modes they are whole
// nanoseconds.
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
	return &Truth{DirectByOwner: map[string]float64{}, RootByOwner: map[string]float64{}, DirectBySite: map[string]float64{}, RootBySite: map[string]float64{}}
}

// charge books the time from now to t over the graph as it is, by following
// every pointer of every blocked thread, and moves now to t.
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

// follow charges a part of the time a path of threads waited for a lock.
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
			w.follow(part, h.thread.blocked, append(path, h.thread)) // path was followed to its end, so its room may be reused for the next holder
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

// populate makes the threads and locks and writes their metadata.
func (w *world) populate(programs []program) {
	w.both(format.Event{Kind: format.KindRecording, Time: w.c.Start, End: w.end})
	locks := 0
	for _, p := range programs {
		for i := range p.steps {
			locks = max(locks, p.steps[i].lock+1)
			if m := p.steps[i].method; m != "" {
				w.stack(m)
			}
		}
	}
	for i := range locks {
		l := &lock{id: format.ObjectID(i + 1), class: fmt.Sprintf("sim.Lock%d", i)}
		l.truth.Class = l.class
		w.locks = append(w.locks, l)
		w.both(format.Event{Kind: format.KindObject, Object: l.id, Class: l.class, LockKind: format.KindMonitor, Name: fmt.Sprintf("%s#%d", l.class, i+1)})
	}
	for _, p := range programs {
		for i := range p.threads {
			t := &thread{id: format.ThreadID(len(w.threads) + 1), name: fmt.Sprintf("%s-%d", p.group, i), steps: p.steps, blocked: -1}
			w.threads = append(w.threads, t)
			w.both(format.Event{Kind: format.KindThread, Thread: t.id, Name: t.name})
			w.both(format.Event{Kind: format.KindThreadStart, Thread: t.id, Time: w.c.Start})
			w.schedule(t, 0)
		}
	}
}

func (w *world) both(ev format.Event) {
	w.write(w.exact, ev)
	w.write(w.sampled, ev)
}

// stack returns the stack of a critical section, writing it before first use.
func (w *world) stack(method string) format.StackID {
	id, ok := w.stacks[method]
	if !ok {
		id = format.StackID(len(w.names))
		w.stacks[method] = id
		w.names = append(w.names, method)
		w.both(format.Event{Kind: format.KindStack, Stack: id, Frames: []format.Frame{
			{Class: "sim.App", Method: method, File: "App.java", Line: 10 * int(id)}, {Class: "sim.Worker", Method: "run", File: "Worker.java", Line: 7}}})
	}
	return id
}

// finish ends what is open at the end of the run: threads that are still blocked waited until
// then.
func (w *world) finish() *Truth {
	for _, t := range w.threads {
		if t.blocked >= 0 {
			w.waited(t, w.locks[t.blocked], w.now)
		}
		if t.idle {
			w.wakeUp(t)
		}
	}
	for _, l := range w.locks {
		for i := range l.holders {
			w.tenure(l, &l.holders[i], w.now)
		}
		w.truth.Waits += l.truth.Waits
		w.truth.WaitNs += l.truth.WaitNs
		w.truth.Locks = append(w.truth.Locks, l.truth)
	}
	for _, t := range w.threads {
		if !t.ended {
			w.write(w.exact, format.Event{Kind: format.KindThreadEnd, Thread: t.id, Time: w.now})
		}
	}
	return w.truth
}
