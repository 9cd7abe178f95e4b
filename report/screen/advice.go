package screen

import (
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
)

// advice says what to do about the most contended lock if no finding does. It follows the cause of
// most of its waiting.
func (s *screen) advice(g *document.Awaited) []line {
	if g.WaitNs == 0 || len(s.doc.Deadlocks) > 0 ||
		slices.ContainsFunc(s.doc.Findings, func(f document.Finding) bool { return f.Class == g.Class }) {
		return nil
	}
	return s.say("      -> ", s.try(g))
}

// try returns the advice in one sentence.
func (s *screen) try(g *document.Awaited) string {
	by := map[string]int64{}
	top, stopped := "", int64(0)
	for _, o := range g.Owners {
		by[o.Site] += o.WaitNs
		for _, d := range o.Doing {
			if d.What == document.DoingCollected || d.What == document.DoingJVMPaused {
				stopped += d.WaitNs
			}
		}
		if top == "" && document.Placed(o.Site) {
			top = o.Site
		}
	}
	most := func(ns int64) bool { return !below(ns, advised, g.WaitNs) }
	switch {
	case s.hidesMore():
		return "Most waiting may not be recorded: see what was not counted"
	case !s.counts && below(g.WaitNs, worthwhile, s.doc.ElapsedNs):
		return strings.ToUpper(s.thread[:1]) + s.thread[1:] + "s hardly wait for it: nothing to gain here"
	case strings.HasPrefix(g.Class, "jdk.jfr."):
		return "It is the flight recorder's own: nothing to gain here"
	case s.doc.Coverage.Warned(format.CodeKernel) && strings.HasPrefix(g.Class, "kernel:"):
		return "Only the waiters of a kernel lock are known: make fewer of the calls that take it"
	case most(by[analysis.UnknownStack]):
		return "What its owner did is not known: " + s.teller(false)
	case most(by[unknownOwner] + by[analysis.UnknownStack]):
		return "Its owner is not known: " + s.teller(most(by[unknownOwner]))
	case most(stopped):
		return "Fix the pauses of the JVM first"
	case most(by[handoff]):
		return s.free(g)
	case top == "":
		return "Take it less often, or split it"
	case s.doc.Coverage.Warned(format.CodeSingleDump):
		return "At this instant " + s.names.Name(top) + " holds it: take several dumps to see its usual owner"
	case most(by[top]) && !s.proven(g, top):
		return "Which section holds it longest is not known well enough: " + s.teller(false)
	case most(by[top]):
		return "Do less in " + s.names.Name(top) + " while it holds the lock, or run it less often"
	}
	return s.several(g)
}

// several returns the advice about a lock that no single owner holds for most of the waiting.
func (s *screen) several(g *document.Awaited) string {
	switch at, guessed := through(g), s.guessed(g); {
	case at != "" && guessed:
		return "Which section holds it longest is not known well enough: " + s.teller(false)
	case at != "":
		return "What " + s.names.Name(
			at,
		) + " calls holds it longest: do less there while it holds the lock, or run it less often"
	case guessed:
		return "No single holder seems to be to blame: take the lock less often, or split it"
	}
	return "No single holder is to blame: take the lock less often, or split it"
}

// through returns the method that is on the stack for most of the waiting and was sampled
// as the owner itself, "" if there is none. If the acquisition is not visible, one critical section
// appears as all the methods that it calls.
func through(g *document.Awaited) string {
	of := map[string]int64{}
	for i := range g.Owners {
		o := &g.Owners[i]
		own := analysis.WithoutLine(o.Site)
		of[own] += o.WaitNs
		for _, c := range o.Callers {
			seen := map[string]bool{own: true}
			for _, site := range c.Sites {
				if method := analysis.WithoutLine(site); !seen[method] {
					seen[method] = true
					of[method] += c.WaitNs
				}
			}
		}
	}
	best := ""
	for i := range g.Owners {
		at := g.Owners[i].Site
		seen := document.Placed(at) && !below(g.Owners[i].WaitNs, minSeen, g.WaitNs)
		if ns := of[analysis.WithoutLine(at)]; seen && !below(ns, advised, g.WaitNs) &&
			ns > of[analysis.WithoutLine(best)] {
			best = at
		}
	}
	return best
}

// proven reports whether the owner is at the site for more than half of the waiting, as far as
// it is expected to be right. The main waiting site without observed activity is the model's
// default and proves nothing.
func (s *screen) proven(w *document.Awaited, site string) bool {
	right, doing := int64(0), false
	for i := range w.Owners {
		if o := &w.Owners[i]; o.Site == site {
			right, doing = right+o.Provenance.RightNs, doing || s.doing(o) != "" || o.Provenance.RecordedNs() > 0
		}
	}
	share := float64(right) / float64(w.WaitNs)
	byDefault := !doing && len(w.Waiting) > 0 && w.Waiting[0].Site == site
	return share > advised && !byDefault
}

// teller says how to record the owners of a lock, for a trace without owners or with owners that
// have no stacks.
func (s *screen) teller(noOwners bool) string {
	switch {
	case s.names.Paths && noOwners:
		return "record a runtime/trace"
	case s.doc.Coverage.Warned(format.CodePython):
		return "run the program with python -X perf"
	case s.unitIsThreads:
		return "take the dump of all threads, with their locks (jstack -l)"
	case s.counts && noOwners:
		return "take thread dumps, or a recording (contend record)"
	case s.doc.Coverage.Warned(format.CodeStacks):
		return "record call chains (contend perf-args prints how)"
	case s.native():
		return "record for longer: the wake-up that ends a wait names it"
	}
	if c := s.doc.Coverage.Calibration; c != nil && c.Dumps > 0 {
		return "its thread dumps show too little, record for longer"
	}
	return "record with thread dumps (contend jfc prints settings)"
}

// guessed reports whether the owners of a lock are mostly inferred and may be wrong.
func (s *screen) guessed(g *document.Awaited) bool {
	ns := int64(0)
	for i := range g.Owners {
		ns += g.Owners[i].Provenance.InferredNs
	}
	return !below(ns, advised, g.WaitNs) && g.Right() < sure
}

// free returns the advice about a lock that is free for most of the waiting. Short sections are the
// usual cause, and a trace may show few of them.
func (s *screen) free(g *document.Awaited) string {
	const remedy = "take it less often, or split it"
	switch {
	case s.counts:
		return "At this instant no thread holds it: take several dumps"
	case s.doc.Coverage.Warned(format.CodeSaturated):
		return "No processor was idle: run fewer " + s.thread + "s, or take the lock less often"
	case s.doc.Coverage.Warned(format.CodeThreshold),
		g.Right() < sure,
		g.Error != nil && g.Error.PlusMinusNs == nil:
		return "It may be taken too often for short work: " + remedy
	}
	return "It is taken too often for short work: " + remedy
}

// native reports whether perf recorded the program. In a contend trace that was converted from such
// a recording, only the warnings show it.
func (s *screen) native() bool {
	return strings.HasPrefix(s.doc.Trace.Format, "perf") || s.doc.Coverage.Warned(format.CodeSpinning) ||
		s.doc.Coverage.Warned(format.CodeKernel)
}
