package screen

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// Columns of a line's parts.
const (
	nameColumns = 20 // of the thread of a lane
	bitColumns  = 7  // of one kind of evidence
	minWhy      = 72 // of a whole line
)

// kinds are the heads of the columns of evidence.
var kinds = [...]string{"prior", "next", "alibi", "doing", "sample", "dump", "check"}

// marks are the characters of lanes and their meanings. Of several at one place, the first in the
// list is drawn.
var marks = []struct {
	mark  byte
	is    func(s *document.Span) bool
	means string
}{
	{'.', func(s *document.Span) bool { return s.What == "waits" && s.Here }, "waits for it"},
	{'w', func(s *document.Span) bool { return s.What == "waits" }, "waits for another lock"},
	{'z', func(s *document.Span) bool { return s.What == "asleep" || s.What == "idle" }, "asleep or idle"},
	{'+', func(s *document.Span) bool { return s.What != "holds" }, "sampled, or in I/O"},
	{'#', func(s *document.Span) bool { return s.Here && s.Known == "recorded" }, "holds it, recorded"},
	{'=', func(s *document.Span) bool { return s.Here }, "holds it, inferred"},
	{'o', func(*document.Span) bool { return true }, "holds another lock"},
}

// Why writes one wait: its suspects with the evidence for and against each in bits, then lanes over
// time, those of waiters above those of suspects. Lines have at least 72 columns; columns of 0 means
// 80.
func Why(w io.Writer, d *document.Why, columns int) error {
	out, plain := bufio.NewWriter(w), text.Plain{Paths: d.HasPaths()}
	columns = max(cmp.Or(columns, DefaultWidth), minWhy)
	which := fmt.Sprintf("number %s of %s", text.Number(int64(d.Rank)), text.Amount(d.Waits, "wait"))
	switch {
	case d.Waits == 1:
		which = "the only wait"
	case d.Rank == 1:
		which = "the longest of " + text.Amount(d.Waits, "wait")
	}
	known := d.Known
	if known == "inferred" &&
		!slices.ContainsFunc(d.Suspects, func(s document.Suspect) bool { return s.Evidence != nil }) {
		known += " from releases"
	}
	failed := map[bool]string{true: ", and gave up"}[d.Failed]
	for _, line := range []string{strings.Join(plain.Lock(d.Lock, d.Class, d.Site), " "),
		fmt.Sprintf("%s waited %s for it, from %s on, at %s%s", d.Thread, text.Duration(d.WaitNs),
			text.Seconds(d.StartNs-d.OriginNs()), plain.Name(d.WaitsAt), failed),
		fmt.Sprintf("%s; its owners are %s", which, known)} {
		fmt.Fprintln(out, text.Shorten(text.Sanitize(line), columns, text.Start))
	}
	suspects(out, d, plain, columns)
	lanes(out, d, columns)
	return out.Flush()
}

// lanes draws the activities of threads during the wait and, below those of a suspect, the
// locks that it held.
func lanes(out io.Writer, d *document.Why, columns int) {
	wide := columns - nameColumns - 3
	from, to := text.Seconds(d.FromNs-d.OriginNs()), text.Seconds(d.ToNs-d.OriginNs())
	fmt.Fprintf(out, "\n%*s%s%*s\n", nameColumns+2, "", from, wide-len(from), to)
	used, role := map[byte]bool{}, ""
	draw := func(name string, l *document.ThreadLane, holds bool) {
		if line, some := lane(d, l, wide, used, holds); some || !holds {
			name = text.Shorten(text.Sanitize(name), nameColumns, text.End)
			fmt.Fprintf(out, "  %s%*s%s\n", name, nameColumns-text.Columns(name), "", strings.TrimRight(line, " "))
		}
	}
	for i := range d.Lanes {
		l := &d.Lanes[i]
		if l.Role != role {
			role = l.Role
			fmt.Fprintln(out, role+"s")
		}
		draw(l.Thread, l, false)
		draw("  holds", l, true)
	}
	legend := []string{}
	for _, m := range marks {
		if used[m.mark] {
			legend = append(legend, fmt.Sprintf("%c %s", m.mark, m.means))
		}
	}
	for _, line := range wrapped(legend, columns-2) {
		fmt.Fprintln(out, "  "+line)
	}
}

// wrapped joins texts to lines of at most columns.
func wrapped(texts []string, columns int) (lines []string) {
	for _, one := range texts {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+2+len(one) < columns {
			lines[n] += ", " + one
		} else {
			lines = append(lines, one)
		}
	}
	return lines
}

// lane draws the holds of a thread, or its activities; some reports whether there are any.
// An instant takes a column.
func lane(d *document.Why, l *document.ThreadLane, wide int, used map[byte]bool, holds bool) (drawn string, some bool) {
	line := []byte(strings.Repeat(" ", wide))
	at := func(t int64) int {
		return int(float64(t-d.FromNs) / float64(max(d.ToNs-d.FromNs, 1)) * float64(wide))
	}
	for m := len(marks) - 1; m >= 0; m-- {
		for i := range l.Spans {
			s := &l.Spans[i]
			if first(s) != m || (s.What == "holds") != holds {
				continue
			}
			some, used[marks[m].mark] = true, true
			for c := min(at(s.StartNs), wide-1); c < max(at(s.EndNs), at(s.StartNs)+1) && c < wide; c++ {
				line[max(c, 0)] = marks[m].mark
			}
		}
	}
	return string(line), some
}

// first is the mark of a span.
func first(s *document.Span) int {
	for m := range marks {
		if marks[m].is(s) {
			return m
		}
	}
	return len(marks) - 1
}

// suspects lists the suspects with their evidence.
func suspects(out io.Writer, d *document.Why, plain text.Plain, columns int) {
	inferred, name := false, columns
	for i := range d.Suspects {
		inferred = inferred || d.Suspects[i].Evidence != nil
	}
	if inferred {
		name -= bitColumns * len(kinds)
	}
	head := "chance, and owner"
	if inferred {
		head = fmt.Sprintf("%-*s", name, head)
		for _, kind := range kinds {
			head += fmt.Sprintf("%*s", bitColumns, kind)
		}
	}
	fmt.Fprintln(out, "\n"+head)
	for i := range d.Suspects {
		s := &d.Suspects[i]
		label := fmt.Sprintf(
			"%3.0f %%  %s",
			100*s.Chance,
			text.Shorten(text.Sanitize(plain.Name(s.Site)), name-7, text.End),
		)
		fmt.Fprintf(out, "%s", label)
		if e := s.Evidence; e != nil {
			fmt.Fprintf(out, "%*s", name-text.Columns(label), "")
			for _, bits := range e.Each() {
				fmt.Fprintf(out, "%*s", bitColumns, bit(bits))
			}
		}
		fmt.Fprintln(out)
		if s.Thread != "" {
			fmt.Fprintln(out, "       by "+text.Shorten(text.Sanitize(s.Thread), columns-10, text.End))
		}
	}
	if inferred {
		fmt.Fprintln(out, "In bits for (+) and against (-), which add up to the odds: one bit doubles them.")
	}
}

// bit writes evidence; a dot stands for a negligible one.
func bit(v float64) string {
	if v > -0.05 && v < 0.05 {
		return "."
	}
	return fmt.Sprintf("%+.1f", v)
}
