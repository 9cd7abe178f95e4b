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
	names definer
	e     *emitter
	rec   *record
	cyc   *cycles
	smp   *sampler
	back  reacquiring
	ask   []ActivityVisitor
	cut   format.Event // scratch of visitActivity
	shows bool         // an event shows what threads did outside of waits, so spinning and sleeping would show
}

// Run reads a source to its end and gives every visitor its slices and running time.
// Sampled contention is charged as it is read; exact waits are kept until the source ends,
// at some 10 bytes each. Run returns the error of the source; everything before it has been
// charged.
func Run(src format.Source, f Filter, v ...Visitor) (*Trace, error) {
	defs := newDefinitions()
	out := newDispatcher(&Symbols{definitions: defs}, v)
	defer out.wait()
	p := &pass{names: definer{defs, out}, e: newEmitter(defs, f, out), rec: newRecord(), cyc: &cycles{}}
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
	p.names.use(ev)
	p.rec.add(ev)
}

// finish charges everything that had to wait for the end of the source, and sums up.
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
	tl, rebuilt := rec.activities.Timelines(e.defs, e.filter.Why)
	counted := 0
	if !smp.tells() {
		var unseen int64
		if counted, unseen = rec.runs(e.defs, start, end, e); rec.partlySeen() {
			tr.RunningHigh = e.running + unseen
		}
		if smp.any {
			tr.Start, tr.End = smp.bounds(start, end)
		}
	} else {
		asleep, awaiting := smp.resolveSleeps(&rec.sleeps, e.defs)
		tr.RunningHigh, p.back.sum.High = e.running+asleep, p.back.sum.High+awaiting
		tr.Start, tr.End = smp.bounds(start, end)
		counted = smp.before + smp.threads
	}
	rebuilt()
	tr.Whys = tl.Whys
	rec.sweep(tl, e, p.cyc)
	e.out.wait()
	rec.visitHolds(tl, e)
	rec.visitIdle(e)
	nonLock := newNonLockWaits(e)
	rec.visitMonitors(e)
	rec.visitNonLockWaits(nonLock)
	smp.visitNonLockWaits(nonLock)
	tr.Threads = max(counted, 0)
	tr.RunningNs = e.running
	tr.Reacquired = p.back.sum
	p.cyc.stuck(tl.Unlinked, e)
	tr.RunningHigh = max(tr.RunningHigh, e.running)
	lo, hi := max(tr.Start, e.from), min(tr.End, e.to)
	switch tr.ElapsedNs = max(0, hi-lo); {
	case !smp.tells():
		tr.ElapsedNs = max(rec.elapsed(lo, hi), within(unionOf(smp.recorded()), span{lo, hi}))
	case len(smp.coveredBefore) > 0 && rec.Waited() == 0:
		tr.ElapsedNs = within(unionOf(smp.recorded()), span{lo, hi})
	}
	tr.Pauses = rec.activities.Pauses()
	tr.Deadlocks = p.cyc.deadlocks(e.queued, e.since)
	tr.Coverage = Coverage{ByProvenance: e.byProv, Seen: tl.Seen, Stalls: smp.stalls.Stalls, Warnings: append(p.warnings(tl, tr.RunningHigh), relocated.warnings()...),
		Threshold: rec.threshold, Samples: smp.samples, Owned: rec.TellsOwners() || smp.showsOwners()}
	trust := tr.Coverage.Trust()
	tr.Coverage.Warnings = append(tr.Coverage.Warnings, disagreement(&trust)...)
	return tr
}

// pollingShare is the ratio of running time to waiting time above which waiting is rare.
// Contention may then take the form of spinning or sleeping, which some sources do not
// show.
const pollingShare = 20

// polls are the activities that would show a thread spinning or sleeping for a lock.
var polls = [...]bool{format.ActivityRun: true, format.ActivitySeen: true, format.ActivityRunnable: true, format.ActivitySleep: true}

// warnings returns the reasons to doubt the results.
func (p *pass) warnings(tl *owners.Timelines, running int64) []format.Warning {
	out := slices.Concat(p.rec.warnings(p.e.defs, tl, running), p.back.warning(), p.smp.stalls.warning())
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
