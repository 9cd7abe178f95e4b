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

// coarser returns the names that a row would have with less detail.
type coarser func(name string) []string

// callChains returns the call chains of owners on both sides.
func callChains(base, newer Group) (names []string) {
	for _, g := range []Group{base, newer} {
		for _, p := range g {
			names = append(names, p.owners.names.List...)
		}
	}
	return names
}

// outwardOf returns the coarser rows of chains of waits: those that end in a caller of the
// last method, by the call chains of owners.
func outwardOf(owners []string) coarser {
	around := map[string]map[string]bool{}
	for _, name := range owners {
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
	return func(name string) (list []string) {
		at := strings.LastIndex(name, blame.StepSeparator)
		if at < 0 {
			return nil
		}
		at += len(blame.StepSeparator)
		for outer := range around[name[at:]] {
			if outer != name[at:] {
				list = append(list, name[:at]+outer)
			}
		}
		return list
	}
}

// related returns, by row, its coarser and finer rows.
func related(rows []Row, of coarser) [][]int {
	at, out := make(map[string]int, len(rows)), make([][]int, len(rows))
	for i := range rows {
		at[rows[i].Name] = i
	}
	for i := range rows {
		for _, name := range of(rows[i].Name) {
			if j, ok := at[name]; ok {
				out[i], out[j] = append(out[i], j), append(out[j], i)
			}
		}
	}
	return out
}

// chance returns the probability of the difference of a row if nothing changed but the detail
// of the recording.
func chance(rows []Row, i int, related []int) float64 {
	r := &rows[i]
	p := probability(ShareSpread(r.Base.Waiting, r.New.Waiting))
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
	return max(p, probability(ShareSpread(base, newer)))
}

// plus adds an independent rate.
func (r Rate) plus(o *Rate) Rate {
	r.WaitNs, r.Value = r.WaitNs+o.WaitNs, r.Value+o.Value
	if o.SE > r.SE {
		r.DF = o.DF
	}
	r.SE, r.Spread = math.Hypot(r.SE, o.SE), math.Hypot(r.Spread, o.Spread)
	r.Traces = max(r.Traces, o.Traces)
	return r
}
