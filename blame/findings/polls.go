package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"contend/format"
	"contend/format/human"
)

// The thresholds of polling.
const (
	minConcurrent   = 1.2  // threads at the place on average: a critical section has at most one
	maxChance       = 0.01 // probability that the threads are never together by chance
	maxTogether     = 0.25 // observed over expected number of instants at which they are together
	lockWaitDivisor = 4    // waiting for locks is below 1/lockWaitDivisor of the possible polling
	minSpins        = 3    // samples at a place if some are in a compareAndSet
)

// spinFrames are the beginnings of the names of spinning methods: operations on atomic
// variables, and methods that announce a spin.
var spinFrames = [...]string{
	"java.lang.Thread.onSpinWait", "java.lang.Thread.yield",
	"java.util.concurrent.atomic.Atomic*.compareAndSet", "java.util.concurrent.atomic.Atomic*.weakCompareAndSet",
	"java.util.concurrent.atomic.Atomic*.compareAndExchange",
	"java.lang.invoke.VarHandle", "jdk.internal.misc.Unsafe.compareAnd", "jdk.internal.misc.Unsafe.weakCompareAnd",
	"sun.misc.Unsafe.compareAnd",
	"sync/atomic.CompareAndSwap", "sync/atomic.(*", "internal/runtime/atomic.Cas", "runtime.Gosched",
	"runtime.mcall", "runtime.procyield",
}

// polls finds places where threads spin or sleep until another thread lets them continue. They
// are in a compareAndSet there, or they are never there all at once, although that would
// happen by chance: the one that lets them continue must be elsewhere.
func polls(v *Evidence, t *Trace) (out []Finding) {
	p := &v.polling
	var found []candidate
	for k, at := range p.spots {
		if c, ok := v.judgeSpot(k, at, t); ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(b.ns, a.ns),
			cmp.Compare(a.spot.depth, b.spot.depth),
			cmp.Compare(a.key.line, b.key.line),
		)
	})
	reported := map[string]bool{} // methods: several sources may show one place, and one call several places
	for _, c := range found {
		if reported[c.spot.method] || slices.ContainsFunc(out, func(f Finding) bool { return c.overlaps(f.Site, p) }) {
			continue
		}
		reported[c.spot.method] = true
		out = append(
			out,
			Finding{
				Kind:       Polling,
				Site:       c.key.line,
				WaitNs:     c.ns,
				Threads:    c.threads,
				Evidence:   c.evidence,
				Confidence: c.confidence,
			},
		)
	}
	return out
}

// candidate is a place where threads poll.
type candidate struct {
	key        spotKey
	spot       *spot
	ns         int64
	threads    int
	evidence   string
	confidence Confidence
}

// overlaps reports whether any stack has both the line of the candidate and a reported one:
// the time in it would be reported twice.
func (c *candidate) overlaps(line string, p *polling) bool {
	for _, s := range p.stacks {
		has := func(line string) bool {
			return slices.ContainsFunc(s.places, func(p place) bool { return p.line == line })
		}
		if has(c.key.line) && has(line) {
			return true
		}
	}
	return false
}

// judgeSpot decides whether threads poll at a place.
func (v *Evidence) judgeSpot(k spotKey, at *spot, t *Trace) (c candidate, ok bool) {
	p := &v.polling
	c = candidate{key: k, spot: at, threads: len(at.threads)}
	if len(at.threads) < 2 {
		return c, false
	}
	var elapsed int64
	c.ns, elapsed = p.time(k, at, t)
	spins := at.spins && p.samples(at) >= minSpins || k.source <= sleepSeen && p.spinMethods[at.method]
	waited := int64(0)
	v.each(func(_ format.ObjectID, l *lockEvidence) { waited += l.spread.ns })
	never := p.neverTogether(k, at, k.source == sleepRecorded && waited < c.ns/lockWaitDivisor)
	retries := 2*at.retries >= at.sleeps
	switch {
	case spins:
		c.confidence = High
	case !never || k.source == runSampled || k.source == sleepRecorded && !retries:
		return c, false
	case k.source == sleepRecorded:
		c.confidence = Medium
	default:
		c.confidence = Low
	}
	c.evidence = human.Some(c.threads, "thread", "threads")
	switch {
	case k.source == runSampled:
		c.evidence += fmt.Sprintf(", %s of their samples", percent(p.samples(at), p.samplesOf(at)))
	case elapsed > 0:
		c.evidence += fmt.Sprintf(", %s of their time", percent(c.ns, elapsed*int64(c.threads)))
	}
	if spins {
		c.evidence += ", in compareAndSet or onSpinWait"
	} else if never {
		c.evidence += ", never all at once"
	}
	return c, c.ns > 0
}

