package analysis

import (
	"slices"

	"contend/format"
)

// gapIndex finds the gaps next to an instant: stretches of one input of which
// data was lost. A trace may have as many as samples, and each sample asks.
// They come in order of time, or nearly.
type gapIndex struct{ starts, ends []int64 } // each ascending

func (g *gapIndex) add(start, end int64) {
	insert(&g.ends, end)
	if start < end { // else an instant at it lies behind it
		insert(&g.starts, start)
	}
}

// around returns what lies around an instant between two gaps: from the end of the
// last one before it to the start of the first one behind it; NoTime where there is none.
func (g *gapIndex) around(t int64) span {
	if len(g.ends) == 0 { // as mostly
		return span{format.NoTime, format.NoTime}
	}
	return g.search(t)
}

func (g *gapIndex) search(t int64) span {
	near := span{format.NoTime, format.NoTime}
	if i := upTo(g.ends, t); i > 0 {
		near.start = g.ends[i-1]
	}
	if i, _ := slices.BinarySearch(g.starts, t); i < len(g.starts) {
		near.end = g.starts[i]
	}
	return near
}

func insert(list *[]int64, t int64) {
	*list = slices.Insert(*list, upTo(*list, t), t)
}

// upTo returns how many of an ascending list are not after t.
func upTo(list []int64, t int64) int {
	if n := len(list); n == 0 || list[n-1] <= t {
		return n
	}
	i, _ := slices.BinarySearch(list, t+1)
	return i
}
