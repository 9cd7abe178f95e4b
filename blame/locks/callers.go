package locks

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// Callers are the methods of the program that called a place, innermost first; those of an owner
// have their lines.
type Callers struct {
	Sites  []string
	WaitNs int64
}

// nearest is the number of callers that are kept: frames further out are similar in all stacks.
const nearest = 3

// callers sums the waiting at a place by its callers.
type callers map[string]int64

// addStack adds the waiting of a stack, whose innermost frame of the program is the place itself.
func (c callers) addStack(frames []format.Frame, ns int64) {
	var sites []string
	inside := false
	for _, f := range frames {
		if library(f) || begins(f) {
			continue
		}
		if inside {
			sites = append(sites, analysis.MethodName(f))
		}
		if inside = true; len(sites) == nearest {
			break
		}
	}
	if len(sites) > 0 {
		c[strings.Join(sites, between)] += ns
	}
}

// between separates callers in the key of a sum. Names do not contain it.
const between = "\n"

// list returns the callers in descending order of waiting.
func (c callers) list() []Callers {
	out := []Callers{}
	for sites, ns := range c {
		out = append(out, Callers{strings.Split(sites, between), ns})
	}
	return sortCallers(out)
}

// sortCallers sorts in descending order of waiting.
func sortCallers(list []Callers) []Callers {
	slices.SortFunc(list, func(a, b Callers) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), slices.Compare(a.Sites, b.Sites))
	})
	return list
}