// samples returns the number of observations of threads at a place.
func (p *polling) samples(at *spot) (n int64) {
	for _, one := range at.threads {
		n += one.times
	}
	return n
}

// samplesOf returns the number of all samples of the threads that were seen at a place.
func (p *polling) samplesOf(at *spot) (n int64) {
	for id := range at.threads {
		n += p.sampling[id].n
	}
	return n
}

// time returns the thread-time at a place and the time observed, in ns.
func (p *polling) time(k spotKey, at *spot, t *Trace) (ns, elapsed int64) {
	g := &p.grids[k.source]
	elapsed = cmp.Or(g.last-g.first, t.ElapsedNs)
	switch k.source {
	case sleepRecorded:
		return at.ns, elapsed
	case runSampled:
		step := int64(0) // mean distance between the samples of the thread with most of them
		most := int64(0)
		for _, s := range p.sampling {
			if s.n > max(most, 1) {
				most, step = s.n, (s.last-s.first)/(s.n-1)
			}
		}
		return step * p.samples(at), elapsed
	}
	n := int64(max(g.seen.count(), 1))
	for _, one := range at.threads {
		ns += int64(one.instants.count())
	}
	return int64(float64(ns) / float64(n) * float64(elapsed)), elapsed
}

// neverTogether reports whether the threads at a place are never there all at once. Several
// must be there at once, or it may be a critical section; unless hardly any thread waits for a
// lock (free). Threads that are there less than half as long as another do not count.
func (p *polling) neverTogether(k spotKey, at *spot, free bool) bool {
	g := &p.grids[k.source]
	used := g.used(k.source)
	all, longest := float64(used.count()), 0
	var regulars []*presence
	for _, one := range at.threads {
		longest = max(longest, one.instants.count())
	}
	expected, concurrent := 1.0, 0.0
	for _, one := range at.threads {
		if n := one.instants.count(); 2*n >= longest {
			regulars = append(regulars, one)
			expected *= float64(n) / all
			concurrent += float64(n) / all
		}
	}
	if len(regulars) < 2 || !free && (len(regulars) < 3 || concurrent < minConcurrent) {
		return false
	}
	together, changes := 0, 0
	was := -1
	for i := range gridLen {
		if !used.has(i) {
			continue
		}
		n, state := 0, 0
		for j, one := range regulars {
			if one.instants.has(i) {
				n++
				state = state*31 + j + 1
			}
		}
		if n == len(regulars) {
			together++
		}
		if state != was {
			was = state
			changes++
		}
	}
	// An instant with the same threads as the previous one is no new observation.
	chance := expected * float64(changes)
	return float64(together) <= maxTogether*expected*all && poissonBelow(together, chance) < maxChance
}

// poissonBelow returns the probability of at most n if mean is expected.
func poissonBelow(n int, mean float64) float64 {
	sum, term := 0.0, math.Exp(-mean)
	for i := 0; i <= n; i++ {
		sum += term
		term *= mean / float64(i+1)
	}
	return min(sum, 1)
}

// spinFrame reports whether a frame is of a spinning method.
func spinFrame(f format.Frame) bool {
	name := f.Class + "." + f.Method
	return slices.ContainsFunc(spinFrames[:], func(begin string) bool {
		class, method, starred := strings.Cut(begin, "*.")
		if !starred {
			return strings.HasPrefix(name, begin)
		}
		return strings.HasPrefix(name, class) && strings.HasPrefix(f.Method, method)
	})
}
