package decode

import (
	"slices"

	"contend/format"
	"contend/format/human"
)

// reach is how far from the first time of an input other times may be, in ns: 73 years, so
// that dumps without a date can be read with others. All times are between 1824 and 2116, so
// that differences of times fit into int64 after the decoders.
const (
	reach  = int64(1) << 61
	oldest = -int64(1) << 62
	latest = int64(1)<<62 - 1
)

// admission compares the times of an input with each other. A time that no clock can have
// given is damage: the event is counted, reported and left out.
type admission struct {
	first     int64 // time of the input
	begun     bool
	refused   int64 // events
	recorders recorders
}

// admits reports whether an event may be used.
func (a *admission) admits(ev *format.Event) bool {
	if a.recorders.hides(ev) {
		return false
	}
	if !ev.Kind.Timed() {
		return true
	}
	if !a.begun {
		a.first, a.begun = ev.Time, oldest <= ev.Time && ev.Time <= latest
	}
	if !a.begun || !a.near(ev.Time) || ends(ev.Kind) && !a.near(ev.End) || ev.Intended != 0 && !a.near(ev.Intended) ||
		ev.Weight > reach || ev.Weight < -reach || ev.Again > reach || ev.Again < 0 {
		a.refused++
		return false
	}
	return true
}

func (a *admission) near(t int64) bool {
	return max(oldest, a.first-reach) <= t && t <= min(a.first+reach, latest)
}

// ends reports whether events of a kind have an end.
func ends(k format.Kind) bool {
	switch k {
	case format.KindRecording, format.KindWait, format.KindTenure, format.KindActivity, format.KindPause:
		return true
	}
	return false
}

// admitted is a Source that drops events with a time out of reach.
type admitted struct {
	Source
	name      string
	admission admission
}

// Read implements format.Source.
func (a *admitted) Read(ev *format.Event) error {
	for {
		if err := a.Source.Read(ev); err != nil || a.admission.admits(ev) {
			return err
		}
	}
}

// Stats implements Source and includes the refused events.
func (a *admitted) Stats() format.Stats {
	s := a.Source.Stats()
	if a.admission.refused > 0 {
		why := human.Say(
			"impossible times, or times decades from the others: %s left out",
			human.Some(int(a.admission.refused), "event is", "events are"),
		)
		s.Warnings, s.Damage.Places = slices.Clip(s.Warnings), slices.Clip(s.Damage.Places) // the decoder keeps its own
		s.Warnings = append(s.Warnings, format.Warning{Code: format.CodeWildTimes, Text: a.name + ": " + why})
		s.Damage.AddDamage(
			format.Damage{
				Pos:    format.Pos{File: a.name},
				Code:   format.CodeLostData,
				Why:    why,
				Events: a.admission.refused,
				From:   format.NoTime,
				Until:  format.NoTime,
			},
		)
	}
	return s
}
