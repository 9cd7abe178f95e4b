package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"contend/format"
)

// significance is the probability that a tested finding is a false alarm, for all tests of a
// kind together.
const significance = 0.05

// windows is the number of intervals of equal length that the trace is divided into. Each is
// one observation, because successive waits are not independent.
const windows = 8

// firstWidth is the initial length of a window, ns. When the trace outgrows the windows, pairs
// of them are merged.
const firstWidth = int64(1e6)

// windowClock divides the time into windows.
type windowClock struct{ start, width int64 }

// extend lengthens the windows until they cover an instant.
func (c *windowClock) extend(at int64, locks []*lockEvidence) {
	for at-c.start >= windows*c.width && c.width < math.MaxInt64/(2*windows) {
		c.width *= 2
		for _, l := range locks {
			if l != nil {
				l.spread.halve()
			}
		}
	}
}

func (c *windowClock) window(at int64) int64 { return min(max((at-c.start)/c.width, 0), windows-1) }

// spread is the waiting for a lock by window, and the site where most threads wait for it, if
// it has more than half of the waiting (Boyer and Moore's vote).
type spread struct {
	in          [windows]int64
	ns          int64
	first, last int64
	site        uint32
	votes       int64
}

// addTime adds the thread-time of a slice with a waiter at a site.
func (p *spread) addTime(c *windowClock, start, end, ns int64, site uint32) {
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
		p.votes -= ns
		if p.votes < 0 {
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

// stripe is one of several similar locks.
type stripe struct {
	id     format.ObjectID
	spread *spread
}

// hotStripes finds the locks that have more waiting than all their siblings together. Siblings
// are locks of one class that are waited for at one site, where data selects one of them, and
// in the same time, which excludes the addresses of one lock that was moved. Two locks are too
// few.
//
// If data were spread evenly, each of k stripes would lead a window with probability 1/k. The
// number of windows that the hot one leads is tested against that (binomial), times k because
// any stripe might have been the hot one.
//
// A recording shows only stripes with waiters. Others would make the hot one hotter.
func hotStripes(v *Evidence, _ *Trace) (out []Finding) {
	for _, set := range v.stripes() {
		hot := slices.MaxFunc(
			set,
			func(a, b stripe) int { return cmp.Or(cmp.Compare(a.spread.ns, b.spread.ns), cmp.Compare(b.id, a.id)) },
		)
		set = slices.DeleteFunc(set, func(s stripe) bool {
			return s.spread.last <= hot.spread.first || s.spread.first >= hot.spread.last
		})
		all, k := int64(0), len(set)
		for _, s := range set {
			all += s.spread.ns
		}
		if k < 3 || hot.spread.ns <= all-hot.spread.ns || hot.chance(set) > significance {
			continue
		}
		f := v.about(HotStripe, hot.id, &amount{ns: hot.spread.ns})
		f.Site = v.sites.Names().Value(hot.spread.site)
		f.Evidence = fmt.Sprintf(
			"it has %s of the waiting for the %d locks of the class that were waited for meanwhile",
			percent(hot.spread.ns, all),
			k,
		)
		f.Confidence = High
		out = append(out, f)
	}
	return out
}

// chance returns the probability that a stripe leads as many windows as this one does.
func (hot *stripe) chance(set []stripe) float64 {
	led, busy := 0, 0
	for w := range windows {
		waited, leads := false, true
		for _, s := range set {
			waited = waited || s.spread.in[w] > 0
			leads = leads && (s.id == hot.id || s.spread.in[w] < hot.spread.in[w])
		}
		if waited {
			busy++
			if leads {
				led++
			}
		}
	}
	k := float64(len(set))
	return k * binomialTail(busy, led, 1/k)
}

// binomialTail returns the probability of m or more successes in n trials with probability p.
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

// stripes returns the sets of siblings.
func (v *Evidence) stripes() [][]stripe {
	type siblings struct{ class, site uint32 }
	var keys format.Interner[siblings]
	var sets [][]stripe
	v.each(func(id format.ObjectID, l *lockEvidence) {
		i, added := keys.Intern(siblings{v.sym.Class(id), l.spread.site})
		if added {
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], stripe{id, &l.spread})
	})
	return sets
}
