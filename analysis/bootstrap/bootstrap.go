package bootstrap

import (
	"math"
	"slices"
)

// replicates is the number of times a recording is resampled. It is enough for a 95 %
// interval, whose ends then rest on 50 replicates.
const replicates = 1000

// minBlocks is the number of independent blocks below which their variance has no meaning.
const minBlocks = 6

// Estimate is a ratio with its 95 % interval, Value ± Half.
type Estimate struct {
	Value   float64
	Half    float64
	SE      float64 // standard error, with Blocks-1 degrees of freedom; infinite if the recording is too short
	BlockNs int64   // duration of a block
	Blocks  int     // number of blocks in the recording
}

// Scale returns the estimate of factor times the ratio.
func (e Estimate) Scale(factor float64) Estimate {
	e.Value *= factor
	e.Half *= factor
	e.SE *= factor
	return e
}

// Ratio estimates sum(num)/sum(den) over the cells by a circular block bootstrap. Blocks of
// cells, long enough to be nearly independent, are drawn with replacement until they fill
// the recording. Both series are drawn together, so common variation cancels.
//
// The interval is symmetric: 95 % of the replicates are within Half of Value, widened by
// Student's t for the number of blocks. A sampled sum is never more precise than one tick
// of one thread.
func (c *Cells) Ratio(num, den []int64) Estimate { return c.ratio(num, den, minBlocks) }

// RatioOfAll estimates the same of a whole recording, where a wide interval is better than
// none: from two blocks on, by Student's t. A state that no tick shows may last as long as
// 3 ticks of one thread (the rule of three).
func (c *Cells) RatioOfAll(num, den []int64) Estimate {
	e := c.ratio(num, den, 2)
	if sum := prefix(den, len(c.Length))[len(c.Length)]; sum > 0 {
		e.Half = max(e.Half, 3*float64(c.Grain)/sum)
	}
	return e
}

func (c *Cells) ratio(num, den []int64, least int) Estimate {
	n := len(c.Length)
	x, y := prefix(num, n), prefix(den, n)
	if n == 0 || y[n] <= 0 {
		return Estimate{}
	}
	e := Estimate{Value: x[n] / y[n]}
	b := blockLength(deviations(x, y, e.Value))
	e.BlockNs, e.Blocks = int64(b)*c.Width, n/b
	if e.Blocks < least {
		e.Half, e.SE = math.Inf(1), math.Inf(1)
		return e
	}
	off := c.draw(x, y, b, e.Value, &den[0])
	bessel := math.Sqrt(float64(e.Blocks) / float64(e.Blocks-1)) // blocks vary around their own mean, not the true one
	widen := bessel * Student(float64(e.Blocks-1), 0.975) / half975
	grain := float64(c.Grain) / y[n]
	if c.Sampled {
		grain = max(grain, e.Value*episodeError(num))
	}
	e.Half = max(off[len(off)*95/100]*widen, grain)
	e.SE = max(rootMeanSquare(off)*bessel, grain/half975)
	return e
}

// rare is how many times the cells with something in them a series of rare episodes has at least.
const rare = 5

// episodeError returns how far, relative to it, a rate of rare episodes may lie from what the
// samples show: Poisson's upper limit at 97.5 % for their number (Wilson and Hilferty). A bootstrap
// that has seen few of them repeats those few.
func episodeError(num []int64) float64 {
	n, cells := 0, 0
	for i, ns := range num {
		if ns == 0 {
			continue
		}
		if cells++; i == 0 || num[i-1] == 0 {
			n++
		}
	}
	if n == 0 || cells*rare > len(num) {
		return 0
	}
	k := float64(n + 1)
	return k*math.Pow(1-1/(9*k)+half975/(3*math.Sqrt(k)), 3)/float64(n) - 1
}

// Rate estimates the sum of a series per elapsed time.
func (c *Cells) Rate(num []int64) Estimate { return c.Ratio(num, c.Length) }

// Span returns the length of the recording, in nanoseconds.
func (c *Cells) Span() int64 {
	sum := int64(0)
	for _, n := range c.Length {
		sum += n
	}
	return sum
}

// draw returns the distance of each replicate's ratio from the value, in ascending order.
func (c *Cells) draw(x, y []float64, b int, value float64, of *int64) []float64 {
	if c.draws == nil {
		c.draws = drawsOf(len(x) - 1)
	}
	p := c.draws.plan(b)
	below, off := c.divisors(p, y, of), p.sums(x)
	for i, num := range off {
		if off[i] = math.Abs(num/below[i] - value); below[i] <= 0 {
			off[i] = math.NaN()
		}
	}
	off = slices.DeleteFunc(off, math.IsNaN)
	if len(off) == 0 {
		return []float64{math.Inf(1)}
	}
	slices.Sort(off)
	return off
}

// divisor is a series used as a divisor, in blocks of one length.
type divisor struct {
	first *int64 // its first cell
	block int
}

// divisors returns the sums by replicate of a divisor, which its first cell identifies.
// They are cached: whole tables have the same one or two divisors.
func (c *Cells) divisors(p *plan, y []float64, of *int64) []float64 {
	key := divisor{of, p.block}
	sums, known := c.divisorSums[key]
	if !known {
		if c.divisorSums == nil {
			c.divisorSums = map[divisor][]float64{}
		}
		sums = p.sums(y)
		c.divisorSums[key] = sums
	}
	return sums
}

// prefix returns the sums of the first 0, 1, ..., n cells.
func prefix(s []int64, n int) []float64 {
	p := make([]float64, n+1)
	for i := range n {
		p[i+1] = p[i]
		if i < len(s) {
			p[i+1] += float64(s[i])
		}
	}
	return p
}

// deviations returns the contribution of each cell to the error of the ratio.
func deviations(x, y []float64, value float64) []float64 {
	z := make([]float64, len(x)-1)
	for i := range z {
		z[i] = x[i+1] - x[i] - value*(y[i+1]-y[i])
	}
	return z
}

func rootMeanSquare(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}
