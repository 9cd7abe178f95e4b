package record

import (
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// gapIndex finds the gaps next to an instant: intervals in which one input lost data. A
// trace may have as many gaps as samples, and each sample asks. Gaps are added nearly in
// order of time.
type gapIndex struct{ starts, ends []int64 } // each ascending

func (g *gapIndex) addGap(start, end int64) {
	insert(&g.ends, end)
	if start < end { // an instant at an empty gap is after it
		insert(&g.starts, start)
	}
}

// Around returns the interval without gaps around an instant: from the end of the last gap
// before it to the start of the first gap after it. NoTime stands for no gap.
func (g *gapIndex) Around(t int64) times.Span {
	if len(g.ends) == 0 { // the common case
		return times.Span{Start: format.NoTime, End: format.NoTime}
	}
	return g.search(t)
}

func (g *gapIndex) search(t int64) times.Span {
	near := times.Span{Start: format.NoTime, End: format.NoTime}
	if i := upTo(g.ends, t); i > 0 {
		near.Start = g.ends[i-1]
	}
	if i, _ := slices.BinarySearch(g.starts, t); i < len(g.starts) {
		near.End = g.starts[i]
	}
	return near
}

func insert(list *[]int64, t int64) {
	*list = slices.Insert(*list, upTo(*list, t), t)
}

// upTo returns the number of elements of an ascending list that are not after t.
func upTo(list []int64, t int64) int {
	if n := len(list); n == 0 || list[n-1] <= t {
		return n
	}
	i, _ := slices.BinarySearch(list, t+1)
	return i
}
