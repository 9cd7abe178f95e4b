// Package pass makes slices: it reads a source once, from its first event to its last.
//
//	run.go        which event goes where; what is left to do at the end, in order
//	warnings.go   reasons to doubt the results
//	lifetimes.go  running time: the lifetimes of threads less their idle time, and threads
//	              without evidence for a while
//	holds.go      holds, idle times and waits that are not for locks, for visitors that ask
//	reacquire.go  acquiring locks again after Object.wait and await
package pass

import (
	"errors"
	"io"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/sampled"
	"contend/analysis/internal/sleeps"
	"contend/analysis/internal/sweep"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// pass is one reading of a source. It hands each event to the parts that need it.
type pass struct {
	names  *analysis.Definer
	e      *deliver.Emitter
	rec    *record.Record
	smp    *sampled.Sampler
	back   reacquiring
	sleeps sleeps.Sites
	ask    []analysis.ActivityVisitor
	cut    format.Event // scratch of visitActivity
	shows  bool         // an event shows what threads did outside of waits, so spinning and sleeping would show
}

// Run reads a source to its end and gives every visitor its slices and running time.
// Sampled contention is charged as it is read; exact waits are kept until the source ends,
// at some 10 bytes each. Run returns the error of the source; everything before it has been
// charged.
func Run(src format.Source, f analysis.Filter, v ...analysis.Visitor) (*analysis.Trace, error) {
	names := analysis.NewDefiner()
	out := deliver.NewDispatcher(names.Symbols(), v)
	names.Changing = out.Wait
	defer out.Wait()
	p := &pass{names: names, e: deliver.NewEmitter(names.Symbols(), f, out), rec: record.New()}
	p.rec.NonLock = len(deliver.Asking[analysis.NonLockVisitor](p.e)) > 0
	if f.Class == nil && f.Lock == nil {
		p.ask = deliver.Asking[analysis.ActivityVisitor](p.e)
	}
	p.smp = sampled.New(p.rec, p.e)
	var ev format.Event
	for {
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			return p.finish(), nil
		} else if err != nil {
			return p.finish(), err
		}
		p.take(&ev)
	}
}

// take hands an event to the parts that need it.
func (p *pass) take(ev *format.Event) {
	bound(ev)
	p.names.Use(ev)
	if ev.Kind == format.KindActivity && ev.Activity == format.ActivityTook {
		p.sleeps.HoldsLock(ev.Stack)
		p.rec.Add(ev, ev.Time)
		return
	}
	if (ev.Kind == format.KindActivity || ev.Weight == format.EvidenceOnly) && p.back.note(ev, p.e.Defs) {
		p.back.resolve(p.rec, p.e.Defs, p.reacquired)
	}
	switch ev.Kind {
	case format.KindThread, format.KindObject, format.KindStack:
		p.names.Define(ev)
	case format.KindTick:
		p.smp.Tick(ev)
	case format.KindContention:
		if ev.Weight != format.EvidenceOnly {
			p.smp.Contention(ev)
		} else if !p.smp.Link(ev) {
			p.rec.Keep(ev)
		}
	case format.KindBlocked:
		p.smp.Measured.Add(ev)
	case format.KindSetting:
		p.setting(ev)
	case format.KindActivity:
		p.shows = p.shows || int(ev.Activity) < len(polls) && polls[ev.Activity]
		p.visitActivity(ev)
		if !p.smp.AddIdle(ev) {
			p.rec.Keep(ev)
		}
	default:
		p.rec.Keep(ev)
	}
}

// visitActivity gives an activity, cut by the filter, to the visitors that ask for it. A
// cut relative to a start that is not known yet counts from the first event.
func (p *pass) visitActivity(ev *format.Event) {
	f := &p.e.Filter
	if len(p.ask) == 0 || f.Thread != nil && !f.Thread.MatchString(p.e.Defs.ThreadName(ev.Thread)) {
		return
	}
	cut := &p.cut
	*cut = *ev
	if f.From != format.NoTime || f.To != format.NoTime {
		start, _ := p.rec.Bounds()
		if f.From != format.NoTime {
			cut.Time = max(cut.Time, analysis.Instant(f.From, f.FromRel, start))
		}
		if f.To != format.NoTime {
			cut.End = min(cut.End, analysis.Instant(f.To, f.ToRel, start))
		}
		if cut.End < cut.Time || cut.End == cut.Time && ev.End > ev.Time {
			return
		}
	}
	for _, v := range p.ask {
		v.Activity(cut, p.e.Defs.Frames(ev.Stack))
	}
}

