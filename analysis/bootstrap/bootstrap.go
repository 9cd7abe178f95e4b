package bootstrap

import (
	"math"
	"slices"

	"contend/analysis/cores"
)

// replicates is how often a recording is drawn anew: enough for 95 %, whose
// ends then rest on 50 draws. Some of them are worked out together, a part of all.
const (
	replicates = 1000
	together   = 125
)

// fewestBlocks is how many independent pieces it takes to say anything of how
// much they vary.
const fewestBlocks = 6

// Estimate is a ratio with its 95 % interval, Value ± Half.
type Estimate struct {
	Value   float64
	Half    float64
	SE      float64 // standard error, of Blocks-1 degrees of freedom; infinite when the recording is too short to tell
	BlockNs int64   // length of the blocks drawn
	Blocks  int     // how many fill the recording
}

// Scale returns the estimate of factor times the ratio.
func (e Estimate) Scale(factor float64) Estimate {
	e.Value, e.Half, e.SE = e.Value*factor, e.Half*factor, e.SE*factor
	return e
}

// Ratio estimates sum(num)/sum(den) over the cells by a circular block
// bootstrap: blocks of cells, long enough that what happens in one says
// little of the next, are drawn with replacement until they fill the
// recording. Both series are drawn together, so that what they share cancels.
//
// The interval is symmetric: 95 % of the draws are within Half of Value,
// widened by Student's t for the number of blocks. A sampled sum is never
// surer than one tick of one thread.
func (c *Cells) Ratio(num, den []int64) Estimate {
	n := len(c.Length)
	x, y := prefix(num, n), prefix(den, n)
	if n == 0 || y[n] <= 0 {
		return Estimate{}
	}
	e := Estimate{Value: x[n] / y[n]}
	b := blockLength(deviations(x, y, e.Value))
	e.BlockNs, e.Blocks = int64(b)*c.Width, n/b
	if e.Blocks < fewestBlocks {
		e.Half, e.SE = math.Inf(1), math.Inf(1)
		return e
	}
	off := c.draw(x, y, b, e.Value)
	bessel := math.Sqrt(float64(e.Blocks) / float64(e.Blocks-1)) // blocks vary around their own mean, not the true one
	widen := bessel * Student(float64(e.Blocks-1), 0.975) / half975
	grain := float64(c.Grain) / y[n]
	e.Half = max(off[len(off)*95/100]*widen, grain)
	e.SE = max(rootMeanSquare(off)*bessel, grain/half975)
	return e
}

// Rate estimates how much of elapsed time a series takes: the sum over the
// length of the recording.
func (c *Cells) Rate(num []int64) Estimate { return c.Ratio(num, c.Length) }

// Span returns the length of the recording, in nanoseconds.
func (c *Cells) Span() int64 {
	sum := int64(0)
	for _, n := range c.Length {
		sum += n
	}
	return sum
}

// draw returns how far the ratio of each replicate is from the value, in
// ascending order.
func (c *Cells) draw(x, y []float64, b int, value float64) []float64 {
	n := len(x) - 1
	blocks, sums := (n+b-1)/b, around(x, y, b)
	last := n - (blocks-1)*b
	if c.drawn == nil {
		c.drawn = drawsOf(n)
	}
	off := make([]float64, replicates)
	cores.Each(replicates/together, func(part int) {
		from := c.drawn.first((part+1)*together*blocks, replicates*blocks)[part*together*blocks:]
		for i := range off[part*together : (part+1)*together] {
			off[part*together+i] = math.Abs(replicate(sums, from[i*blocks:(i+1)*blocks], b, last) - value)
		}
	})()
	off = slices.DeleteFunc(off, math.IsNaN)
	if len(off) == 0 {
		return []float64{math.Inf(1)}
	}
	slices.Sort(off)
	return off
}

// replicate returns the ratio over the blocks that begin at some cells, of which the last
// is shorter; what is no number where there is nothing to divide by.
func replicate(sums []pair, from []uint32, block, last int) float64 {
	s := pair{}
	for _, at := range from[:len(from)-1] {
		s.add(&sums[at], &sums[int(at)+block])
	}
	at := from[len(from)-1]
	if s.add(&sums[at], &sums[int(at)+last]); s.y <= 0 {
		return math.NaN()
	}
	return s.x / s.y
}

// pair is what both series of a ratio sum to.
type pair struct{ x, y float64 }

// add adds what lies between two cells.
func (p *pair) add(from, to *pair) {
	p.x += to.x - from.x
	p.y += to.y - from.y
}

// around pairs the sums of two series, and goes on for a block behind the last
// cell, where the first comes again.
func around(x, y []float64, block int) []pair {
	n := len(x) - 1
	out := make([]pair, n+block+1)
	for i := range out {
		if out[i] = (pair{x[i%n], y[i%n]}); i >= n {
			out[i] = pair{x[n] + x[i-n], y[n] + y[i-n]}
		}
	}
	return out
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

// deviations is what each cell contributes to the error of the ratio.
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
