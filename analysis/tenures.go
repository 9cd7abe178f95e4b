package analysis

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// asking returns the visitors that also want to know something.
func asking[V any](e *emitter) (ask []V) {
	for _, v := range e.out.visitors {
		if one, ok := v.(V); ok {
			ask = append(ask, one)
		}
	}
	return ask
}

// visitTenures gives tenures, recorded or rebuilt, to the visitors that ask for
// them.
func (r *record) visitTenures(tl *owners.Timelines, e *emitter) {
	ask := asking[TenureVisitor](e)
	if len(ask) == 0 {
		return
	}
	give := func(h *Hold) {
		lo, hi, ok := e.cut(h.Start, h.End)
		if !ok || !e.wanted(h.Thread, h.Lock, anyLength) {
			return
		}
		if h.Asked = max(h.Asked, e.from); lo > h.Start {
			h.Asked = lo
		}
		h.Start, h.End = lo, hi
		for _, v := range ask {
			v.Tenure(h)
		}
	}
	if r.Tenures.Len() > 0 {
		r.toldTenures(give)
	}
	r.rebuiltTenures(tl, give)
}

// toldTenures calls give for the tenures that were recorded.
func (r *record) toldTenures(give func(*Hold)) {
	asked := r.acquisitions()
	r.Tenures.Each(func(_ column.Ref, t *owners.Tenure) {
		if !r.Told(t.Lock) {
			return
		}
		h := Hold{Asked: t.Start, Start: t.Start, End: t.End, Thread: t.Thread, Lock: t.Lock, Stack: t.Stack, Mode: t.Mode}
		if since, waited := asked[acquired{t.Thread, t.Lock, t.Start}]; waited {
			h.Asked = since
		}
		give(&h)
	})
}

// acquired identifies the end of a wait.
type acquired struct {
	thread format.ThreadID
	lock   format.ObjectID
	time   int64
}

// acquisitions returns when the waits that ended with the lock began.
func (r *record) acquisitions() map[acquired]int64 {
	asked := make(map[acquired]int64, len(r.activities.Starts))
	for _, i := range r.activities.Starts {
		w := r.activities.Wait(i)
		asked[acquired{w.Thread, w.Lock, w.End}] = w.Start
	}
	return asked
}

// visitIdle gives the idle times of threads to the visitors that ask for them.
func (r *record) visitIdle(e *emitter) {
	ask := asking[IdleVisitor](e)
	if len(ask) == 0 {
		return
	}
	for t := range r.activities.Threads() {
		of := r.activities.Of(format.ThreadID(t))
		idle := joiner{scan: r.activities.Scan(of), idle: true}
		for s := idle.next(); s != nothing; s = idle.next() {
			paused := r.asleep(s, &of)
			if lo, hi, ok := e.cut(s.start, s.end); ok {
				for _, v := range ask {
					v.Idle(format.ThreadID(t), lo, hi, paused)
				}
			}
		}
	}
}

// visitMonitors gives what others ended to the visitors that ask, by monitor.
func (r *record) visitMonitors(e *emitter) {
	ask := asking[MonitorVisitor](e)
	hides := slices.ContainsFunc(r.parts, func(p part) bool { return p.hides })
	for _, id := range r.monitors.notified() {
		m := &MonitorWaits{id, r.monitors.of(id, func(w *MonitorWait) bool {
			return w.Start >= e.from && w.End <= e.to && e.wanted(w.Thread, id, anyLength)
		}), hides}
		for _, v := range ask {
			v.Monitor(m)
		}
	}
}

// asleep reports whether a thread did nothing but sleep in a stretch; rest is
// what it did from there on, and is moved beyond.
func (r *record) asleep(s span, rest *owners.Refs) bool {
	paused := true
	for ; rest.Len() > 0; rest.From++ {
		i := rest.From
		if r.activities.IsWait(i) {
			if r.activities.Begins(i) >= s.end {
				break
			}
			continue
		}
		a := r.activities.Other(i)
		if a.Start >= s.end {
			break
		}
		if a.Start >= s.start && idle(a) && a.What() != format.ActivitySleep {
			paused = false
		}
	}
	return paused
}
