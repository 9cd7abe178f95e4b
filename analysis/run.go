// Package analysis rebuilds time from events: who owned each lock while
// others waited, and slices over which the wait-for graph does not change. It
// reads no file, sums nothing but coverage, and prints nothing.
package analysis

import (
	"errors"
	"fmt"
	"io"

	"contend/format"
)

// Run reads a source to its end and gives every visitor its slices and
// running time. Sampled contention events pass through as they come; exact
// waits are kept, at some 40 bytes each, until the source ends. An error of the
// source is returned; what preceded it has been charged.
func Run(src format.Source, f Filter, v ...Visitor) (*Trace, error) {
	defs := newDefinitions()
	out := newDispatcher(&Symbols{definitions: defs}, v)
	defer out.close()
	e, names := newEmitter(defs, f, out), definer{defs, out}
	rec := newRecord()
	cyc := &cycles{}
	smp := newSampler(rec, e, cyc)
	var ev format.Event
	var fault error
	wild := int64(0)
	for {
		if fault = src.Read(&ev); fault != nil {
			break
		}
		bound(&ev)
		if clamp(&ev) {
			wild++
		}
		switch ev.Kind {
		case format.KindThread, format.KindObject, format.KindStack:
			smp.flushRun()
			names.define(&ev)
		case format.KindTick:
			smp.tick(&ev)
		case format.KindContention:
			if ev.Weight == format.EvidenceOnly {
				rec.add(&ev)
			} else {
				smp.contention(&ev)
			}
		case format.KindSetting:
			if ev.Name == format.SettingInput {
				smp.begin()
				rec.next()
				rec.NextInput()
				names.input(ev.Value)
			}
			rec.add(&ev)
			rec.setting(&ev)
			smp.setting(&ev)
		default:
			rec.add(&ev)
		}
	}
	if errors.Is(fault, io.EOF) {
		fault = nil
	}
	tr := finish(e, rec, smp, cyc)
	tr.Coverage.Warnings = append(tr.Coverage.Warnings, append(wildWarning(wild), overflowWarning(e.overflown)...)...)
	return tr, fault
}

func finish(e *emitter, rec *record, smp *sampler, cyc *cycles) *Trace {
	smp.finish()
	start, end := rec.bounds()
	tr := &Trace{Symbols: e.out.sym, Start: start, End: end}
	e.begin(start)
	rec.activities = rec.Arrange(e.defs.Kind)
	tl, rebuilt := rec.activities.Timelines(e.defs)
	counted := 0
	if !smp.any {
		counted = rec.runs(e.defs, start, end, e.run)
	} else {
		tr.Start, tr.End = smp.bounds(start, end)
		counted = smp.before + smp.threads
	}
	rebuilt()
	rec.sweep(tl, e, cyc)
	e.out.wait()
	rec.visitTenures(e)
	tr.Threads = max(counted, 0)
	tr.RunningNs = e.running
	tr.Deadlocks = cyc.deadlocks(e.queued, e.since)
	tr.Coverage.ByProvenance = e.byProv
	tr.Coverage.Calibration = tl.Trust
	tr.Coverage.Stalls = smp.stalls.Stalls
	tr.Coverage.Warnings = append(rec.warnings(e.defs, tl), tr.Coverage.Stalls.warning()...)
	if smp.any && rec.Waits.Len() > 0 {
		tr.Coverage.Warnings = append(tr.Coverage.Warnings, format.Warning{Code: "mixed",
			Text: "sampled and exact waits are read together: running time is that of the samples alone, so pressure is too high"})
	}
	if smp.any && e.filter.MinWait > 0 {
		tr.Coverage.Warnings = append(tr.Coverage.Warnings, format.Warning{Code: "min-wait",
			Text: "samples do not tell how long a wait was: --min-wait leaves out none of the sampled ones"})
	}
	return tr
}

// setting remembers a threshold in force: waits shorter than it are missing.
func (r *record) setting(ev *format.Event) {
	if ev.Weight > 0 {
		r.thresholds = append(r.thresholds, fmt.Sprintf("%s %s", ev.Name, ev.Value))
	}
}

// bound drops ids no decoder of ours gives, so that a wild one cannot make
// a table of gigabytes. Tables grow with the largest id.
func bound(ev *format.Event) {
	if max(uint32(ev.Thread), uint32(ev.Owner), uint32(ev.Woken), uint32(ev.Object), uint32(ev.Stack)) <= maxSymbol {
		return
	}
	for _, id := range [...]*uint32{(*uint32)(&ev.Thread), (*uint32)(&ev.Owner), (*uint32)(&ev.Woken), (*uint32)(&ev.Object), (*uint32)(&ev.Stack)} {
		if *id > maxSymbol {
			*id = 0
		}
	}
}
