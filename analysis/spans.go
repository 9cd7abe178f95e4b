package analysis

import (
	"cmp"
	"slices"
)

// span is a half-open interval of time. In a list of spans they are disjoint and in order.
type span struct{ start, end int64 }

// extended adds a span to a list. It starts no earlier than the last one and is merged with
// that if they touch.
func extended(list []span, s span) []span {
	if n := len(list); n > 0 && s.start <= list[n-1].end {
		list[n-1].end = max(list[n-1].end, s.end)
		return list
	}
	return append(list, s)
}

// unionOf returns the union of spans in any order, in their memory.
func unionOf(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	out := spans[:0]
	for _, s := range spans {
		out = extended(out, s)
	}
	return out
}

// firstAfter returns the place of the first span that ends after t.
func firstAfter(list []span, t int64) int {
	at, _ := slices.BinarySearchFunc(list, t+1, func(s span, t int64) int { return cmp.Compare(s.end, t) })
	return at
}

// within returns how much of a span a list covers.
func within(list []span, cut span) (ns int64) {
	for _, s := range list[firstAfter(list, cut.start):] {
		if s.start >= cut.end {
			break
		}
		ns += min(s.end, cut.end) - max(s.start, cut.start)
	}
	return ns
}

// outside returns how much of a list lies in a cut and outside of another list.
func outside(list, others []span, cut span) (ns int64) {
	for _, s := range list[firstAfter(list, cut.start):] {
		if s = s.clip(cut); s.start >= s.end {
			break
		}
		ns += s.end - s.start - within(others, s)
	}
	return ns
}

// without calls f with the parts of a list that lie outside of another list.
func without(list, others []span, f func(span)) {
	for _, s := range list {
		others = others[firstAfter(others, s.start):]
		for _, o := range others {
			if o.start >= s.end {
				break
			}
			if s.start < o.start {
				f(span{s.start, o.start})
			}
			s.start = o.end
		}
		if s.start < s.end {
			f(s)
		}
	}
}

// clip returns the part of a span in a cut; it ends before it starts if there is none.
func (s span) clip(cut span) span { return span{max(s.start, cut.start), min(s.end, cut.end)} }
