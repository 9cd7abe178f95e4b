package document

import (
	"contend/analysis"
	"contend/format"
)

// Verify is the document of `contend verify`.
type Verify struct {
	Schema     string   `json:"schema"`
	Inputs     []string `json:"inputs"`
	Format     string   `json:"format"`
	Whole      bool     `json:"whole"`
	Events     int64    `json:"events"`     // read
	EventsLost *int64   `json:"eventsLost"` // null when unknown
	BytesRead  int64    `json:"bytesRead"`
	BytesLost  int64    `json:"bytesLost"`
	StartNs    *int64   `json:"startNs"` // of the first event read; null when none has a time
	EndNs      *int64   `json:"endNs"`   // of the last
	LostNs     int64    `json:"lostNs"`  // time within it with missing data
	Damage     []Damage `json:"damage"`
	Places     int64    `json:"places"` // damage holds the first of these
}

// Damage is one place where the input is damaged.
type Damage struct {
	Input   string `json:"input"`
	Offset  int64  `json:"offset"`         // in bytes; after decompression when the input is compressed
	Line    int    `json:"line,omitempty"` // of text, from 1; then offset may be 0
	Code    string `json:"code"`           // lost-data, truncated
	Why     string `json:"why"`
	Bytes   int64  `json:"bytes"`   // not read
	Events  *int64 `json:"events"`  // lost; null when not known
	FromNs  *int64 `json:"fromNs"`  // the interval with missing data; null if not known
	UntilNs *int64 `json:"untilNs"` // the end of the interval; null if it is lost, too
}

// NewVerify builds the document of a trace with events in [from, until), NoTime if they have no times;
// top limits the places of damage, 0 means all.
func NewVerify(inputs []string, s format.Stats, from, until int64, top int) *Verify {
	v := &Verify{
		Schema:    "contend.verify/1",
		Inputs:    inputs,
		Format:    s.Format,
		Whole:     s.Damage.Whole(),
		Events:    s.Events,
		BytesRead: s.BytesRead,
		BytesLost: s.BytesTotal - s.BytesRead,
		StartNs:   instant(from),
		EndNs:     instant(until),
		Damage:    []Damage{},
		Places:    int64(len(s.Damage.Places)) + s.Damage.Omitted,
	}
	lost, known := int64(0), s.Damage.Omitted == 0
	var gaps analysis.Union
	for i := range s.Damage.Places {
		d := &s.Damage.Places[i]
		lost, known = lost+d.Events, known && d.Events != format.UnknownEvents
		if d.From != format.NoTime {
			end := until
			if d.Until != format.NoTime {
				end = min(d.Until, until)
			}
			gaps.AddInterval(max(d.From, from), end)
		}
	}
	if known {
		v.EventsLost = &lost
	}
	v.LostNs = gaps.Len()
	for _, d := range limit(s.Damage.Places, top) {
		v.Damage = append(v.Damage, newDamage(d))
	}
	return v
}

func newDamage(d format.Damage) Damage {
	out := Damage{
		Input:   d.Pos.File,
		Offset:  d.Pos.Off,
		Line:    d.Pos.Line,
		Code:    d.Code,
		Why:     d.Why,
		Bytes:   d.Bytes,
		FromNs:  instant(d.From),
		UntilNs: instant(d.Until),
	}
	if d.Events != format.UnknownEvents {
		out.Events = &d.Events
	}
	return out
}

// instant returns nil for an unknown time.
func instant(t int64) *int64 {
	if t == format.NoTime {
		return nil
	}
	return &t
}
