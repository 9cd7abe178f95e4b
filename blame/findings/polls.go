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

// What tells that threads poll for one another.
const (
	minTogether   = 1.2  // threads at the place on average: a critical section has one at most
	byChance      = 0.01 // how likely it may be that they only seem never to be there all at once
	fewerTogether = 0.25 // how often they are, of how often chance would have it
	fewWait       = 4    // waiting for locks is less than this part of what may be polling
	minSpins      = 3    // samples at a place where some show a compareAndSet
)

// spinFrames are methods in which threads spin, by how their names begin: of atomic
// variables, and those that say so.
var spinFrames = [...]string{
	"java.lang.Thread.onSpinWait", "java.lang.Thread.yield",
	"java.util.concurrent.atomic.Atomic*.compareAndSet", "java.util.concurrent.atomic.Atomic*.weakCompareAndSet", "java.util.concurrent.atomic.Atomic*.compareAndExchange",
	"java.lang.invoke.VarHandle", "jdk.internal.misc.Unsafe.compareAnd", "jdk.internal.misc.Unsafe.weakCompareAnd", "sun.misc.Unsafe.compareAnd",
	"sync/atomic.CompareAndSwap", "sync/atomic.(*", "internal/runtime/atomic.Cas", "runtime.Gosched", "runtime.mcall", "runtime.procyield",
}

// polls finds places at which threads spin or sleep until another thread lets them go on.
// They call compareAndSet there, or are never all there at once although they would be by
// chance, because one thread must be elsewhere to let them go on.
func polls(v *Evidence, t *Trace) (out []Finding) {
	p := &v.polling
	var found []candidate
	for k, at := range p.spots {
		if c, ok := v.judge(k, at, t); ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.spot.depth, b.spot.depth), cmp.Compare(a.line, b.line))
	})
	told := map[string]bool{} // by method: several sources may show one place, and several places one call
	for _, c := range found {
		if told[c.spot.method] || slices.ContainsFunc(out, func(f Finding) bool { return c.calls(f.Site, p) }) {
			continue
		}
		told[c.spot.method] = true
		out = append(out, Finding{Kind: Polling, Site: c.line, WaitNs: c.ns, Threads: c.threads, Evidence: c.evidence, Confidence: c.confidence})
	}
	return out
}

// candidate is a place at which threads poll.
type candidate struct {
	spotKey
	spot       *spot
	ns         int64
	threads    int
	evidence   string
	confidence Confidence
}

// calls reports whether some stack has the line of a candidate and another one: they are one
// call, and one finding.
func (c *candidate) calls(line string, p *polling) bool {
	for _, s := range p.stacks {
		has := func(line string) bool {
			return slices.ContainsFunc(s.places, func(p place) bool { return p.line == line })
		}
		if has(c.line) && has(line) {
			return true
		}
	}
	return false
}

// judge says whether threads poll at a place.
func (v *Evidence) judge(k spotKey, at *spot, t *Trace) (c candidate, ok bool) {
	p := &v.polling
	c = candidate{spotKey: k, spot: at, threads: len(at.threads)}
	if len(at.threads) < 2 {
		return c, false
	}
	var elapsed int64
	c.ns, elapsed = p.time(k, at, t)
	spins := at.spins && p.samples(at) >= minSpins || k.source <= sleepSeen && p.marked[at.method]
	waited := int64(0)
	v.each(func(_ format.ObjectID, l *lockSeen) { waited += l.spread.ns })
	never := p.neverAll(k, at, k.source == sleepRecorded && waited < c.ns/fewWait)
	retries := 2*at.again >= at.sleeps
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

// samples is how often threads were seen at a place.
func (p *polling) samples(at *spot) (n int64) {
	for _, one := range at.threads {
		n += one.seen
	}
	return n
}

// samplesOf is how often the threads of a place were sampled anywhere.
func (p *polling) samplesOf(at *spot) (n int64) {
	for id := range at.threads {
		n += p.spans[id].n
	}
	return n
}

// time is how long threads were at a place, and how long that was looked at, in ns.
func (p *polling) time(k spotKey, at *spot, t *Trace) (ns, elapsed int64) {
	g := &p.grids[k.source]
	elapsed = cmp.Or(g.last-g.first, t.ElapsedNs)
	switch k.source {
	case sleepRecorded:
		return at.ns, elapsed
	case runSampled:
		step := int64(0) // from one sample to the next of the thread that is sampled most
		most := int64(0)
		for _, s := range p.spans {
			if s.n > max(most, 1) {
				most, step = s.n, (s.last-s.first)/(s.n-1)
			}
		}
		return step * p.samples(at), elapsed
	}
	n := int64(max(g.seen.count(), 1))
	for _, one := range at.threads {
		ns += int64(one.at.count())
	}
	return int64(float64(ns) / float64(n) * float64(elapsed)), elapsed
}

// neverAll reports whether the threads at a place are never there all at once. Several must
// be at once, else it may be a critical section; unless it cannot be one, as hardly any
// thread waits for a lock. Threads that are there less than half as long as another do not
// count.
func (p *polling) neverAll(k spotKey, at *spot, free bool) bool {
	g := &p.grids[k.source]
	used := g.used(k.source)
	all, most := float64(used.count()), 0
	var in []*presence
	for _, one := range at.threads {
		most = max(most, one.at.count())
	}
	expected, together := 1.0, 0.0
	for _, one := range at.threads {
		if n := one.at.count(); 2*n >= most {
			in = append(in, one)
			expected *= float64(n) / all
			together += float64(n) / all
		}
	}
	if len(in) < 2 || !free && (len(in) < 3 || together < minTogether) {
		return false
	}
	met, changes := 0, 0
	was := -1
	for i := range gridLen {
		if !used.has(i) {
			continue
		}
		n, state := 0, 0
		for j, one := range in {
			if one.at.has(i) {
				n++
				state = state*31 + j + 1
			}
		}
		if n == len(in) {
			met++
		}
		if state != was {
			was = state
			changes++
		}
	}
	// Instants that show the same as the one before tell nothing new.
	chance := expected * float64(changes)
	return float64(met) <= fewerTogether*expected*all && poissonBelow(met, chance) < byChance
}

// poissonBelow is the chance of at most n where mean is expected.
func poissonBelow(n int, mean float64) float64 {
	sum, term := 0.0, math.Exp(-mean)
	for i := 0; i <= n; i++ {
		sum += term
		term *= mean / float64(i+1)
	}
	return min(sum, 1)
}

// spinFrame reports whether a frame is of a compareAndSet or says that the thread spins.
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
