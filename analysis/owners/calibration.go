package owners

import "math"

// Calibration is by provenance.
type Calibration [Provenances]Trust

func (c *Calibration) add(o *Calibration) {
	for p := range c {
		c[p].drawn.add(&o[p].drawn)
		c[p].Ns += o[p].Ns
		c[p].Right += o[p].Right
		c[p].Low += o[p].Low
		c[p].High += o[p].High
		c[p].Seen.merge(&o[p].Seen)
	}
}

// Trust is how much of what has one provenance is expected to be right.
type Trust struct {
	Ns    int64   // waiting
	Right float64 // of it
	Low   float64 // bounds of Right
	High  float64
	Seen  Agreement

	drawn drawn
}

// drawn is the part of what is expected that draws on dumps already: they do not
// correct it once more, and that they tell something else of what is claimed without
// them is no doubt about what is claimed with them.
type drawn struct {
	ns    int64
	right float64
	seen  Agreement
}

func (t *drawn) add(o *drawn) {
	t.ns += o.ns
	t.right += o.right
	t.seen.merge(&o.seen)
}

// doubted is how many dumps the expectation of the inference itself weighs as
// much as.
const doubted = 25

// Expected is the share that is expected to be right: what the inference
// expects, corrected by the dumps that were held back. ok is false where
// nothing tells.
func (t *Trust) Expected() (share float64, ok bool) {
	if t.Ns == 0 || math.IsNaN(t.Right) {
		return t.Seen.Share(), t.Ns > 0 && t.Seen.number() >= doubted
	}
	rest := t.undrawn()
	share = rest.right / float64(max(rest.ns, 1))
	if seen := &rest.seen; seen.Asked > 0 {
		n := seen.number()
		share = (doubted*share + n*seen.Share()) / (doubted + n)
	}
	share = (t.drawn.right + share*float64(rest.ns)) / float64(t.Ns)
	return share, true
}

// cut leaves so much of the waiting.
func (t *Trust) cut(ns int64) {
	part := share(ns, t.Ns)
	t.Right, t.Low, t.High = part*t.Right, part*t.Low, part*t.High
	t.drawn.ns, t.drawn.right = int64(part*float64(t.drawn.ns)), part*t.drawn.right
	t.Ns = ns
}

// undrawn is what dumps can correct, or contradict.
func (t *Trust) undrawn() drawn {
	return drawn{t.Ns - t.drawn.ns, t.Right - t.drawn.right, t.Seen.without(&t.drawn.seen)}
}

// Bounds are those of what is expected to be right: the inference does not know
// how far its model tells of single gaps.
func (t *Trust) Bounds() (low, high float64) {
	share, _ := t.Expected()
	n := float64(max(t.Ns, 1))
	return min(share, t.Low/n), min(max(share, t.High/n), 1)
}

// Disagrees returns what dumps tell and what the inference expects instead; ok is
// false where they agree but for chance.
func (t *Trust) Disagrees() (seen Agreement, expected float64, ok bool) {
	rest := t.undrawn()
	seen, expected = rest.seen, rest.right/float64(max(rest.ns, 1))
	n := seen.number()
	if n < doubted || rest.ns == 0 || math.IsNaN(expected) {
		return seen, expected, false
	}
	return seen, expected, math.Abs(seen.Share()-expected) > 3*math.Sqrt(max(expected*(1-expected), 0.01)/n)
}

// expect counts waiting of which a share is expected to be right.
func (t *Trust) expect(share float64, ns int64) {
	right := share * float64(ns)
	t.Right += right
	t.Low += right
	t.High += right
}

// doubt widens the bounds of waiting of which some is expected to be right: it may be off
// by so much.
func (t *Trust) doubt(right, off float64, ns int64) {
	t.Low -= min(off, right) * float64(ns)
	t.High += min(off, 1-right) * float64(ns)
}

// Agreement counts what dumps show that were held back: the inference did not
// use them, and was then asked who owned the lock at their instant.
type Agreement struct {
	Dumps  int // locks in dumps
	Asked  int64
	Agrees int64 // of Asked: threads that waited then

	Squares int64 // the sum of the squares of how many waited at each
}

func (a *Agreement) merge(o *Agreement) {
	a.Dumps += o.Dumps
	a.Asked += o.Asked
	a.Agrees += o.Agrees
	a.Squares += o.Squares
}

// without returns what is left but for some of it.
func (a *Agreement) without(o *Agreement) Agreement {
	return Agreement{a.Dumps - o.Dumps, a.Asked - o.Asked, a.Agrees - o.Agrees, a.Squares - o.Squares}
}

// number returns how many dumps at which as many threads waited would say as much:
// one at which a hundred did is still one instant.
func (a *Agreement) number() float64 {
	return float64(a.Asked) * float64(a.Asked) / float64(max(a.Squares, 1))
}

// add counts a dump of a lock so many threads waited for.
func (a *Agreement) add(waiters int64, agrees bool) {
	a.Dumps++
	a.Asked += waiters
	a.Squares += waiters * waiters
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
	last := len(s) - 1
	for range fewSteps {
		if n == last || s.instant(n) > t {
			break
		}
		n++
	}
	if n > 0 && s.instant(n-1) > t || n < last && s.instant(n) <= t { // seldom
		return nearby(n, last, func(i int) bool { return s.instant(i) <= t })
	}
	return n
}

// fewSteps is how far who asks mostly goes forward: so far a loop is quicker than
// nearby, which has to call its caller at each step.
const fewSteps = 3

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
