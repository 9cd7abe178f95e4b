// Package analysis rebuilds time from events: who owned each lock while
// others waited, and slices over which the wait-for graph does not change. It
// reads no file, sums nothing but coverage, and prints nothing.
//
// Its files, each of which uses only what comes after it:
//
//	run.go         a source is read to its end; what each event is given to
//	warnings.go    what the record could not tell
//	lifetimes.go   how many threads ran, and when: each thread's life, together
//	ranin.go       how long, by interval, for visitors that want no more
//	inputs.go      when the threads of each input could be seen
//	sweep.go       recorded waits and owners turned into slices
//	flush.go       the slices that a change ends
//	gather.go      those of a long queue who are charged together
//	standing.go    who waits for what at one instant, and what of that is booked
//	stuck.go       deadlocks that only thread dumps show
//	tenures.go     tenures, and idle times, for the visitors that ask
//	holds.go       tenures rebuilt from waits and owners
//	sampled.go     samples put together from events, and charged in order
//	aside.go       waits that are no contention, for the visitors that ask
//	reacquire.go   getting locks back after Object.wait and await
//	sleeps.go      which sleeps are inside of critical sections
//	runner.go      when one thread runs: its life less its idle times
//	scaled.go      samples put off until what was measured of them is known
//	sampler.go     one sample: what it stands for, its graph, its slices
//	measured.go    what the runtime measured of samples, and the factor
//	instant.go     the contended locks of one sampling instant
//	distances.go   the median distance of samples
//	relocate.go    locks that a garbage collector moved made one
//	record.go      the events that are kept until the source ends
//	monitors.go    waits at monitors that others end
//	unseen.go      what is believed of a thread while nothing is known of it
//	sleepsites.go  which idle times are none
//	gaps.go        where data of one input was lost
//	stalls.go      how late samples were taken
//	emit.go        what the filter leaves, booked for the visitors
//	split.go       a stretch split over every path through the graph
//	route.go       the path from a lock as long as there is only one
//	far.go         paths of more than MaxPath locks
//	graph.go       who waits for which lock, and who owns it, at one instant
//	definer.go     definitions that come while visitors work
//	dispatcher.go  visitors on goroutines of their own, some batches behind
//	batch.go       calls of visitors, in order, and making them
//	hops.go        the steps of paths, each kept once
//	deadlock.go    circles in the graph, numbered
//	times.go       which times may be, and sums that are too large
//	trace.go       the filter, and what Run returns
//	union.go       the wall time of intervals that overlap
//	spread.go      an amount spread evenly over a stretch
//	crowd.go       who waits for a lock together, and visitors that are told of it
//	names.go       owners and stacks as text
//	slice.go       the model: slices, and the visitors that get them
//	symbols.go     ids resolved for visitors and reports
//	definitions.go what a trace says of the things it names by ids
//	longnames.go   names that are too long
//	stackuses.go   what events show threads at with a stack
//	interner.go    strings as dense ids
//	frames.go      which frames are the lock's or the runtime's
package analysis

