package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// Verify writes the damaged places of a trace, one a row, and the total loss.
func Verify(w io.Writer, v *document.Verify, o Options) error {
	g := &Grid{
		Title: verifyHeading(v),
		Head:  []string{"PLACE", "BYTES", "EVENTS", "FROM", "UNTIL", "DAMAGE"},
		Left:  left(6, 0, 5),
		CSV:   []string{"place", "bytes", "events", "from_ns", "until_ns", "damage"},
		Notes: verifyNotes(v),
	}
	for i := range v.Damage {
		d := &v.Damage[i]
		g.Rows = append(
			g.Rows,
			[]Cell{
				Name(place(d)),
				Count(d.Bytes),
				known(d.Events),
				since(v.StartNs, d.FromNs),
				since(v.StartNs, d.UntilNs),
				Name(d.Why),
			},
		)
	}
	if len(g.Rows) == 0 && o.Style == Text {
		return report{tail: []string{g.Title}}.write(w, o)
	}
	return report{grids: []*Grid{g}}.write(w, o)
}

func verifyHeading(v *document.Verify) string {
	inputs := strings.Join(v.Inputs, " ")
	if v.Whole {
		return fmt.Sprintf(
			"%s: whole: %s, %s, %s bytes",
			inputs,
			v.Format,
			text.Amount(v.Events, "event"),
			text.Number(v.BytesRead),
		)
	}
	return fmt.Sprintf(
		"%s: damaged in %s: %s, %s events read",
		inputs,
		text.Amount(v.Places, "place"),
		v.Format,
		text.Number(v.Events),
	)
}

// verifyNotes write the total loss, and the origin of the times.
func verifyNotes(v *document.Verify) (notes []string) {
	if v.Whole {
		return nil
	}
	total := v.BytesLost + v.BytesRead
	notes = append(
		notes,
		fmt.Sprintf(
			"not read: %s of %s bytes (%s), %s",
			text.Number(v.BytesLost),
			text.Number(total),
			Share(v.BytesLost, total).Text,
			lostEvents(v.EventsLost),
		),
	)
	if v.StartNs != nil && v.EndNs != nil {
		span := *v.EndNs - *v.StartNs
		notes = append(notes, fmt.Sprintf("something is missing within %s of %s (%s); times count from the first event",
			text.Duration(v.LostNs), text.Duration(span), Share(v.LostNs, span).Text))
	}
	if left := v.Places - int64(len(v.Damage)); left > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s places (--top 0 shows all)", text.Number(left)))
	}
	return notes
}

func lostEvents(n *int64) string {
	if n == nil {
		return "the number of events is not known"
	}
	return text.Amount(*n, "event")
}

// place returns the place of damage in the form of errors.
func place(d *document.Damage) string {
	return format.Pos{File: d.Input, Off: d.Offset, Line: d.Line}.String()
}

// known is a cell for a number that may be unknown.
func known(n *int64) Cell {
	if n == nil {
		return Cell{"?", ""}
	}
	return Count(*n)
}

// since is a cell for an instant as the time since another; either may be unknown.
func since(start, at *int64) Cell {
	if at == nil || start == nil {
		return Cell{"?", ""}
	}
	return Cell{text.Duration(*at - *start), strconv.FormatInt(*at, 10)}
}
