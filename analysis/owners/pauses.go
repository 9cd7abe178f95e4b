package owners

import (
	"cmp"
	"slices"
	"strings"

	"contend/format"
)

// Pause is an interval in which no thread of the program ran.
type Pause struct {
	Start, End int64
	Kind       Kind // GCPause or Safepoint
}

func newPause(ev *format.Event, end int64) Pause {
	p := Pause{ev.Time, end, Safepoint}
	if strings.HasPrefix(ev.Name, format.PauseGC) {
		p.Kind = GCPause
	}
	return p
}

// stops returns what an owner does in the pause.
func (p *Pause) stops() format.Activity {
	if p.Kind == GCPause {
		return Collected
	}
	return Stopped
}

// pauses are disjoint, by time.
type pauses []Pause

// merge merges overlapping pauses. A safepoint in which a garbage collection was recorded
// counts as that collection.
func merge(recorded []Pause) (out pauses) {
	slices.SortFunc(
		recorded,
		func(a, b Pause) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) },
	)
	for _, p := range recorded {
		if n := len(out); n > 0 && p.Start < out[n-1].End {
			last := &out[n-1]
			last.End = max(last.End, p.End)
			if p.Kind == GCPause {
				last.Kind = GCPause
			}
			continue
		}
		out = append(out, p)
	}
	return out
}

// cut adds an ownership, divided at the pauses in it: the owner keeps the lock during a pause,
// but is stopped.
func (ps pauses) cut(o Ownership, into *Owned) {
	from, _ := slices.BinarySearchFunc(ps, o.Start, func(p Pause, t int64) int { return cmp.Compare(p.End, t+1) })
	for _, p := range ps[from:] {
		if p.Start >= o.End || o.Owner.Kind != Thread {
			break
		}
		lo, hi := max(p.Start, o.Start), min(p.End, o.End)
		before, during := o, o
		before.End = lo
		during.Start = lo
		during.End = hi
		during.Owner.Did = p.stops()
		for _, part := range [...]Ownership{before, during} {
			if part.Start < part.End {
				into.Append(part)
			}
		}
		o.Start = hi
	}
	if o.Start < o.End {
		into.Append(o)
	}
}