// setting takes a setting of the trace. A new input begins with one.
func (p *pass) setting(ev *format.Event) {
	if ev.Name == format.SettingInput {
		p.endInput()
		p.smp.Begin()
		p.rec.Next()
		p.rec.NextInput()
		p.names.NextInput(ev.Value)
	}
	p.rec.Keep(ev)
	p.rec.Setting(ev)
	p.smp.Setting(ev)
}

// unended adds the waits of the current input that only samples show, because they began
// before the recording or did not end within it. It adds none if the recorder leaves out
// short waits: then one such wait could be several.
func (p *pass) unended() {
	if p.rec.Part().Threshold > 0 {
		return
	}
	defs := p.e.Defs
	for _, ev := range p.rec.Unended(func(a, b format.ObjectID) bool { return defs.Class(a) == defs.Class(b) }) {
		p.rec.NotEnded = append(p.rec.NotEnded, &ev)
		p.take(&ev)
	}
}

// reacquired adds the wait in which a thread got a lock back after waiting on a condition.
func (p *pass) reacquired(ev *format.Event) {
	p.names.Use(ev)
	p.rec.Keep(ev)
}

// finish charges everything that had to wait for the end of the source, and sums up:
//
//  1. what was held back joins the record: getting locks back after Object.wait, waits that
//     only samples show, the last samples;
//  2. the record is put in order, as one lock has one id from then on;
//  3. owners are inferred from all of it, meanwhile
//  4. running time is booked, which needs no owners;
//  5. the sweep charges the waits to the owners;
//  6. visitors that ask get what is no wait for a lock;
//  7. the result says what the sums cover and how far to trust them.
func (p *pass) finish() *analysis.Trace {
	p.endInput()
	p.smp.Finish()
	start, end := p.rec.Bounds()
	p.e.Begin(start)
	relocated := p.rec.Relocate(p.names)
	w := p.rec.Complete(p.e.Defs.Kind)
	p.sleeps.Classify(w.Activities, p.e.Defs)
	owned, inferred := w.Activities.Timelines(p.e.Defs, p.e.Filter.Why)
	ran := p.bookRunning(&lifetimes{Whole: w, sleeps: &p.sleeps}, start, end)
	inferred()
	sweep.New(w, owned, p.e).Run()
	p.e.Out.Wait()
	p.visitRest(w, owned)
	p.e.Cycles.Stuck(owned.Unlinked)
	return p.result(w, owned, ran, relocated)
}

// endInput resolves what had to wait for the end of an input.
func (p *pass) endInput() {
	p.back.resolve(p.rec, p.e.Defs, p.reacquired)
	p.unended()
}

// runTime is what the running time is of.
type runTime struct {
	start, end int64
	threads    int
	high       int64 // upper bound of the running time, if some idle time is unknown
}

// bookRunning books the running time of all threads: of the samples, if they tell it, else
// of the record, which covers [start, end).
func (p *pass) bookRunning(r *lifetimes, start, end int64) (of runTime) {
	if p.smp.TellsRunning() {
		asleep, awaiting := p.smp.ResolveSleeps(&p.sleeps, p.e.Defs)
		p.back.sum.High += awaiting
		of.high, of.threads = p.e.Running+asleep, p.smp.ThreadsBefore+p.smp.Threads
	} else {
		counted, unseen := r.runs(p.e.Defs, start, end, p.e)
		if of.threads = counted; r.PartlySeen() {
			of.high = p.e.Running + unseen
		}
	}
	if of.start, of.end = start, end; p.smp.Any {
		of.start, of.end = p.smp.Bounds(start, end)
	}
	of.high = max(of.high, p.e.Running)
	return of
}

