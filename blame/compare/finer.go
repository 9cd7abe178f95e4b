package compare

import (
	"math"
	"strings"

	"contend/blame"
)

// How far inwards the stack of an owner is known depends on what was recorded
// meanwhile: of one that runs only a sample tells what it called after it took
// the lock. Of two recordings of one program, one with more samples or dumps than
// the other, the same time is then in another row: in that of b < a on one side,
// of c < b < a on the other. So a row has changed only if it has together with
// those that tell the same less finely, or more.

// coarser returns the names that a row would have if less was known of it.
type coarser func(name string) []string

// callChains are the call chains of owners on both sides.
func callChains(base, new Group) (names []string) {
	for _, g := range []Group{base, new} {
		for _, p := range g {
			names = append(names, p.owners.names...)
		}
	}
	return names
}

// outwardOf are the chains of waits that end in a method around the last one, as
// owners' call chains tell it.
func outwardOf(owners []string) coarser {
	around := map[string]map[string]bool{}
	for _, name := range owners {
		frames := strings.Split(name, callOf)
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

// related returns, by row, the rows that tell the same less finely, or more.
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

// chance returns how likely a row differs by as much as it does if nothing
// changed but how finely it is recorded.
func chance(rows []Row, i int, related []int) float64 {
	r := &rows[i]
	p := probability(ShareSpread(r.Base.Waiting, r.New.Waiting))
	if len(related) == 0 {
		return p
	}
	base, new := r.Base.Waiting, r.New.Waiting
	for _, j := range related {
		base, new = base.plus(&rows[j].Base.Waiting), new.plus(&rows[j].New.Waiting)
	}
	if (new.Value-base.Value)*r.Delta() <= 0 {
		return 1
	}
	return max(p, probability(ShareSpread(base, new)))
}

// plus adds a rate that varies by itself.
func (r Rate) plus(o *Rate) Rate {
	r.WaitNs, r.Value = r.WaitNs+o.WaitNs, r.Value+o.Value
	if o.SE > r.SE {
		r.DF = o.DF
	}
	r.SE, r.Spread = math.Hypot(r.SE, o.SE), math.Hypot(r.Spread, o.Spread)
	r.Traces = max(r.Traces, o.Traces)
	return r
}
