package model

import (
	"cmp"
	"slices"
)

// intervals are disjoint and in order of time.
type intervals []Interval

// union merges intervals that overlap or touch.
func union(list []Interval) (out intervals) {
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Compare(a.Start, b.Start) })
	for _, t := range list {
		if n := len(out); n > 0 && t.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, t.End)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// waiting returns when at least one thread waits.
func waiting(waits []Wait) intervals {
	list := make([]Interval, len(waits))
	for i := range waits {
		list[i] = Interval{Start: waits[i].Start, End: waits[i].End}
	}
	return union(list)
}

// within returns how much of [from, to) the intervals cover, in ns.
func (s intervals) within(from, to int64) (ns int64) {
	i, _ := slices.BinarySearchFunc(s, from, func(t Interval, at int64) int { return cmp.Compare(t.End, at+1) })
	for ; i < len(s) && s[i].Start < to; i++ {
		ns += min(to, s[i].End) - max(from, s[i].Start)
	}
	return ns
}

// cover reports whether an instant is in one of them.
func (s intervals) cover(t int64) bool { return s.within(t, t+1) > 0 }
