package simulate

import (
	"fmt"

	"contend/format"
)

// populate creates the threads and locks and writes their metadata.
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
		w.both(
			format.Event{
				Kind:     format.KindObject,
				Object:   l.id,
				Class:    l.class,
				LockKind: format.KindMonitor,
				Name:     fmt.Sprintf("%s#%d", l.class, i+1),
			},
		)
	}
	for _, p := range programs {
		for i := range p.threads {
			t := &thread{
				id:      format.ThreadID(len(w.threads) + 1),
				name:    fmt.Sprintf("%s-%d", p.group, i),
				steps:   p.steps,
				blocked: -1,
			}
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
		w.both(format.Event{
			Kind:  format.KindStack,
			Stack: id,
			Frames: []format.Frame{
				{
					Class:  "sim.App",
					Method: method,
					File:   "App.java",
					Line:   10 * int(id),
				},
				{Class: "sim.Worker", Method: "run", File: "Worker.java", Line: 7},
			},
		})
	}
	return id
}

// finish ends open intervals at the end of the run: threads that are still blocked waited
// until then.
func (w *world) finish() *Truth {
	for _, t := range w.threads {
		if t.blocked >= 0 {
			w.waited(t, w.locks[t.blocked], format.NoThread)
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
