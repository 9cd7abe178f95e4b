// Package times has lists of intervals of time, and their unions.
package times

import (
	"cmp"
	"slices"
)

// Span is a half-open interval of time. In a list of spans they are disjoint and in order.
type Span struct{ Start, End int64 }

// Extended adds a span to a list. It starts no earlier than the last one and is merged with
// that if they touch.
func Extended(list []Span, s Span) []Span {
	if n := len(list); n > 0 && s.Start <= list[n-1].End {
		list[n-1].End = max(list[n-1].End, s.End)
		return list
	}
	return append(list, s)
}

// UnionOf returns the union of spans in any order, in their memory.
func UnionOf(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	out := spans[:0]
	for _, s := range spans {
		out = Extended(out, s)
	}
	return out
}

// FirstAfter returns the place of the first span that ends after t.
func FirstAfter(list []Span, t int64) int {
	at, _ := slices.BinarySearchFunc(list, t+1, func(s Span, t int64) int { return cmp.Compare(s.End, t) })
	return at
}

// Within returns how much of a span a list covers.
func Within(list []Span, cut Span) (ns int64) {
	for _, s := range list[FirstAfter(list, cut.Start):] {
		if s.Start >= cut.End {
			break
		}
		ns += min(s.End, cut.End) - max(s.Start, cut.Start)
	}
	return ns
}

// Outside returns how much of a list lies in a cut and outside of another list.
func Outside(list, others []Span, cut Span) (ns int64) {
	for _, s := range list[FirstAfter(list, cut.Start):] {
		if s = s.Clip(cut); s.Start >= s.End {
			break
		}
		ns += s.End - s.Start - Within(others, s)
	}
	return ns
}

// Without calls f with the parts of a list that lie outside of another list.
func Without(list, others []Span, f func(Span)) {
	for _, s := range list {
		others = others[FirstAfter(others, s.Start):]
		for _, o := range others {
			if o.Start >= s.End {
				break
			}
			if s.Start < o.Start {
				f(Span{s.Start, o.Start})
			}
			s.Start = o.End
		}
		if s.Start < s.End {
			f(s)
		}
	}
}

// Clip returns the part of a span in a cut; it ends before it starts if there is none.
func (s Span) Clip(cut Span) Span { return Span{max(s.Start, cut.Start), min(s.End, cut.End)} }
