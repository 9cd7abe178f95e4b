package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"contend/format"
)

// level is how likely a finding that rests on a test may be by chance, where the
// program is healthy: as usual, one in twenty, for all that is tested together.
const level = 0.05

// windows is how many intervals of equal length the trace is divided into. Each is one
// observation; waits one behind the other are not independent.
const windows = 8

// firstWidth is the length of a window at first. When the windows are full they
// become half as many, each twice as long.
const firstWidth = int64(1e6)

// clock divides the time into windows.
type clock struct{ start, width int64 }

// reach makes windows longer until they hold an instant.
func (c *clock) reach(at int64, locks []*lockSeen) {
	for at-c.start >= windows*c.width && c.width < math.MaxInt64/(2*windows) {
		c.width *= 2
		for _, l := range locks {
			if l != nil {
				l.spread.halve()
			}
		}
	}
}

func (c *clock) window(at int64) int64 { return min(max((at-c.start)/c.width, 0), windows-1) }

// spread is how the waiting for a lock is spread over time, and where threads
// wait for it: the site that most do, if more than half do at one (Boyer and
// Moore's vote).
type spread struct {
	in          [windows]int64
	ns          int64
	first, last int64
	site        uint32
	votes       int64
}

// add adds the thread-time of a slice with a waiter at a site.
func (p *spread) add(c *clock, start, end, ns int64, site uint32) {
	if p.ns == 0 {
		p.first, p.last = start, end
	}
	p.ns += ns
	p.first, p.last = min(p.first, start), max(p.last, end)
	p.in[c.window(end-1)] += ns
	switch {
	case p.votes == 0:
		p.site, p.votes = site, ns
	case p.site == site:
		p.votes += ns
	default:
		if p.votes -= ns; p.votes < 0 {
			p.site, p.votes = site, -p.votes
		}
	}
}

func (p *spread) halve() {
	for i := range windows / 2 {
		p.in[i] = p.in[2*i] + p.in[2*i+1]
	}
	clear(p.in[windows/2:])
}

// stripe is one lock of several that are alike.
type stripe struct {
	id format.ObjectID
	*spread
}

// hotStripes finds the locks that have more of the waiting than all their
// siblings together. Siblings are of one class, are waited for at one site, so
// that data decides which of them is taken, and in the same time: the parts of
// a lock that changed its address are none. Two are too few to speak of stripes.
//
// That one has the most may be chance. If data was spread evenly, each of k
// stripes would have the most in a window of time once in k times; how often
// the hot one does is held against that (binomial), and since any of the k
// might have been the one, k times.
//
// A recording has only the stripes with waiters. Further ones without make the hot one
// only hotter.
func hotStripes(v *Evidence, _ *Trace) (out []Finding) {
	for _, set := range v.stripes() {
		hot := slices.MaxFunc(set, func(a, b stripe) int { return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(b.id, a.id)) })
		set = slices.DeleteFunc(set, func(s stripe) bool { return s.last <= hot.first || s.first >= hot.last })
		all, k := int64(0), len(set)
		for _, s := range set {
			all += s.ns
		}
		if k < 3 || hot.ns <= all-hot.ns || hot.byChance(set) > level {
			continue
		}
		f := v.about(HotStripe, hot.id, &amount{ns: hot.ns})
		f.Site = v.sites.Names().Name(hot.site)
		f.Evidence = fmt.Sprintf("it has %s of the waiting for the %d locks of the class that were waited for meanwhile", percent(hot.ns, all), k)
		f.Confidence = High
		out = append(out, f)
	}
	return out
}

// byChance returns how likely a stripe has the most in as many windows as it
// does.
func (hot *stripe) byChance(set []stripe) float64 {
	led, told := 0, 0
	for w := range windows {
		any, most := false, true
		for _, s := range set {
			any = any || s.in[w] > 0
			most = most && (s.id == hot.id || s.in[w] < hot.in[w])
		}
		if any {
			told++
			if most {
				led++
			}
		}
	}
	k := float64(len(set))
	return k * binomialTail(told, led, 1/k)
}

// binomialTail returns how likely m or more of n are, each with p.
func binomialTail(n, m int, p float64) (sum float64) {
	for i := m; i <= n; i++ {
		choose := 1.0
		for j := range i {
			choose = choose * float64(n-j) / float64(j+1)
		}
		sum += choose * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
	}
	return min(sum, 1)
}

// stripes returns the locks that are alike, in sets.
func (v *Evidence) stripes() [][]stripe {
	type alike struct{ class, site uint32 }
	at := map[alike]int{}
	var sets [][]stripe
	v.each(func(id format.ObjectID, l *lockSeen) {
		key := alike{v.sym.Class(id), l.spread.site}
		i, ok := at[key]
		if !ok {
			i = len(sets)
			at[key], sets = i, append(sets, nil)
		}
		sets[i] = append(sets[i], stripe{id, &l.spread})
	})
	return sets
}
