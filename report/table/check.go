package table

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// maxSubjects is the number of subjects of a rule in a table, unless more break it.
const maxSubjects = 1

// Check writes each rule with its verdict and the subjects that decided it.
func Check(w io.Writer, c *document.Check, o Options) error {
	g := &Grid{
		Title: checkHeading(c),
		Head:  []string{"VERDICT", "VALUE", "LIMIT", "RULE", "SUBJECT"},
		Left:  left(5, 0, 3, 4),
		Under: []string{"SUBJECT"},
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		shown := 0
		for j := range r.Subjects {
			s := &r.Subjects[j]
			if shown >= maxSubjects && s.Status == "pass" {
				break
			}
			shown++
			g.Rows = append(
				g.Rows,
				[]Cell{
					verdict(s.Status),
					Name(measuredValue(r.Unit, s)),
					Name(checkLimit(r.Unit, s)),
					Name(r.Rule),
					{subject(c, s.Name), s.Name},
				},
			)
		}
		if shown == 0 {
			g.Rows = append(g.Rows, []Cell{verdict(r.Status), none, none, Name(r.Rule), {noSubject(r), ""}})
		}
	}
	notes := slices.Concat(doubts(c), perElapsed(c), notesOf(slices.Concat(c.Inputs, c.Baseline)))
	var b bytes.Buffer
	if err := (report{grids: []*Grid{g}, tail: notes}).write(&b, o); err != nil {
		return err
	}
	if o.Style == Markdown && len(notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := w.Write(colored(b.Bytes(), o))
	return err
}

// subject returns the name of the subject of a rule; a class of locks has the name of other
// commands.
func subject(c *document.Check, name string) string {
	for i := range c.Inputs {
		places := c.Inputs[i].Coverage.Places()
		if _, n := places.OfClass(name); n > 0 {
			return text.LocksOf(name, places)
		}
	}
	return name
}

// The verdicts of rules that do not hold, in capitals at the beginning of lines.
var (
	failed    = regexp.MustCompile(`(?m)^ (FAIL)\b`)
	undecided = regexp.MustCompile(`(?m)^ (UNDECIDED)\b`)
)

// colored marks failed rules in red and undecided ones in yellow, on terminals with colours.
func colored(out []byte, o Options) []byte {
	if !o.Color {
		return out
	}
	out = failed.ReplaceAll(out, []byte(" \x1b[1;31m$1\x1b[0m"))
	return undecided.ReplaceAll(out, []byte(" \x1b[1;33m$1\x1b[0m"))
}

// checkHeading writes the inputs and the result.
func checkHeading(c *document.Check) string {
	var parts []string
	say := func(status, one, many string) {
		n := 0
		for _, r := range c.Rules {
			if r.Status == status {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, ofRules(n, len(c.Rules), one, many))
		}
	}
	say("fail", "does not hold", "do not hold")
	say("undecided", "is undecided", "are undecided")
	if len(parts) == 0 {
		parts = []string{ofRules(len(c.Rules), len(c.Rules), "holds", "hold")}
	}
	return "contention: " + strings.Join(parts, ", ") + ", " + strings.Join(inputsOf(c.Inputs), " ")
}

// ofRules writes the number of rules with a property.
func ofRules(n, all int, one, many string) string {
	switch {
	case all == 1:
		return "the rule " + one
	case n == all:
		return fmt.Sprintf("all %d rules %s", all, many)
	case n == 1:
		return fmt.Sprintf("1 of %d rules %s", all, one)
	}
	return fmt.Sprintf("%d of %d rules %s", n, all, many)
}

func verdict(status string) Cell {
	if status == "pass" {
		return Cell{"ok", status}
	}
	return Cell{strings.ToUpper(status), status}
}

// measuredValue writes the value of a subject with its range, or else its 95 % interval.
func measuredValue(unit string, s *document.CheckSubject) string {
	if s.Range != nil {
		return ratioRange(s.Range)
	}
	return checkValue(unit, s.Value, s.PlusMinus)
}

// ratioRange writes the range of a share.
func ratioRange(r *document.Shares) string {
	return strings.TrimSuffix(percent(r.Low), " %") + " to " + percent(r.High)
}

// checkValue writes a value in the unit of its rule, with its interval.
func checkValue(unit string, v float64, plusMinus *float64) string {
	half := 0.0
	if plusMinus != nil {
		half = *plusMinus
	}
	switch unit {
	case "ratio":
		if half > 0 {
			return percent(v) + " ± " + percent(half)
		}
		return percent(v)
	case "ns":
		return text.Duration(int64(v))
	case "threads":
		if half > 0 {
			return onAverage(v) + " ± " + onAverage(half)
		}
		return onAverage(v)
	}
	return fmt.Sprintf("%.0f", v)
}

// checkLimit writes the limit of a value; for a change, with the base and the noise.
func checkLimit(unit string, s *document.CheckSubject) string {
	limit := checkValue(unit, s.Limit, nil)
	if s.Base == nil {
		return limit
	}
	if *s.Noise > 0 {
		limit += " + " + checkValue(unit, *s.Noise, nil) + " noise"
	}
	return limit + ", was " + checkValue(unit, *s.Base, nil)
}

// perElapsed notes the measure of changes of shares.
func perElapsed(c *document.Check) (notes []string) {
	for _, r := range c.Rules {
		if r.Unit == "threads" && len(r.Subjects) > 0 && r.Subjects[0].Base != nil &&
			!strings.Contains(r.Rule, "waiting(") {
			notes = append(notes, r.Rule+": compares threads waiting on average, "+
				"which is waiting over the time elapsed: "+
				"pressure is over the running time, which changes with the waiting")
		}
	}
	return notes
}

// doubts returns the reasons of undecided rules, each once.
func doubts(c *document.Check) (notes []string) {
	rules := map[string][]string{}
	var order []string
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Status != "undecided" {
			continue
		}
		reason := r.Reason
		if r.Hint != "" {
			reason += "; " + r.Hint
		}
		if rules[reason] == nil {
			order = append(order, reason)
		}
		rules[reason] = append(rules[reason], r.Rule)
	}
	for _, reason := range order {
		notes = append(notes, "undecided: "+strings.Join(rules[reason], ", ")+": "+reason)
	}
	return notes
}

// noSubject says why a rule has no subject.
func noSubject(r *document.CheckRule) string {
	if r.Unit == "count" {
		return "(none was found)"
	}
	return "(nothing it names was waited for)"
}
