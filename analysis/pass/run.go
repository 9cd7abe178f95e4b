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

// pass is one reading of a source. It gives each event to the parts that need it.
type pass struct {
	names            *analysis.Definer
	emit             *deliver.Emitter
	rec              *record.Record
	sampler          *sampled.Sampler
	reacquiring      reacquiring
	sleeps           sleeps.Sites
	activityVisitors []analysis.ActivityVisitor
	instantVisitors  []analysis.InstantVisitor
	scratch          format.Event // of visitActivity
	showsSpinning    bool         // an event shows an activity outside of waits, so spinning and sleeping would show
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
	p := &pass{names: names, emit: deliver.NewEmitter(names.Symbols(), f, out), rec: record.New()}
	p.rec.NonLock = len(deliver.Asking[analysis.NonLockVisitor](p.emit)) > 0
	if f.Class == nil && f.Lock == nil {
		p.activityVisitors = deliver.Asking[analysis.ActivityVisitor](p.emit)
	}
	if p.activityVisitors != nil && f.Thread == nil && f.From == format.NoTime && f.To == format.NoTime {
		p.instantVisitors = deliver.Asking[analysis.InstantVisitor](p.emit)
	}
	p.sampler = sampled.New(p.rec, p.emit)
	var ev format.Event
	for {
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			return p.finish(), nil
		} else if err != nil {
			return p.finish(), err
		}
		p.dispatch(&ev)
	}
}

// dispatch gives an event to the parts that need it.
func (p *pass) dispatch(ev *format.Event) {
	bound(ev)
	p.names.Use(ev)
	if ev.Kind == format.KindActivity && ev.Activity == format.ActivityTook {
		p.sleeps.HoldsLock(ev.Stack)
		p.rec.Evidence.AddEvent(ev, ev.Time)
		return
	}
	if (ev.Kind == format.KindActivity || ev.Weight == format.EvidenceOnly) && p.reacquiring.observe(ev, p.emit.Defs) {
		p.reacquiring.resolve(p.rec, p.emit.Defs, p.reacquired)
	}
	switch ev.Kind {
	case format.KindThread, format.KindObject, format.KindStack:
		p.names.Define(ev)
	case format.KindTick:
		p.visitInstant(ev)
		p.sampler.Tick(ev)
	case format.KindContention:
		p.visitInstant(ev)
		if ev.Weight != format.EvidenceOnly {
			p.sampler.Contention(ev)
		} else if !p.sampler.Link(ev) {
			p.rec.Keep(ev)
		}
	case format.KindBlocked:
		p.sampler.Booker.Measured.AddWaiting(ev)
	case format.KindSetting:
		p.setting(ev)
	case format.KindActivity:
		p.showsSpinning = p.showsSpinning || int(ev.Activity) < len(polls) && polls[ev.Activity]
		p.visitActivity(ev)
		if !p.sampler.AddIdle(ev) {
			p.rec.Keep(ev)
		}
	default:
		p.rec.Keep(ev)
	}
}

// visitActivity gives an activity, cut by the filter, to the visitors that ask for it. A
// cut relative to a start that is still unknown counts from the first event.
func (p *pass) visitActivity(ev *format.Event) {
	f := &p.emit.Filter
	if len(p.activityVisitors) == 0 || f.Thread != nil && !f.Thread.MatchString(p.emit.Defs.ThreadName(ev.Thread)) {
		return
	}
	cut := &p.scratch
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
	for _, v := range p.activityVisitors {
		v.Activity(cut, p.emit.Defs.Frames(ev.Stack))
	}
}

// visitInstant gives an event of a sampling instant to the visitors that ask for it.
func (p *pass) visitInstant(ev *format.Event) {
	for _, v := range p.instantVisitors {
		v.Instant(ev)
	}
}

// setting takes a setting of the trace. The one with the label of an input begins that input.
func (p *pass) setting(ev *format.Event) {
	if ev.Name == format.SettingInput {
		p.visitInstant(ev)
		p.endInput()
		p.sampler.Begin()
		p.rec.Next()
		p.rec.Evidence.NextInput()
		p.names.NextInput(ev.Value)
	}
	p.rec.Keep(ev)
	p.rec.Setting(ev)
	p.sampler.Setting(ev)
}

