package screen

import (
	"slices"
	"strings"

	"contend/report/document"
)

// advice says what to do about the biggest lock where no finding does: what most
// of its waiting points to.
func (s *screen) advice(g *group) []line {
	if g.WaitNs == 0 || len(s.Deadlocks) > 0 || slices.ContainsFunc(s.Findings, func(f document.Finding) bool { return f.Class == g.Class }) {
		return nil
	}
	return fill("      -> ", s.Width, plain, prose(s.try(g))...)
}

// advised is the part of a lock's waiting that something must cause for advice
// to be about it.
const advised = 0.5

// worthwhile is how many threads wait on average at least where a change would be
// felt.
const worthwhile = 0.01

// try is one sentence.
func (s *screen) try(g *group) string {
	by := map[string]int64{}
	top := ""
	for _, o := range g.Owners {
		by[o.Site] += o.WaitNs
		if top == "" && !unknownSite(o.Site) {
			top = o.Site
		}
	}
	most := func(ns int64) bool { return float64(ns) >= advised*float64(g.WaitNs) }
	switch {
	case !s.counts && float64(g.WaitNs) < worthwhile*float64(s.ElapsedNs):
		return strings.ToUpper(s.thread[:1]) + s.thread[1:] + "s hardly wait for it: nothing to gain here"
	case s.paths && most(by["[unknown owner]"]):
		return "See who holds it: a runtime/trace tells"
	case s.counts && most(by["[unknown owner]"]):
		return "See who holds it: take thread dumps, or a recording (contend record)"
	case most(by["[unknown owner]"] + by["[unknown stack]"]):
		return "See who holds it: record with thread dumps (contend jfc prints settings)"
	case most(by["[gc pause]"] + by["[safepoint]"]):
		return "Mend the pauses of the JVM first"
	case most(by["[handoff]"]):
		return "It is taken too often for short work: take it less often, or split it"
	case top == "":
		return "Take it less often, or split it"
	case most(by[top]):
		return "Do less in " + s.simple(top) + " while it holds the lock, or run it less often"
	}
	return "No single holder is to blame: take the lock less often, or split it"
}
