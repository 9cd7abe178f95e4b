package format

import (
	"math"
	"strconv"
)

// The names of notes that are no codes of warnings.
const (
	noteUnit  = "unit"
	noteBlind = "blind"
	noteDumps = "dumps"
)

// DamagedSource is the code of the warning that the input a trace was made of
// was damaged. The trace itself may be whole.
const DamagedSource = "damaged-source"

// FewerSamples is the code of the warning that a recorder took fewer samples than it
// was asked for, since they cost too much or its stops took long.
const FewerSamples = "fewer-samples"

// HiddenVirtual is the code of the warning that waits of virtual threads are not
// recorded. Without Hidden nothing bounds them.
const HiddenVirtual = "virtual-threads"

// UnseenSites is the code of the warning that rules declare sites of locks, and no input
// shows whether threads wait at them.
const UnseenSites = "unseen-sites"

// SampledSites is the code of the warning that waits at declared sites are estimated from
// samples. Hidden is half of their 95 % interval.
const SampledSites = "declared-sites"

// HalfNs returns half of the 95 % interval of the waiting at declared sites.
func (s *Stats) HalfNs() (ns int64) {
	for _, w := range s.Warnings {
		if w.Code == SampledSites {
			ns += w.Hidden
		}
	}
	return ns
}

// HiddenNs returns an upper bound of the waiting that an input hides, of virtual threads or
// at declared sites; math.MaxInt64 if there is none.
func (s *Stats) HiddenNs() (ns int64) {
	for _, w := range s.Warnings {
		switch {
		case w.Code == HiddenVirtual && w.Hidden > 0 && ns < math.MaxInt64-w.Hidden:
			ns += w.Hidden
		case w.Code == HiddenVirtual || w.Code == UnlistedThreads || w.Code == UnseenSites:
			return math.MaxInt64
		}
	}
	return ns
}

// RuntimeDeadlock is the code of the warning that the runtime itself found a deadlock,
// which it does not say more of.
const RuntimeDeadlock = "deadlock"

// LikelyDeadlock is the code of the warning that stacks have the shape of a deadlock,
// although no owner is known.
const LikelyDeadlock = "likely-deadlock"

// ByWaiter is the code of the warning that an input has the stacks of waiters and no
// owners.
const ByWaiter = "by-waiter"

// UnlistedThreads is the code of the warning that virtual threads may be missing in
// thread dumps.
const UnlistedThreads = "unlisted-threads"

// Notes returns the warnings of a reader as events, so that a copy of the input carries them,
// too.
func (s *Stats) Notes() (list []Event) {
	add := func(name, value string, weight int64) {
		list = append(list, Event{Kind: KindNote, Name: name, Value: value, Weight: weight})
	}
	if s.Unit != UnitTime {
		add(noteUnit, string(s.Unit), 0)
	}
	if s.Blind != "" {
		add(noteBlind, s.Blind, 0)
	}
	if s.Dumps > 0 {
		add(noteDumps, strconv.Itoa(s.Dumps), 0)
	}
	for _, w := range s.Warnings {
		add(w.Code, w.Text, w.Hidden)
	}
	if !s.Damage.Whole() {
		add(DamagedSource, "the input this trace was made of was damaged", 0)
	}
	return list
}

// mostNotes bounds the notes of a damaged or foreign trace.
const mostNotes = 64

// Note adds a note to the warnings of this trace. It ignores invalid units and numbers.
func (s *Stats) Note(ev *Event) {
	switch ev.Name {
	case noteUnit:
		if u := Unit(ev.Value); u == UnitThreads || u.Summed() {
			s.Unit = u
		}
	case noteBlind:
		s.Blind = ev.Value
	case noteDumps:
		if n, err := strconv.Atoi(ev.Value); err == nil && n > 0 {
			s.Dumps = n
		}
	default:
		if len(s.Warnings) < mostNotes {
			s.Warnings = append(s.Warnings, Warning{Code: ev.Name, Text: ev.Value, Hidden: max(ev.Weight, 0)})
		}
	}
}