// unended adds the waits of the current input that only samples show, because they began
// before the recording or did not end within it. It adds none if the recorder leaves out
// short waits: then one such wait could be several.
func (p *pass) unended() {
	if p.rec.Part().Threshold > 0 {
		return
	}
	defs := p.emit.Defs
	alike := func(a, b format.ObjectID) bool { return defs.Class(a) == defs.Class(b) }
	for _, ev := range p.rec.Evidence.Unended(alike) {
		p.rec.NotEnded = append(p.rec.NotEnded, &ev)
		p.dispatch(&ev)
	}
}

// reacquired adds the wait in which a thread re-acquired a lock after waiting on a condition.
func (p *pass) reacquired(ev *format.Event) {
	p.names.Use(ev)
	p.rec.Keep(ev)
}

// finish charges the waits that are kept until the end of the source, and sums up:
//
//  1. add to the record the waits held back: re-acquisitions after Object.wait, waits that
//     only samples show, the last samples;
//  2. merge the ids of moved locks and sort the record;
//  3. infer owners from all of it, and concurrently
//  4. book running time, which needs no owners;
//  5. charge the waits to the owners, in the sweep;
//  6. give holds, idle times and non-lock waits to the visitors that ask;
//  7. return what the sums cover and their expected accuracy.
func (p *pass) finish() *analysis.Trace {
	p.endInput()
	p.sampler.Finish()
	start, end := p.rec.Bounds()
	p.emit.Begin(start)
	relocated := p.rec.Relocate(p.names)
	w := p.rec.Complete(p.emit.Defs.Kind)
	p.sleeps.Classify(w.Activities, p.emit.Defs)
	owned, inferred := w.Activities.Timelines(p.emit.Defs, p.emit.Filter.Why)
	lives := &lifetimes{whole: w, sleeps: &p.sleeps}
	ran := p.bookRunning(lives, start, end)
	inferred()
	sweep.New(w, owned, p.emit).Run()
	p.emit.Out.Wait()
	p.visitRest(w, owned)
	p.emit.Cycles.Stuck(owned.Unlinked)
	return p.result(lives, owned, ran, relocated)
}

// endInput adds the waits that are known only at the end of an input.
func (p *pass) endInput() {
	p.reacquiring.resolve(p.rec, p.emit.Defs, p.reacquired)
	p.unended()
}

// runTime is the recorded interval, the threads that the running time covers, and its bound.
type runTime struct {
	start, end int64
	threads    int
	high       int64 // upper bound of the running time, ns
	unended    int64 // upper bound of the waiting that had not begun or ended within the recording, ns
}

// bookRunning books the running time of all threads: by the samples, if they show it, else
// by the record, which covers [start, end).
func (p *pass) bookRunning(r *lifetimes, start, end int64) (ran runTime) {
	if p.sampler.TellsRunning() {
		asleep, awaiting := p.sampler.ResolveSleeps(&p.sleeps, p.emit.Defs)
		p.reacquiring.sum.High += awaiting
		ran.high, ran.threads = p.emit.Running+asleep, p.sampler.TotalThreads()
	} else {
		counted, unseen, unended := r.runs(p.emit.Defs, start, end, p.emit)
		ran.threads = counted
		ran.high = p.emit.Running + unseen
		ran.unended = unended
	}
	if ran.start, ran.end = start, end; p.sampler.Any {
		ran.start, ran.end = p.sampler.Bounds(start, end)
	}
	ran.high = max(ran.high, p.emit.Running)
	return ran
}

// visitRest gives holds, idle times and non-lock waits to the visitors that ask.
func (p *pass) visitRest(w *record.Whole, owned *owners.Timelines) {
	visitHolds(w, owned, p.emit)
	visitIdle(w, p.emit)
	nonLock := deliver.NonLock(p.emit)
	visitMonitors(w, p.emit)
	visitNonLockWaits(w, p.emit, nonLock)
	p.sampler.VisitNonLockWaits(nonLock)
	visitTimelines(w, p.emit)
}

