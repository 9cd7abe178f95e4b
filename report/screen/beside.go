package screen

import (
	"fmt"

	"contend/report/document"
	"contend/report/text"
)

// besides is how many resources a screen names.
const besides = 2

// beside names the resources that threads waited for longest, which are no
// locks, and sums up what has nothing to do.
func (s *screen) beside() (lines []line) {
	named := min(len(s.Resources), besides)
	var parts []string
	for _, r := range s.Resources[:named] {
		parts = append(parts, prose(s.resource(r)+",")...)
	}
	if more := s.ResourceTotal.WaitNs - waited(s.Resources[:named]); more > 0 && named > 0 {
		parts = append(parts, prose(fmt.Sprintf("%s elsewhere,", s.amount(more)))...)
	}
	if s.IdleTotal.Waiters > 0 {
		parts = append(parts, prose(s.amount(s.IdleTotal.WaitNs)+" idle,")...)
	}
	if len(parts) == 0 {
		return nil
	}
	return fill("no locks: ", s.Width, plain, append(parts, prose("see --idle")...)...)
}

// resource says how long how many threads waited for one, and where.
func (s *screen) resource(r document.Resource) string {
	where := s.simple(r.What)
	if r.Site != "" {
		where += " at " + s.simple(r.Site)
	}
	return fmt.Sprintf("%s in %s (%s)", s.amount(r.WaitNs), where, s.threads(int64(r.Waiters)))
}

// amount is a length of time, or a number of threads seen.
func (s *screen) amount(ns int64) string {
	if s.counts {
		return text.Number(ns)
	}
	return text.Duration(ns)
}

func waited(rows []document.Resource) (ns int64) {
	for _, r := range rows {
		ns += r.WaitNs
	}
	return ns
}
