package owners

import (
	"maps"
	"math"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// Calibration is by provenance.
type Calibration [Provenances]Trust

func (c *Calibration) add(o *Calibration) {
	for p := range c {
		c[p].Ns += o[p].Ns
		c[p].Right += o[p].Right
		c[p].Low += o[p].Low
		c[p].High += o[p].High
		c[p].Seen.Dumps += o[p].Seen.Dumps
		c[p].Seen.Asked += o[p].Seen.Asked
		c[p].Seen.Agrees += o[p].Seen.Agrees
	}
}

// Trust is how much of what has one provenance is expected to be right.
type Trust struct {
	Ns    int64   // waiting
	Right float64 // of it
	Low   float64 // bounds of Right
	High  float64
	Seen  Agreement
}

// doubted is how many dumps the expectation of the inference itself weighs as
// much as.
const doubted = 25

// Expected is the share that is expected to be right: what the inference
// expects, corrected by the dumps that were held back. ok is false where
// nothing tells.
func (t *Trust) Expected() (share float64, ok bool) {
	if t.Ns == 0 || math.IsNaN(t.Right) {
		return t.Seen.Share(), t.Ns > 0 && t.Seen.Dumps >= doubted
	}
	share = t.Right / float64(t.Ns)
	if t.Seen.Asked > 0 {
		n := float64(t.Seen.Dumps)
		share = (doubted*share + n*t.Seen.Share()) / (doubted + n)
	}
	return share, true
}

// Bounds are those of what is expected to be right: the inference does not know
// how far its model tells of single gaps.
func (t *Trust) Bounds() (low, high float64) {
	share, _ := t.Expected()
	n := float64(max(t.Ns, 1))
	return min(share, t.Low/n), min(max(share, t.High/n), 1)
}

// Disagrees reports whether dumps tell something else than the inference
// expects, by more than chance.
func (t *Trust) Disagrees() bool {
	if t.Seen.Dumps < doubted || t.Ns == 0 || math.IsNaN(t.Right) {
		return false
	}
	want := t.Right / float64(t.Ns)
	return math.Abs(t.Seen.Share()-want) > 3*math.Sqrt(max(want*(1-want), 0.01)/float64(t.Seen.Dumps))
}

// Agreement counts what dumps show that were held back: the inference did not
// use them, and was then asked who owned the lock at their instant.
type Agreement struct {
	Dumps  int // locks in dumps
	Asked  int64
	Agrees int64 // of Asked: threads that waited then
}

// add counts a dump of a lock so many threads waited for.
func (a *Agreement) add(waiters int64, agrees bool) {
	a.Dumps++
	a.Asked += waiters
	if agrees {
		a.Agrees += waiters
	}
}

// Share is the part that agrees.
func (a *Agreement) Share() float64 { return float64(a.Agrees) / float64(max(a.Asked, 1)) }

// waiterCounts tells, for any instant, how many threads waited for a lock.
type waiterCounts struct {
	starts, ends sums
	began, ended int   // what was found last
	at, sum      int64 // the instant until was asked for last, and what it returned
}

// waiterCounts counts the waits of a lock.
func (ev *evidence) waiterCounts(waits []column.Ref) waiterCounts {
	c := waiterCounts{starts: make(sums, len(waits)+1), ends: make(sums, len(waits)+1), at: minTime}
	for i, w := range waits {
		c.starts[i+1], c.ends[i+1] = ev.Span(w)
	}
	slices.Sort(c.ends[1:])
	c.starts.add()
	c.ends.add()
	return c
}

// sums are the sums of the first none, one, two and so on of some instants in
// order of time. They may wrap around; their differences do not.
type sums []int64

// add makes sums of instants that begin at index one.
func (s sums) add() {
	for i := 1; i < len(s); i++ {
		s[i] += s[i-1]
	}
}

// instant returns one of them.
func (s sums) instant(i int) int64 { return s[i+1] - s[i] }

// upTo returns how many of the instants are at t or before; n is what it
// returned for an instant that is mostly near.
func (s sums) upTo(n int, t int64) int {
	return nearby(n, len(s)-1, func(i int) bool { return s.instant(i) <= t })
}

// nearby returns how many of n things in order come before something; that is mostly
// near at, for who asks mostly goes forward in time. It steps ever farther from there.
func nearby(at, n int, before func(i int) bool) int {
	lo, hi := at, at
	if at < n && before(at) {
		for step := 1; ; step *= 2 {
			if lo, hi = hi+1, min(hi+step, n); hi == n || !before(hi) {
				break
			}
		}
	} else {
		for step := 1; hi > 0; step *= 2 {
			if lo = max(hi-step, 0); before(lo) {
				lo++
				break
			}
			hi = lo
		}
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; before(mid) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// share is a part of a whole.
func share(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

// recordedShare returns the share of the waits for a lock that were recorded,
// where recorders leave short ones out: as the lengths of those that were, above
// the shortest, fall off, so they do below it.
func (ev *evidence) recordedShare(waits []column.Ref) float64 {
	shortest, sum := int64(maxTime), 0.0
	for _, i := range waits {
		start, end := ev.Span(i)
		if length := end - start; length > 0 {
			shortest = min(shortest, length)
			sum += float64(length)
		}
	}
	above := sum/float64(max(len(waits), 1)) - float64(shortest)
	return math.Exp(-float64(shortest) / max(above, 1))
}

// waiting returns how many threads wait at an instant.
func (c *waiterCounts) waiting(t int64) int64 {
	c.began, c.ended = c.starts.upTo(c.began, t), c.ends.upTo(c.ended, t)
	return int64(c.began - c.ended)
}

// lastBegan returns when the last wait began before t.
func (c *waiterCounts) lastBegan(t int64) (at int64, ok bool) {
	if c.began = c.starts.upTo(c.began, t-1); c.began == 0 {
		return 0, false
	}
	return c.starts.instant(c.began - 1), true
}

// during returns the waiting in a stretch, in ns.
func (c *waiterCounts) during(lo, hi int64) int64 {
	before := c.until(lo)
	return c.until(hi) - before
}

// until returns the waiting before t: mostly of where the stretch before ended.
func (c *waiterCounts) until(t int64) int64 {
	if t != c.at {
		n := c.waiting(t)
		c.at, c.sum = t, n*t-c.starts[c.began]+c.ends[c.ended]
	}
	return c.sum
}

// pool is what the rests of gaps are charged to, all together.
type pool struct {
	by     map[format.StackID]*int64 // by call site; NoStack: to nobody
	recent [8]charged                // of those, met lately
	total  int64
	sure   float64 // what the model expects to be right, gap by gap
	meant  float64 // what it expects to be one of the stretches that are divided
	hidden float64 // what the model cannot tell of, since acquisitions are not recorded

	least, most float64 // so many times as much may be others' as is charged to them
}

// charged is what a call site has been charged, in ns.
type charged struct {
	stack format.StackID
	ns    *int64
}

// of returns what a call site has been charged.
func (p *pool) of(st format.StackID) *int64 {
	at := &p.recent[int(st)%len(p.recent)]
	if at.ns != nil && at.stack == st {
		return at.ns
	}
	if p.by == nil {
		p.by = map[format.StackID]*int64{}
	}
	if p.by[st] == nil {
		p.by[st] = new(int64)
	}
	*at = charged{st, p.by[st]}
	return at.ns
}

// add counts what is charged to a call site, given how much of it the model
// expects to be right and how much to be what is divided, and which share of the
// acquisitions was recorded.
func (p *pool) add(st format.StackID, ns int64, right, meant, seen float64) {
	*p.of(st) += ns
	p.total += ns
	p.sure += right * float64(ns)
	p.meant += meant * float64(ns)
	p.hidden += (1 - seen) * float64(ns)
}

func (p *pool) merge(o *pool) {
	for st, ns := range o.by {
		p.add(st, *ns, 0, 0, 1)
	}
	p.sure += o.sure
	p.meant += o.meant
	p.hidden += o.hidden
}

// agreement is how much would be right if the model told how much each call
// site has of all rests together, but nothing of any single one, and so many
// times as much were others' as is charged to them. It sums in order: the last
// digits of a sum of floats depend on it.
func (p *pool) agreement(times float64) (ns float64) {
	total := float64(max(p.total, 1))
	free := float64(*p.of(format.NoStack)) / total
	if held := 1 - free; held > 0 {
		times = min(times, 1/held)
	}
	share := free * (1 - (1-free)*times)
	for _, st := range slices.Sorted(maps.Keys(p.by)) {
		if part := float64(*p.by[st]) / total; st != format.NoStack {
			share += part * part * times
		}
	}
	return share * p.meant
}

// settle counts a pool. The model knows the sums, and little of single gaps:
// what it expects gap by gap, where that is more than the sums alone give, is a
// bound, and so is what the sums give where the ways to count others disagree. Of
// what it cannot tell, the first owner, another one and nobody are as likely.
func (t *Trust) settle(p *pool) {
	alone := p.agreement(1)
	low, high := alone, alone
	if p.most > 0 {
		less, more := p.agreement(p.least), p.agreement(p.most)
		low, high = min(alone, less, more), max(alone, less, more)
	}
	seen := 1 - p.hidden/float64(max(p.total, 1))
	t.Right += seen*alone + p.hidden/3
	t.Low += seen * min(low, p.sure)
	t.High += seen*max(high, p.sure) + p.hidden
}

// expect counts waiting of which a share is expected to be right.
func (t *Trust) expect(share float64, ns int64) {
	right := share * float64(ns)
	t.Right += right
	t.Low += right
	t.High += right
}

// The kinds of rests of gaps that are divided alike.
const (
	restWhole   = iota // somebody waited all along
	restMet            // what the first thread met that came meanwhile, and is not the first owner
	restArrival        // what followed
	restNamed          // the last owner is known by name only
	rests
)
