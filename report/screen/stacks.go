package screen

import (
	"fmt"

	"contend/analysis"
	"contend/report/document"
	"contend/report/text"
)

// stacks are the whole stacks of owners, innermost frame first.
func (s *screen) stacks() (lines []line) {
	if !s.Full || s.Stacks == nil || s.counts && len(s.Stacks.Rows) == 0 {
		return nil
	}
	for i := range s.Stacks.Rows {
		r := &s.Stacks.Rows[i]
		what := "held " + s.names.Class(r.Keys[1])
		if how := known(r.Provenance); how != "" {
			what += " (" + how + ")"
		}
		if len(r.Stack) == 0 {
			what += ": " + s.owner(r.Keys[0])
		}
		lines = append(lines, fill(fmt.Sprintf("%4s  ", percent(r.ThreadNs, s.Total.WaitNs)), s.Width, strong, prose(what)...)...)
		lines = append(lines, s.stack("        ", r.Stack)...)
	}
	if n := s.Stacks.Omitted; n > 0 {
		lines = append(lines, s.say("      ", fmt.Sprintf("and %s with %s (--top 0 shows all)", text.Amount(int64(n), "more stack"), s.amount(s.Stacks.OmittedNs)))...)
	}
	return lines
}

// stack is one frame a line, as the program calls it: nothing is shortened.
func (s *screen) stack(indent string, st document.Stack) (lines []line) {
	for i := range st {
		lines = append(lines, line{indent + text.Sanitize(analysis.StackText(st[i:i+1])), plain})
	}
	return lines
}