// result returns everything but slices.
func (p *pass) result(
	lives *lifetimes,
	owned *owners.Timelines,
	ran runTime,
	relocated []format.Warning,
) *analysis.Trace {
	w := lives.whole
	tr := &analysis.Trace{
		Symbols:     p.emit.Out.Sym,
		Start:       ran.start,
		End:         ran.end,
		Threads:     ran.threads,
		RunningNs:   p.emit.Running,
		RunningHigh: ran.high,
		UnendedHigh: ran.unended,
		Recorded:    p.recorded(lives, times.Span{Start: max(ran.start, p.emit.From), End: min(ran.end, p.emit.To)}),
		Reacquired:  p.reacquiring.sum,

		ReacquiredAt: p.reacquiring.relocated(p.rec.Evidence.Same),
		Pauses:       w.Activities.Pauses(),
		Deadlocks:    p.emit.Cycles.Deadlocks(),
		Whys:         owned.Whys,
	}
	for _, s := range tr.Recorded {
		tr.ElapsedNs += s.Ns()
	}
	tr.Coverage = analysis.Coverage{
		ByProvenance: p.emit.ByProvenance,
		Seen:         owned.Seen,
		Stalls:       p.sampler.Stalls.Total,
		Warnings:     append(p.warnings(w, owned, ran.high), relocated...),
		Threshold:    p.rec.Threshold,
		Samples:      p.sampler.Samples,
		Owned:        p.rec.Evidence.TellsOwners() || p.sampler.ShowsOwners(),
	}
	return tr
}

// recorded returns the parts of a span that were recorded, in order of time.
func (p *pass) recorded(lives *lifetimes, cut times.Span) (out []analysis.Interval) {
	all, unknown := []times.Span{cut}, []lostWaiting(nil)
	sampled := times.UnionOf(p.sampler.Recorded())
	switch {
	case !p.sampler.TellsRunning():
		if all = p.rec.Covered(cut); times.Within(all, cut) < times.Within(sampled, cut) {
			all = sampled
		} else {
			unknown = lives.lostWaiting(p.emit.Defs)
		}
	case len(p.sampler.CoveredBefore) > 0 && p.rec.Evidence.Waited() == 0:
		all = sampled
	}
	for _, s := range all {
		if s = s.Clip(cut); s.Start < s.End {
			out = appendKnown(out, s, unknown)
		}
	}
	return out
}

// pollingShare is the ratio of running time to waiting time above which waiting is rare.
// Contention may then take the form of spinning or sleeping, which some sources do not
// show.
const pollingShare = 20

// polls are the activities that would show a thread spinning or sleeping for a lock.
var polls = [...]bool{
	format.ActivityRun:      true,
	format.ActivitySeen:     true,
	format.ActivityRunnable: true,
	format.ActivitySleep:    true,
}

// warnings returns the reasons to doubt the results.
func (p *pass) warnings(w *record.Whole, owned *owners.Timelines, running int64) []format.Warning {
	out := slices.Concat(
		recordWarnings(w, p.emit.Defs, owned, running),
		p.reacquiring.warning(),
		p.sampler.Stalls.Warning(),
	)
	out = append(out, p.sampler.Booker.Measured.Warning()...)
	if p.sampler.TellsRunning() && p.rec.Evidence.Waited() > 0 && !p.rec.Evidence.FollowsSome() {
		out = append(out, format.Warning{
			Code: format.CodeMixed,
			Text: "sampled and exact waits are read together: running time is that of the samples alone, so " +
				"pressure is too high",
		})
	}
	if p.sampler.Any && p.emit.Filter.MinWait > 0 {
		out = append(out, format.Warning{
			Code: format.CodeMinWait,
			Text: "samples do not show the duration of a wait: --min-wait omits none of the sampled waits",
		})
	}
	if !p.showsSpinning && p.emit.ByProvenance.Ns() <= running/pollingShare {
		out = append(
			out,
			format.Warning{
				Code: format.CodeUnseenPolling,
				Text: "threads that spin or sleep for a lock (here no samples, sleeps or dumps would show them)",
			},
		)
	}
	return slices.Concat(out, farWarning(p.emit.Far), overflowWarning(p.emit.Overflown))
}

// bound clears ids that no decoder of this program gives. Tables grow with the largest id, so a
// wild id would cost gigabytes.
func bound(ev *format.Event) {
	if max(uint32(ev.Thread), uint32(ev.Owner), uint32(ev.Woken), uint32(ev.Object), uint32(ev.Stack)) <= owners.MaxID {
		return
	}
	for _, id := range [...]*uint32{(*uint32)(&ev.Thread), (*uint32)(&ev.Owner), (*uint32)(&ev.Woken),
		(*uint32)(&ev.Object), (*uint32)(&ev.Stack)} {
		if *id > owners.MaxID {
			*id = 0
		}
	}
}
