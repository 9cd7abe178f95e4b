package format

import "contend/format/human"

// Damage is one place at which an input is damaged.
type Damage struct {
	Pos    Pos
	Code   string // lost-data: bytes cannot be read; truncated: bytes are missing
	Why    string // what was read, and the fault
	Bytes  int64  // bytes that were not read; 0 if the missing data was never in the input
	Events int64  // lost events; UnknownEvents if their number is not known
	From   int64  // ns since the epoch: start of the interval of the lost events; NoTime if unknown
	Until  int64  // its end
}

// UnknownEvents is the number of events lost to damage if it is not known.
const UnknownEvents int64 = -1

// DamageLog collects the damage of an input in the order in which it is found. It keeps
// maxDamage places and counts the others, so that a completely damaged file costs no more
// memory than another.
type DamageLog struct {
	Places  []Damage
	Omitted int64 // places beyond the limit
}

const maxDamage = 1 << 12

// AddDamage adds a place.
func (l *DamageLog) AddDamage(d Damage) {
	if len(l.Places) == maxDamage {
		l.Omitted++
		return
	}
	l.Places = append(l.Places, d)
}

// Join appends the damage of another input.
func (l *DamageLog) Join(o DamageLog) {
	for _, d := range o.Places {
		l.AddDamage(d)
	}
	l.Omitted += o.Omitted
}

// Whole reports whether nothing is damaged.
func (l *DamageLog) Whole() bool { return len(l.Places) == 0 }

// Gap returns the event that stands for the damage in the trace.
func (d *Damage) Gap() Event {
	return Event{Kind: KindGap, Time: d.From, End: d.Until, Bytes: d.Bytes, Name: d.Why}
}

// maxWarnings bounds the warnings of a badly damaged input.
const maxWarnings = 16

// Lose adds a place of damage, and warns of it.
func (s *Stats) Lose(d Damage) {
	text := human.Say("%v: %v", d.Pos, d.Why)
	if d.Bytes > 0 {
		text += human.Say("; %v bytes not read", d.Bytes)
	}
	s.Warn(d.Code, text)
	s.Damage.AddDamage(d)
}

// Warn adds a warning, unless there are many.
func (s *Stats) Warn(code, text string) {
	if len(s.Warnings) < maxWarnings {
		s.Warnings = append(s.Warnings, Warning{Code: code, Text: text})
	}
}

// CountLost sets the number of events lost to all damage so far, which a trace has at its
// end. Events beyond the known losses are added to the places with an unknown number.
func (l *DamageLog) CountLost(total int64) {
	var open *Damage
	for i := range l.Places {
		switch d := &l.Places[i]; {
		case d.Events != UnknownEvents:
			total -= d.Events
		case open != nil:
			return
		default:
			open = d
		}
	}
	if open != nil && total >= 0 && l.Omitted == 0 {
		open.Events = total
	}
}