// visitRest gives visitors that ask what is no wait for a lock, and holds.
func (p *pass) visitRest(w *record.Whole, owned *owners.Timelines) {
	visitHolds(w, owned, p.e)
	visitIdle(w, p.e)
	nonLock := deliver.NonLock(p.e)
	visitMonitors(w, p.e)
	visitNonLockWaits(w, p.e, nonLock)
	p.smp.VisitNonLockWaits(nonLock)
}

// result is what the pass found besides slices.
func (p *pass) result(w *record.Whole, owned *owners.Timelines, of runTime, relocated []format.Warning) *analysis.Trace {
	tr := &analysis.Trace{Symbols: p.e.Out.Sym, Start: of.start, End: of.end, Threads: of.threads, RunningNs: p.e.Running, RunningHigh: of.high,
		ElapsedNs: p.elapsed(max(of.start, p.e.From), min(of.end, p.e.To)), Reacquired: p.back.sum,
		Pauses: w.Activities.Pauses(), Deadlocks: p.e.Cycles.Deadlocks(), Whys: owned.Whys}
	tr.Coverage = analysis.Coverage{ByProvenance: p.e.ByProvenance, Seen: owned.Seen, Stalls: p.smp.Stalls.Stalls, Warnings: append(p.warnings(w, owned, of.high), relocated...),
		Threshold: p.rec.Threshold, Samples: p.smp.Samples, Owned: p.rec.TellsOwners() || p.smp.ShowsOwners()}
	trust := tr.Coverage.Trust()
	tr.Coverage.Warnings = append(tr.Coverage.Warnings, disagreement(&trust)...)
	return tr
}

// elapsed returns how much of [lo, hi) was recorded.
func (p *pass) elapsed(lo, hi int64) int64 {
	sampled := times.Within(times.UnionOf(p.smp.Recorded()), times.Span{Start: lo, End: hi})
	switch {
	case !p.smp.TellsRunning():
		return max(p.rec.Elapsed(lo, hi), sampled)
	case len(p.smp.CoveredBefore) > 0 && p.rec.Waited() == 0:
		return sampled
	}
	return max(0, hi-lo)
}

// pollingShare is the ratio of running time to waiting time above which waiting is rare.
// Contention may then take the form of spinning or sleeping, which some sources do not
// show.
const pollingShare = 20

// polls are the activities that would show a thread spinning or sleeping for a lock.
var polls = [...]bool{format.ActivityRun: true, format.ActivitySeen: true, format.ActivityRunnable: true, format.ActivitySleep: true}

// warnings returns the reasons to doubt the results.
func (p *pass) warnings(w *record.Whole, owned *owners.Timelines, running int64) []format.Warning {
	out := slices.Concat(recordWarnings(w, p.e.Defs, owned, running), p.back.warning(), p.smp.Stalls.Warning())
	out = append(out, p.smp.Measured.Warning()...)
	if p.smp.TellsRunning() && p.rec.Waited() > 0 {
		out = append(out, format.Warning{Code: format.CodeMixed,
			Text: "sampled and exact waits are read together: running time is that of the samples alone, so pressure is too high"})
	}
	if p.smp.Any && p.e.Filter.MinWait > 0 {
		out = append(out, format.Warning{Code: format.CodeMinWait,
			Text: "samples do not tell how long a wait was: --min-wait leaves out none of the sampled ones"})
	}
	if !p.shows && p.e.ByProvenance.Ns() <= running/pollingShare {
		out = append(out, format.Warning{Code: format.CodeUnseenPolling, Text: "threads that spin or sleep for a lock (here no samples, sleeps or dumps would show them)"})
	}
	return slices.Concat(out, farWarning(p.e.Far), overflowWarning(p.e.Overflown))
}

// bound clears ids that no decoder of ours gives. Tables grow with the largest id, so a
// wild id would cost gigabytes.
func bound(ev *format.Event) {
	if max(uint32(ev.Thread), uint32(ev.Owner), uint32(ev.Woken), uint32(ev.Object), uint32(ev.Stack)) <= owners.MaxID {
		return
	}
	for _, id := range [...]*uint32{(*uint32)(&ev.Thread), (*uint32)(&ev.Owner), (*uint32)(&ev.Woken), (*uint32)(&ev.Object), (*uint32)(&ev.Stack)} {
		if *id > owners.MaxID {
			*id = 0
		}
	}
}