import (
	"errors"
	"io"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// pass is one reading of a source: what each event is given to.
type pass struct {
	names definer
	e     *emitter
	rec   *record
	cyc   *cycles
	smp   *sampler
	back  reacquiring
	ask   []ActivityVisitor
	cut   format.Event // scratch of tell
	shows bool         // what threads did outside of waits: spinning and sleeping would show
}

// Run reads a source to its end and gives every visitor its slices and
// running time. Sampled contention events pass through as they come; exact
// waits are kept, at some 10 bytes each, until the source ends. An error of the
// source is returned; what preceded it has been charged.
func Run(src format.Source, f Filter, v ...Visitor) (*Trace, error) {
	defs := newDefinitions()
	out := newDispatcher(&Symbols{definitions: defs}, v)
	defer out.close()
	p := &pass{names: definer{defs, out}, e: newEmitter(defs, f, out), rec: newRecord(), cyc: &cycles{}}
	p.rec.monitors.asked = len(asking[MonitorVisitor](p.e)) > 0
	if f.Class == nil && f.Lock == nil {
		p.ask = asking[ActivityVisitor](p.e)
	}
	p.smp = newSampler(p.rec, p.e, p.cyc)
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

// take gives an event to those it concerns.
func (p *pass) take(ev *format.Event) {
	bound(ev)
	p.names.use(ev)
	if ev.Kind == format.KindActivity && ev.Activity == format.ActivityTook {
		p.rec.sleeps.holdsLock(ev.Stack)
		p.rec.Add(ev, ev.Time)
		return
	}
	if (ev.Kind == format.KindActivity || ev.Weight == format.EvidenceOnly) && p.back.note(ev, p.e.defs) {
		p.back.resolve(p.rec, p.e.defs, p.reacquired)
	}
	switch ev.Kind {
	case format.KindThread, format.KindObject, format.KindStack:
		p.names.define(ev)
	case format.KindTick:
		p.smp.tick(ev)
	case format.KindContention:
		if ev.Weight == format.EvidenceOnly {
			p.rec.add(ev)
		} else {
			p.smp.contention(ev)
		}
	case format.KindBlocked:
		p.smp.measured.add(ev)
	case format.KindSetting:
		p.setting(ev)
	case format.KindActivity:
		p.shows = p.shows || int(ev.Activity) < len(polls) && polls[ev.Activity]
		p.tell(ev)
		if !p.smp.idle(ev) {
			p.rec.add(ev)
		}
	default:
		p.rec.add(ev)
	}
}

// tell gives what a thread did to the visitors that ask, as far as the filter lets it
// through. A cut relative to a start that is not known yet counts from the first event.
func (p *pass) tell(ev *format.Event) {
	f := &p.e.filter
	if len(p.ask) == 0 || f.Thread != nil && !f.Thread.MatchString(p.e.defs.ThreadName(ev.Thread)) {
		return
	}
	cut := &p.cut
	*cut = *ev
	if f.From != format.NoTime || f.To != format.NoTime {
		start, _ := p.rec.bounds()
		if f.From != format.NoTime {
			cut.Time = max(cut.Time, Instant(f.From, f.FromRel, start))
		}
		if f.To != format.NoTime {
			cut.End = min(cut.End, Instant(f.To, f.ToRel, start))
		}
		if cut.End < cut.Time || cut.End == cut.Time && ev.End > ev.Time {
			return
		}
	}
	for _, v := range p.ask {
		v.Activity(cut, p.e.defs.Frames(ev.Stack))
	}
}

// setting takes what the trace says of itself; a new input begins with one.
func (p *pass) setting(ev *format.Event) {
	if ev.Name == format.SettingInput {
		p.back.resolve(p.rec, p.e.defs, p.reacquired)
		p.unended()
		p.smp.begin()
		p.rec.next()
		p.rec.NextInput()
		p.names.input(ev.Value)
	}
	p.rec.add(ev)
	p.rec.setting(ev)
	p.smp.setting(ev)
}

// unended adds what the input at hand has recorded of no wait, for that had not
// ended or was there before. Where short waits are left out nothing tells that one
// was not several.
func (p *pass) unended() {
	if p.rec.threshold > 0 {
		return
	}
	defs := p.e.defs
	for _, ev := range p.rec.Unended(func(a, b format.ObjectID) bool { return defs.Class(a) == defs.Class(b) }) {
		p.rec.unended = append(p.rec.unended, &ev)
		p.take(&ev)
	}
}

// reacquired takes a wait for getting a lock back.
func (p *pass) reacquired(ev *format.Event) {
	p.names.use(ev)
	p.rec.add(ev)
}

// finish charges what had to wait for the end, and sums up.
func (p *pass) finish() *Trace {
	p.back.resolve(p.rec, p.e.defs, p.reacquired)
	p.unended()
	p.smp.finish()
	e, rec, smp := p.e, p.rec, p.smp
	start, end := rec.bounds()
	tr := &Trace{Symbols: e.out.sym, Start: start, End: end}
	e.begin(start)
	relocated := rec.relocate(e.defs)
	rec.activities = rec.Arrange(e.defs.Kind)
	rec.sleeps.classify(rec, e.defs)
	tl, rebuilt := rec.activities.Timelines(e.defs)
	counted := 0
	if !smp.any {
		var unseen int64
		if counted, unseen = rec.runs(e.defs, start, end, e); rec.partlySeen() {
			tr.RunningHigh = e.running + unseen
		}
	} else {
		asleep, awaiting := smp.unclear(&rec.sleeps, e.defs)
		tr.RunningHigh, p.back.sum.High = e.running+asleep, p.back.sum.High+awaiting
		tr.Start, tr.End = smp.bounds(start, end)
		counted = smp.before + smp.threads
	}
	rebuilt()
	rec.sweep(tl, e, p.cyc)
	e.out.wait()
	rec.visitTenures(tl, e)
	rec.visitIdle(e)
	rec.visitMonitors(e)
	beside := newAsides(e)
	rec.visitAsides(beside)
	smp.visitAsides(beside)
	tr.Threads = max(counted, 0)
	tr.RunningNs = e.running
	tr.Reacquired = p.back.sum
	p.cyc.stuck(tl.Unlinked, e)
	tr.RunningHigh = max(tr.RunningHigh, e.running)
	lo, hi := max(tr.Start, e.from), min(tr.End, e.to)
	switch tr.ElapsedNs = max(0, hi-lo); {
	case !smp.any:
		tr.ElapsedNs = rec.elapsed(lo, hi)
	case len(smp.spans) > 0 && rec.Waited() == 0:
		tr.ElapsedNs = covered(smp.recorded(), lo, hi)
	}
	tr.Pauses = rec.activities.Pauses()
	tr.Deadlocks = p.cyc.deadlocks(e.queued, e.since)
	tr.Coverage = Coverage{ByProvenance: e.byProv, Seen: tl.Seen, Stalls: smp.stalls.Stalls, Warnings: append(p.warnings(tl, tr.RunningHigh), relocated.warnings()...),
		Threshold: rec.threshold, Samples: smp.samples, Owned: rec.TellsOwners() || smp.tellsOwners()}
	trust := tr.Coverage.Trust()
	tr.Coverage.Warnings = append(tr.Coverage.Warnings, disagreement(&trust)...)
	return tr
}

// hardlyAny is how many times the waiting threads run where there is hardly any: then it
// may be elsewhere, if it does not show.
const hardlyAny = 20

// polls tells which activities show threads that spin or sleep for a lock.
var polls = [...]bool{format.ActivityRun: true, format.ActivitySeen: true, format.ActivityRunnable: true, format.ActivitySleep: true}

// warnings says what there is to doubt.
func (p *pass) warnings(tl *owners.Timelines, running int64) []format.Warning {
	out := slices.Concat(p.rec.warnings(p.e.defs, tl, running), p.back.warning(), p.smp.stalls.warning())
	out = append(out, p.smp.measured.warning()...)
	if p.smp.any && p.rec.Waited() > 0 {
		out = append(out, format.Warning{Code: "mixed",
			Text: "sampled and exact waits are read together: running time is that of the samples alone, so pressure is too high"})
	}
	if p.smp.any && p.e.filter.MinWait > 0 {
		out = append(out, format.Warning{Code: "min-wait",
			Text: "samples do not tell how long a wait was: --min-wait leaves out none of the sampled ones"})
	}
	if !p.shows && p.e.byProv.Ns() <= running/hardlyAny {
		out = append(out, format.Warning{Code: "unseen-polling", Text: "threads that spin or sleep for a lock (here no samples, sleeps or dumps would show them)"})
	}
	return slices.Concat(out, farWarning(p.e.far), overflowWarning(p.e.overflown))
}
