package compare

import (
	"math"
	"strings"

	"contend/blame"
)

// The known part of an owner's call chain depends on the recording: only a sample shows the
// methods that a running owner called after it acquired the lock. Of two recordings of one
// program, one with more samples or dumps than the other, the same time is then in
// different rows: in b < a on one side, in c < b < a on the other. So a row has changed only
// if it has changed together with its coarser and finer rows.

// coarser returns the names that a row would have with less detail, and which of the coarser and
// finer rows that there are it is compared with; nil for all.
type coarser struct {
	of      func(name string) []string
	matters func(rows []Row, i int, related []int) []int
}

// callChains returns the call chains of owners on both sides.
func callChains(base, newer Group) (names []string) {
	for _, g := range []Group{base, newer} {
		for _, p := range g {
			names = append(names, p.owners.names.List...)
		}
	}
	return names
}

// callers are, by method, the methods further out in any call chain of owners.
type callers map[string]map[string]bool

func callersIn(chains []string) callers {
	around := callers{}
	for _, name := range chains {
		frames := strings.Split(name, callSeparator)
		for j, inner := range frames {
			if around[inner] == nil {
				around[inner] = map[string]bool{}
			}
			for _, outer := range frames[j+1:] {
				around[inner][outer] = true
			}
		}
	}
	return around
}

// ofMethod returns the coarser rows of owners by method: an owner that never waits is known by what
// it called inside of the lock, and in another recording by the method that acquired it.
func (c callers) ofMethod(name string) (list []string) {
	for outer := range c[name] {
		if outer != name {
			list = append(list, outer)
		}
	}
	return list
}

// ofChain returns the coarser rows of chains of waits: those that end in a caller of the last
// method.
func (c callers) ofChain(name string) (list []string) {
	at := strings.LastIndex(name, blame.StepSeparator)
	if at < 0 {
		return nil
	}
	at += len(blame.StepSeparator)
	for outer := range c[name[at:]] {
		if outer != name[at:] {
			list = append(list, name[:at]+outer)
		}
	}
	return list
}

// related returns, by row, its coarser and finer rows.
func related(rows []Row, of coarser) [][]int {
	at, out := make(map[string]int, len(rows)), make([][]int, len(rows))
	for i := range rows {
		at[rows[i].Name] = i
	}
	for i := range rows {
		for _, name := range of.of(rows[i].Name) {
			if j, ok := at[name]; ok {
				out[i], out[j] = append(out[i], j), append(out[j], i)
			}
		}
	}
	if of.matters != nil {
		for i := range out {
			out[i] = of.matters(rows, i, out[i])
		}
	}
	return out
}

// partners keeps the coarser and finer rows that changed in the other direction if the row itself is
// absent on one side: what it has, or had, may be theirs on the other.
func partners(rows []Row, i int, related []int) (list []int) {
	for _, j := range related {
		r, o := &rows[i], &rows[j]
		if r.Delta()*o.Delta() < 0 && (r.oneSided() || o.oneSided()) {
			list = append(list, j)
		}
	}
	return list
}

// oneSided reports whether nearly all of the waiting of a row is on one side.
func (r *Row) oneSided() bool {
	const nearly = 10
	low := min(r.Base.Waiting.Value, r.New.Waiting.Value)
	return nearly*low <= max(r.Base.Waiting.Value, r.New.Waiting.Value)
}

// chance returns the probability of the difference of a row if nothing changed but the detail
// of the recording.
func chance(rows []Row, i int, related []int, between Between) float64 {
	r := &rows[i]
	p := probability(between.Compared(r.Base.Waiting, r.New.Waiting))
	if len(related) == 0 {
		return p
	}
	base, newer := r.Base.Waiting, r.New.Waiting
	for _, j := range related {
		base, newer = base.plus(&rows[j].Base.Waiting), newer.plus(&rows[j].New.Waiting)
	}
	if (newer.Value-base.Value)*r.Delta() <= 0 {
		return 1
	}
	return max(p, probability(between.Compared(base, newer)))
}

// plus adds an independent rate.
func (r Rate) plus(o *Rate) Rate {
	r.WaitNs, r.Value = r.WaitNs+o.WaitNs, r.Value+o.Value
	if o.SE > r.SE {
		r.DF = o.DF
	}
	r.SE, r.Spread = math.Hypot(r.SE, o.SE), math.Hypot(r.Spread, o.Spread)
	r.Within, r.Wrong = math.Hypot(r.Within, o.Within), max(r.Wrong, o.Wrong)
	r.Traces = max(r.Traces, o.Traces)
	return r
}
