package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// worstSubjects is how many subjects of a rule a table shows, unless more
// break it.
const worstSubjects = 1

// Check writes each rule with its verdict and what decided it.
func Check(w io.Writer, c *document.Check, o Options) error {
	g := &Grid{Title: checkHeading(c), Head: []string{"VERDICT", "VALUE", "LIMIT", "RULE", "SUBJECT"}, Left: left(5, 0, 3, 4), Flex: 4}
	for i := range c.Rules {
		r := &c.Rules[i]
		shown := 0
		for j := range r.Subjects {
			s := &r.Subjects[j]
			if shown >= worstSubjects && s.Status == "pass" {
				break
			}
			shown++
			g.Rows = append(g.Rows, []Cell{verdict(s.Status), Name(CheckValue(r.Unit, s.Value, s.PlusMinus)), Name(CheckLimit(r.Unit, s)), Name(r.Rule), Name(s.Name)})
		}
		if shown == 0 {
			g.Rows = append(g.Rows, []Cell{verdict(r.Status), none, none, Name(r.Rule), {"(nothing it names was waited for)", ""}})
		}
	}
	if err := g.Write(w, o); err != nil {
		return err
	}
	return checkNotes(w, c, o)
}

// checkHeading says what was checked and how it went.
func checkHeading(c *document.Check) string {
	failed := 0
	for _, r := range c.Rules {
		if r.Status != "pass" {
			failed++
		}
	}
	what := fmt.Sprintf("contention: all %d rules hold", len(c.Rules))
	if failed > 0 {
		what = fmt.Sprintf("contention: %d of %d rules do not hold", failed, len(c.Rules))
	}
	return text.Sanitize(what + ", " + strings.Join(inputsOf(c.Inputs), " "))
}

func verdict(status string) Cell {
	if status == "pass" {
		return Cell{"ok", status}
	}
	return Cell{strings.ToUpper(status), status}
}

// CheckValue writes a value in the unit of its rule, with its interval.
func CheckValue(unit string, v, half float64) string {
	switch unit {
	case "ratio":
		if half > 0 {
			return percent(v) + " ± " + percent(half)
		}
		return percent(v)
	case "ns":
		return text.Duration(int64(v))
	}
	return fmt.Sprintf("%.0f", v)
}

// CheckLimit writes what a value is held against, and for a change what it
// was and how much of it is noise.
func CheckLimit(unit string, s *document.CheckSubject) string {
	limit := CheckValue(unit, s.Limit, 0)
	if s.Base == nil {
		return limit
	}
	if *s.Noise > 0 {
		limit += " + " + CheckValue(unit, *s.Noise, 0) + " noise"
	}
	return limit + ", was " + CheckValue(unit, *s.Base, 0)
}

// checkNotes says what the traces could not tell.
func checkNotes(w io.Writer, c *document.Check, o Options) error {
	if o.Style == CSV {
		return nil
	}
	sep := ""
	if o.Style == Markdown {
		sep = "\n"
	}
	for _, note := range notesOf(slices.Concat(c.Inputs, c.Baseline)) {
		if _, err := fmt.Fprintln(w, wrap(note, "", o)+sep); err != nil {
			return err
		}
	}
	return nil
}
