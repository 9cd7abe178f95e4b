package owners

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis/internal/column"
	"contend/format"
)

// pause is a stretch in which no thread of the program ran.
type pause struct {
	start, end int64
	kind       Kind
}

// newPause takes a KindPause event that ends at end.
func newPause(ev *format.Event, end int64) pause {
	p := pause{ev.Time, end, Safepoint}
	if strings.HasPrefix(ev.Name, format.PauseGC) {
		p.kind = GCPause
	}
	return p
}

// pauses lists stretches that do not overlap, by time.
type pauses []pause

// merge makes pauses of what was recorded in any order: where a collection is
// part of a safepoint that was recorded too, the collection is what it was for.
func merge(recorded []pause) (out pauses) {
	slices.SortFunc(recorded, func(a, b pause) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for _, p := range recorded {
		if n := len(out); n > 0 && p.start < out[n-1].end {
			last := &out[n-1]
			last.end = max(last.end, p.end)
			if p.kind == GCPause {
				last.kind = GCPause
			}
			continue
		}
		out = append(out, p)
	}
	return out
}

// cut adds an ownership without the pauses in it, which are not the owner's
// doing: they are ownerships of their own.
func (ps pauses) cut(o Ownership, into *column.Column[Ownership]) {
	from, _ := slices.BinarySearchFunc(ps, o.Start, func(p pause, t int64) int { return cmp.Compare(p.end, t+1) })
	for _, p := range ps[from:] {
		if p.start >= o.End || o.Holder.Kind != Thread {
			break
		}
		lo, hi := max(p.start, o.Start), min(p.end, o.End)
		before, during := o, o
		before.End, during.Start, during.End = lo, lo, hi
		during.Holder = Holder{Kind: p.kind, Prov: Exact}
		for _, part := range [...]Ownership{before, during} {
			if part.Start < part.End {
				into.Add(part)
			}
		}
		o.Start = hi
	}
	if o.Start < o.End {
		into.Add(o)
	}
}
