package threaddump

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"time"

	"contend/decode/rules"
	"contend/format"
	"contend/format/human"
)

// Reader is a format.Source over the thread dumps of one or several inputs, in order of
// their time. Each dump is a tick, and each contended lock in it a contention event, which
// stands for the time half way to the dumps before and after it. Nothing is charged before
// the first dump or after the last. All inputs are treated as one process: a thread has the
// same id in all dumps, and so has a lock that keeps its class and address.
//
// A single dump has no durations, nor have dumps without times: each then weighs 1, and
// Stats gives the unit.
type Reader struct {
	inputs    []*pending
	clock     clock
	run       []*Dump // the next dumps, all of one second
	names     dumpNames
	dumps     int
	timed     bool
	last      int64
	missing   missing
	processes processes
}

// NewReader returns a reader of the dumps in one input, of which some lines and bytes are
// already read. The rules separate locks from idle waiting; nil means the default. The
// error is a *format.Error: ErrNotMine for text without a dump, ErrTruncated if the input
// ends or is damaged before a dump begins.
func NewReader(in *bufio.Reader, name string, t *rules.Table, line int, off int64) (*Reader, error) {
	p := &pending{stream: newStream(in, name, line, off)}
	if !p.advance() {
		return nil, p.stream.notMine()
	}
	return &Reader{inputs: []*pending{p}, names: newDumpNames(t), last: format.NoTime}, nil
}

// Join takes over the inputs of another reader, so that all dumps come in
// order of time. Neither may have been read from.
func (r *Reader) Join(other *Reader) { r.inputs = append(r.inputs, other.inputs...) }

// Read implements format.Source. Its only error is io.EOF: Stats reports damage.
func (r *Reader) Read(ev *format.Event) error { return r.names.Next(ev, r.step) }

// Close implements io.Closer: the input belongs to the caller.
func (r *Reader) Close() error { return r.names.Close() }

func (r *Reader) step() {
	if d := r.next(); d != nil {
		r.deliver(d)
	} else {
		r.names.Ended = io.EOF
	}
}

// earliest returns the input with the earliest dump, nil when none is left.
func (r *Reader) earliest() *pending {
	for {
		p := earliest(r.inputs)
		if p == nil || p.dump != nil {
			return p
		}
		p.resume()
	}
}

// maxRun bounds the dumps of one second that are kept.
const maxRun = 1000

// next returns the earliest dump left, at its refined time; nil when there is none.
func (r *Reader) next() *Dump {
	if len(r.run) == 0 {
		d := r.fetch()
		if d == nil {
			return nil
		}
		r.run = append(r.run, d)
		if !r.clock.byUptime(d) {
			for p := r.earliest(); p != nil && len(r.run) < maxRun && sameSecond(d, p.dump); p = r.earliest() {
				r.run = append(r.run, r.fetch())
			}
			spread(r.run)
		}
	}
	d := r.run[0]
	r.run = slices.Delete(r.run, 0, 1)
	if r.dumps == 0 {
		r.timed = d.Time != format.NoTime && r.series(d)
	}
	r.dumps++
	return d
}

// series reports whether the dumps read ahead have several of one process: one of each of
// several processes measures no time.
func (r *Reader) series(first *Dump) bool {
	r.earliest() // reads ahead
	var seen processes
	seen.addDump(first)
	another := func(d *Dump) bool { return !seen.addDump(d) }
	return slices.ContainsFunc(r.run, another) || slices.ContainsFunc(r.inputs, func(p *pending) bool {
		return p.reopen != nil || p.dump != nil && another(p.dump) ||
			slices.ContainsFunc(p.ahead, func(a readAhead) bool { return another(a.dump) })
	})
}

// fetch removes the earliest dump from its input.
func (r *Reader) fetch() *Dump {
	p := r.earliest()
	if p == nil {
		return nil
	}
	d := p.dump
	if d.Cut || d.Fused {
		r.missing.cut = append(r.missing.cut, p.cut)
		r.names.Said.Damage.AddDamage(p.cut)
	}
	if d.Mixed {
		r.missing.mixed++
	}
	if d.Garbled > 0 {
		lost := p.stream.damage(garbled(d), d.Time)
		lost.Code, lost.Events = format.CodeLostData, int64(d.Garbled)
		r.missing.cut = append(r.missing.cut, lost)
		r.names.Said.Damage.AddDamage(lost)
	}
	p.advance()
	return d
}

