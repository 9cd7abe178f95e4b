package owners

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
)

// A program may make a lock for each request: thousands of a class, each of which somebody
// waits for in a moment of the recording. What was done at their call sites in all the rest
// of it tells nothing of that one, and to look at all of it for each lock takes as long as
// there are locks, times activities.

// manySections is for how many locks a call site is asked about until what was done there is put
// in order of time.
const manySections = 32

// sortSites puts in order of time what was done at call sites that many sections are asked
// about.
func (ev *evidence) sortSites(all []*section) {
	asked := map[inputSite]int{}
	for _, s := range all {
		in := ev.inputOf[s.lock]
		for at := range s.inside {
			asked[inputSite{at, in}]++
		}
	}
	ev.times = map[inputSite]*siteTimes{}
	var list []inputSite
	for site, sections := range asked {
		if sections >= manySections {
			ev.times[site] = &siteTimes{}
			list = append(list, site)
		}
	}
	cores.Each(len(list), func(i int) { ev.times[list[i]].fill(ev, list[i]) })()
}

func (t *siteTimes) fill(ev *evidence, site inputSite) {
	for i := range ev.sites.at(site).all {
		start, end, _ := ev.spent(i)
		long := &t[bits.Len64(uint64(end-start))]
		*long = append(*long, timed{start, i})
	}
	for _, list := range t {
		slices.SortFunc(list, func(a, b timed) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.at, b.at)) })
	}
}

// near visits the activities at a call site that may lie where somebody waits for a lock, if
// they are moved by up to so many times their length: all of them where few locks are asked
// about.
func (ev *evidence) near(s *section, at callSite, moved int64) iter.Seq[column.Ref] {
	times := ev.times[inputSite{at, ev.inputOf[s.lock]}]
	if times == nil {
		return ev.activitiesAt(at, s.lock).all
	}
	return func(yield func(column.Ref) bool) {
		for long, list := range times {
			if len(list) > 0 && !during(s.busy, list, int64(1)<<min(long, 62), moved, yield) {
				return
			}
		}
	}
}

// during visits those of activities of at most that length that somebody waits during, and
// perhaps some others, each once; false if it is to go no further.
func during(busy []span, list []timed, most, moved int64, yield func(column.Ref) bool) bool {
	reach := min(most, maxTime/32) * (moved + 1)
	next := 0
	for _, z := range busy {
		next = max(next, nearby(next, len(list), func(i int) bool { return list[i].start < z.start-reach }))
		for next < len(list) && list[next].start <= z.end+reach {
			if !yield(list[next].at) {
				return false
			}
			next++
		}
	}
	return true
}
