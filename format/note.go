package format

import (
	"math"
	"strconv"
	"strings"
)

// The names of notes that are not codes of warnings.
const (
	noteUnit  = "unit"
	noteBlind = "blind"
	noteDumps = "dumps"
)

// HalfNs returns half of the 95 % interval of the waiting at declared sites.
func (s *Stats) HalfNs() (ns int64) {
	for _, w := range s.Warnings {
		if w.Code == CodeDeclaredSites {
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
		case w.Code == CodeVirtualThreads && w.Hidden > 0 && ns < math.MaxInt64-w.Hidden:
			ns += w.Hidden
		case w.Code == CodeVirtualThreads || w.Code == CodeUnlistedThreads || w.Code == CodeUnseenSites:
			return math.MaxInt64
		}
	}
	return ns
}

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
	if s.DeadlockDumps > 0 {
		add(noteDumps, strconv.Itoa(s.DeadlockDumps), 0)
	}
	for _, w := range s.Warnings {
		add(w.Code, strings.TrimSuffix(w.Text+hintMark+w.Hint, hintMark), w.Hidden)
	}
	if !s.Damage.Whole() {
		add(CodeDamagedSource, "the input this trace was made of was damaged", 0)
	}
	return list
}

// hintMark is between the text and the hint of a warning in a note.
const hintMark = "\n"

// maxNotes bounds the notes of a damaged or foreign trace.
const maxNotes = 64

// AddNote adds a note to the warnings of this trace. It ignores invalid units and numbers.
func (s *Stats) AddNote(ev *Event) {
	switch ev.Name {
	case noteUnit:
		if u := Unit(ev.Value); u == UnitThreads || u.Summed() {
			s.Unit = u
		}
	case noteBlind:
		s.Blind = ev.Value
	case noteDumps:
		if n, err := strconv.Atoi(ev.Value); err == nil && n > 0 {
			s.DeadlockDumps = n
		}
	default:
		if len(s.Warnings) < maxNotes {
			text, hint, _ := strings.Cut(ev.Value, hintMark)
			s.Warnings = append(s.Warnings, Warning{Code: ev.Name, Text: text, Hint: hint, Hidden: max(ev.Weight, 0)})
		}
	}
}