// dumpDistance is the time between dumps without times.
const dumpDistance = int64(time.Second)

// when returns the instant of a dump; no two dumps have the same one.
func (r *Reader) when(d *Dump) int64 {
	at := d.Time
	switch {
	case r.last == format.NoTime && at == format.NoTime:
		at = 0
	case r.last == format.NoTime:
	case !r.timed:
		at = max(at, r.last+dumpDistance)
	case at <= r.last:
		r.missing.disordered++
		at = r.last + 1
	}
	r.last = at
	return at
}

// deliver queues the events of a dump.
func (r *Reader) deliver(d *Dump) {
	next := r.processes.addDump(d)
	if next {
		r.names.Push(format.Event{Kind: format.KindSetting, Name: format.SettingInput})
	}
	if r.timed && (next || r.last == format.NoTime) {
		r.names.Push(format.Event{Kind: format.KindSetting, Name: format.SettingReach, Value: format.ReachBetween})
	}
	at, weight := r.when(d), format.WeightFromTicks
	if !r.timed {
		weight = 1
	}
	r.names.Said.Events += int64(len(d.Threads))
	r.missing.hides = r.missing.hides || d.mayHide()
	r.missing.spread = max(r.missing.spread, d.Spread)
	if d.Telling() {
		r.names.Said.DeadlockDumps++
	}
	r.missing.initialises = d.Initialises() // in a deadlock it stays
	r.missing.unnamedNow = 0
	d.placeWaits()
	s := r.names.snapshot(d, &r.missing)
	r.missing.lists(d)
	r.missing.guess(d)
	r.missing.holding(d)
	r.names.Push(format.Event{Kind: format.KindTick, Time: at, Weight: weight, Live: s.live, IdleThreads: s.idle})
	for i := range s.others {
		s.others[i].Time, s.others[i].End = at, at
	}
	r.names.Push(s.others...)
	for i := range s.locks {
		ev := s.locks[i]
		ev.Time, ev.Weight = at, weight
		r.names.Push(ev)
	}
}

// Stats implements decode.Source.
func (r *Reader) Stats() format.Stats {
	s := r.names.Said
	s.Damage.Places = slices.Clip(s.Damage.Places)
	s.Format = r.inputs[0].stream.format
	for _, p := range r.inputs {
		s.BytesRead += p.stream.bytes()
		if p.stream.format != s.Format {
			s.Format = "thread dumps"
		}
		if p.stream.broken != nil && !errors.Is(p.stream.broken, io.EOF) {
			s.Warnings = append(
				s.Warnings,
				format.Warning{Code: format.CodeTruncated, Text: p.stream.name + ": the input ends early"},
			)
			s.Damage.AddDamage(p.stream.damage("the input ends early", format.NoTime))
		}
	}
	s.BytesTotal = s.BytesRead
	if s.DeadlockDumps == 0 {
		s.Blind = "not all threads that may hold a lock are in a thread dump, or no locks are"
	} else if n := r.missing.unnamedNow; n > 0 {
		s.Blind = "the last thread dump does not name the " + human.Some(n, "lock that a thread waits",
			"locks that threads wait") + " for"
	} else if in := r.missing.initialises; in != "" {
		s.Blind = UnmarkedWaits(in)
	}
	if !r.timed {
		s.Unit = format.UnitThreads
	}
	s.Warnings = append(s.Warnings, r.missing.warnings(r.dumps, r.timed)...)
	if n := r.names.reusedIDs; n > 0 && !r.processes.mixed && len(r.processes.threads) > 1 {
		s.Warnings = append(
			s.Warnings,
			format.Warning{
				Code: format.CodeSeveralProcesses,
				Text: human.Say(
					"the thread dumps are of %v processes, one after the other: the time between them counts for none",
					len(r.processes.threads),
				),
			},
		)
	} else if n > 0 {
		s.Warnings = append(s.Warnings, format.Warning{Code: format.CodeSeveralProcesses,
			Text: human.Some(n, "thread has", "threads have") + " the number of another thread: these dumps are of " +
				"several processes, and treated as one; labels (a=1.txt b=2.txt) separate them"})
	}
	if n := r.names.relocations.count; n > 0 {
		s.Warnings = append(
			s.Warnings,
			format.Warning{
				Code: format.CodeMoved,
				Text: human.Say(
					"locks changed their address %v times between dumps, judging by their waiters: they are treated "+
						"as the same locks",
					n,
				),
			},
		)
	}
	return s
}
