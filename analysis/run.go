// Package analysis turns the events of a trace into slices: intervals in which threads
// waited for one lock and the wait-for graph did not change, each charged to the lock's
// owner. It reads no file, sums nothing but coverage, and prints nothing.
//
// Its files, each of which uses only what comes after it:
//
//	run.go          reading a source to its end
//	warnings.go     reasons to doubt the results
//	lifetimes.go    running time: the lifetimes of threads less their idle time
//	inputs.go       when the threads of each input were visible
//	sweep.go        turning recorded waits and owners into slices
//	flush.go        emitting the slices that a change ends
//	queuegroup.go   charging the waiters of a long queue together
//	openwaits.go    the waits in progress at one instant
//	stuck.go        deadlocks that only thread dumps show
//	holds.go        holds, recorded or rebuilt, for the visitors that ask
//	sampled.go      collecting samples from events and charging them in order
//	nonlock.go      waits that are not for locks, for the visitors that ask
//	reacquire.go    acquiring locks again after Object.wait and await
//	sleeps.go       which sleeps are inside critical sections
//	scaled.go       postponing samples until the measured waiting is known
//	sampler.go      one sample: the time it stands for, its graph, its slices
//	sleepinstants.go which sampled sleeps are inside critical sections
//	measured.go     measured waiting, and the factors it gives
//	instant.go      the contended locks of one sampling instant
//	relocate.go     merging the addresses of locks that a collector moved
//	record.go       events that are kept until the source ends
//	monitors.go     waits at monitors that other threads end
//	unseen.go       threads without evidence for a while
//	sleepsites.go   idle times that count as running
//	gaps.go         where one input lost data
//	stalls.go       how late samples were taken
//	running.go      running time by interval
//	emit.go         applying the filter and booking slices for the visitors
//	paths.go        splitting an interval over every path through the graph
//	graph.go        the wait-for graph at one instant
//	definer.go      definitions that are read while visitors run
//	dispatcher.go   running visitors on goroutines of their own
//	batch.go        calls to visitors, in order
//	deadlock.go     numbering cycles in the graph
//	times.go        arithmetic on times
//	trace.go        the filter, and the result of Run
//	union.go        wall-clock time of intervals that overlap
//	spans.go        lists of intervals
//	waitqueue.go    wait queues, and visitors that follow them
//	names.go        owners and stacks as text
//	slice.go        the model: slices, and the visitors that receive them
//	symbols.go      resolving ids for visitors and reports
//	definitions.go  what a trace says about the things it names by ids
//	stackuses.go    what events show a stack doing
//	interner.go     strings as dense ids; long names are shortened
//	frames.go       which frames belong to the lock or the runtime
package analysis

import (
	"errors"
	"io"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// pass is one reading of a source. It hands each event to the parts that need it.
type pass struct {
	names  *Definer
	e      *emitter
	rec    *record
	cyc    *cycles
	smp    *sampler
	back   reacquiring
	sleeps sleepSites
	ask    []ActivityVisitor
	cut    format.Event // scratch of visitActivity
	shows  bool         // an event shows what threads did outside of waits, so spinning and sleeping would show
}

// Run reads a source to its end and gives every visitor its slices and running time.
// Sampled contention is charged as it is read; exact waits are kept until the source ends,
// at some 10 bytes each. Run returns the error of the source; everything before it has been
// charged.
func Run(src format.Source, f Filter, v ...Visitor) (*Trace, error) {
	names := NewDefiner()
	out := newDispatcher(names.Symbols(), v)
	names.Changing = out.wait
	defer out.wait()
	p := &pass{names: names, e: newEmitter(names.Symbols(), f, out), rec: newRecord(), cyc: &cycles{}}
	p.rec.monitors.asked = len(asking[NonLockVisitor](p.e)) > 0
	p.rec.endings.asked = p.rec.monitors.asked
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

// take hands an event to the parts that need it.
func (p *pass) take(ev *format.Event) {
	bound(ev)
	p.names.Use(ev)
	if ev.Kind == format.KindActivity && ev.Activity == format.ActivityTook {
		p.sleeps.holdsLock(ev.Stack)
		p.rec.Add(ev, ev.Time)
		return
	}
	if (ev.Kind == format.KindActivity || ev.Weight == format.EvidenceOnly) && p.back.note(ev, p.e.defs) {
		p.back.resolve(p.rec, p.e.defs, p.reacquired)
	}
	switch ev.Kind {
	case format.KindThread, format.KindObject, format.KindStack:
		p.names.Define(ev)
	case format.KindTick:
		p.smp.tick(ev)
	case format.KindContention:
		if ev.Weight != format.EvidenceOnly {
			p.smp.contention(ev)
		} else if !p.smp.link(ev) {
			p.rec.add(ev)
		}
	case format.KindBlocked:
		p.smp.measured.add(ev)
	case format.KindSetting:
		p.setting(ev)
	case format.KindActivity:
		p.shows = p.shows || int(ev.Activity) < len(polls) && polls[ev.Activity]
		p.visitActivity(ev)
		if !p.smp.addIdle(ev) {
			p.rec.add(ev)
		}
	default:
		p.rec.add(ev)
	}
}

// visitActivity gives an activity, cut by the filter, to the visitors that ask for it. A
// cut relative to a start that is not known yet counts from the first event.
func (p *pass) visitActivity(ev *format.Event) {
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

// setting takes a setting of the trace. A new input begins with one.
func (p *pass) setting(ev *format.Event) {
	if ev.Name == format.SettingInput {
		p.endInput()
		p.smp.begin()
		p.rec.next()
		p.rec.NextInput()
		p.names.NextInput(ev.Value)
	}
	p.rec.add(ev)
	p.rec.setting(ev)
	p.smp.setting(ev)
}

// unended adds the waits of the current input that only samples show, because they began
// before the recording or did not end within it. It adds none if the recorder leaves out
// short waits: then one such wait could be several.
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

// reacquired adds the wait in which a thread got a lock back after waiting on a condition.
func (p *pass) reacquired(ev *format.Event) {
	p.names.Use(ev)
	p.rec.add(ev)
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
func (p *pass) finish() *Trace {
	p.endInput()
	p.smp.finish()
	start, end := p.rec.bounds()
	p.e.begin(start)
	relocated := p.rec.relocate(p.names)
	w := p.rec.complete(p.e.defs.Kind)
	p.sleeps.classify(w.activities, p.e.defs)
	owned, inferred := w.activities.Timelines(p.e.defs, p.e.filter.Why)
	ran := p.bookRunning(&lifetimes{whole: w, sleeps: &p.sleeps}, start, end)
	inferred()
	newSweep(w, owned, p.e, p.cyc).run()
	p.e.out.wait()
	p.visitRest(w, owned)
	p.cyc.stuck(owned.Unlinked)
	return p.result(w, owned, ran, relocated)
}

// endInput resolves what had to wait for the end of an input.
func (p *pass) endInput() {
	p.back.resolve(p.rec, p.e.defs, p.reacquired)
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
	if p.smp.tells() {
		asleep, awaiting := p.smp.resolveSleeps(&p.sleeps, p.e.defs)
		p.back.sum.High += awaiting
		of.high, of.threads = p.e.running+asleep, max(p.smp.before+p.smp.threads, 0)
	} else {
		counted, unseen := r.runs(p.e.defs, start, end, p.e)
		if of.threads = counted; r.partlySeen() {
			of.high = p.e.running + unseen
		}
	}
	if of.start, of.end = start, end; p.smp.any {
		of.start, of.end = p.smp.bounds(start, end)
	}
	of.high = max(of.high, p.e.running)
	return of
}

// visitRest gives visitors that ask what is no wait for a lock, and holds.
func (p *pass) visitRest(w *whole, owned *owners.Timelines) {
	visitHolds(w, owned, p.e)
	visitIdle(w, p.e)
	nonLock := newNonLockWaits(p.e)
	visitMonitors(w, p.e)
	visitNonLockWaits(w, nonLock)
	p.smp.visitNonLockWaits(nonLock)
}

// result is what the pass found besides slices.
func (p *pass) result(w *whole, owned *owners.Timelines, of runTime, moved relocated) *Trace {
	tr := &Trace{Symbols: p.e.out.sym, Start: of.start, End: of.end, Threads: of.threads, RunningNs: p.e.running, RunningHigh: of.high,
		ElapsedNs: p.elapsed(max(of.start, p.e.from), min(of.end, p.e.to)), Reacquired: p.back.sum,
		Pauses: w.activities.Pauses(), Deadlocks: p.cyc.deadlocks(), Whys: owned.Whys}
	tr.Coverage = Coverage{ByProvenance: p.e.byProv, Seen: owned.Seen, Stalls: p.smp.stalls.Stalls, Warnings: append(p.warnings(w, owned, of.high), moved.warnings()...),
		Threshold: p.rec.threshold, Samples: p.smp.samples, Owned: p.rec.TellsOwners() || p.smp.showsOwners()}
	trust := tr.Coverage.Trust()
	tr.Coverage.Warnings = append(tr.Coverage.Warnings, disagreement(&trust)...)
	return tr
}

// elapsed returns how much of [lo, hi) was recorded.
func (p *pass) elapsed(lo, hi int64) int64 {
	sampled := within(unionOf(p.smp.recorded()), span{lo, hi})
	switch {
	case !p.smp.tells():
		return max(p.rec.elapsed(lo, hi), sampled)
	case len(p.smp.coveredBefore) > 0 && p.rec.Waited() == 0:
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
func (p *pass) warnings(w *whole, owned *owners.Timelines, running int64) []format.Warning {
	out := slices.Concat(recordWarnings(w, p.e.defs, owned, running), p.back.warning(), p.smp.stalls.warning())
	out = append(out, p.smp.measured.warning()...)
	if p.smp.tells() && p.rec.Waited() > 0 {
		out = append(out, format.Warning{Code: "mixed",
			Text: "sampled and exact waits are read together: running time is that of the samples alone, so pressure is too high"})
	}
	if p.smp.any && p.e.filter.MinWait > 0 {
		out = append(out, format.Warning{Code: "min-wait",
			Text: "samples do not tell how long a wait was: --min-wait leaves out none of the sampled ones"})
	}
	if !p.shows && p.e.byProv.Ns() <= running/pollingShare {
		out = append(out, format.Warning{Code: "unseen-polling", Text: "threads that spin or sleep for a lock (here no samples, sleeps or dumps would show them)"})
	}
	return slices.Concat(out, farWarning(p.e.far), overflowWarning(p.e.overflown))
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
