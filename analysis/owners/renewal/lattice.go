package renewal

import (
	"math"
	"math/bits"
	"slices"
)

// cells is how many equal cells the lengths that make up most of the time are
// told apart by: a section of a hundredth of the longest is still seen.
const cells = 160

// tails is how many further classes there are for longer ones, each twice the
// one before: up to the longest there is, where a cell is 1 ns.
const tails = 56

const _ = int64(cells << (tails - 1)) // where the last one begins

// inGrid is the part of the time between acquisitions that the equal cells
// hold. Of what is longer, one component makes up nearly all.
const inGrid = 0.9

// grid says how long a cell is.
type grid struct{ unit int64 }

// newGrid chooses the cell by where the time is, not by where the gaps are:
// the few long ones are what threads wait for. But a gap that is longer than
// twice any other one teaches nothing of lengths, and stays beyond the cells if
// with it half of the gaps would be a quarter of a cell at most.
func newGrid(gaps []Gap) grid {
	lengths, total := sorted(gaps)
	sum, top := 0.0, int64(1)
	for _, l := range lengths {
		if l > 2*top && unit(l)/4 > lengths[len(lengths)/2] {
			break
		}
		top = l
		if sum += float64(l); sum >= inGrid*total {
			break
		}
	}
	return grid{unit(top)}
}

// sorted returns the lengths of gaps in order, and their sum.
func sorted(gaps []Gap) (lengths []int64, total float64) {
	lengths = make([]int64, 0, len(gaps))
	for i := range gaps {
		lengths = append(lengths, gaps[i].Length)
	}
	slices.Sort(lengths)
	for _, l := range lengths {
		total += float64(l)
	}
	return lengths, total
}

// unit is the cell with which a length is the last one in the cells.
func unit(top int64) int64 { return max(top/(cells-1), 1) }

// cell returns the cell of a length; cells and false for one beyond them.
func (g grid) cell(ns int64) (c int, ok bool) {
	if ns >= g.unit*cells-g.unit/2 { // most of those that are asked for, and a division takes long
		return cells, false
	}
	return int((ns + g.unit/2) / g.unit), true
}

// tail returns the class of a length beyond the cells: how many times it can be
// halved until it is in them, found out without a division.
func (g grid) tail(ns int64) int {
	in := uint64(g.unit) * cells
	k := bits.Len64(uint64(ns)) - bits.Len64(in)
	if k > 0 && in<<k > uint64(ns) {
		k--
	}
	return max(k, 0)
}

type lattice [cells]float64

// convolve sets l to the sums over x of a(x)·b(t-x). It takes four x together,
// which reads and writes each sum once for all of them, and adds in order of x:
// the last digits of a sum depend on it.
func (l *lattice) convolve(a, b *lattice) {
	*l = lattice{}
	_, hi := b.extent()
	for x := 0; x < cells; x += 4 {
		p, q, r, s := a[x], a[x+1], a[x+2], a[x+3]
		if p == 0 && q == 0 && r == 0 && s == 0 {
			continue
		}
		into := l[x:min(x+hi+3, cells)]
		at := b[:min(hi+3, cells)]
		var b1, b2, b3 float64 // the ones before
		for y := range min(len(into), len(at)) {
			b0 := at[y]
			v := into[y] + p*b0
			v += q * b1
			v += r * b2
			into[y] = v + s*b3
			b1, b2, b3 = b0, b1, b2
		}
		for y := len(at); y < len(into); y++ {
			v := into[y] + q*b1
			v += r * b2
			into[y] = v + s*b3
			b1, b2, b3 = 0, b1, b2
		}
	}
}

// extent returns where the first cell is that is not zero, and where the last
// one ends.
func (l *lattice) extent() (lo, hi int) {
	for hi = cells; hi > 0 && l[hi-1] == 0; {
		hi--
	}
	for lo < hi && l[lo] == 0 {
		lo++
	}
	return lo, hi
}

// renew sets l to what solves l = a + g∗l, and m to what solves m = b + g∗m:
// each sum waits for the one before, so that two take as long as one.
func renew(l, a, m, b, g *lattice) {
	lo, hi := g.extent()
	lo = max(lo, 1)
	for t := range l {
		x, y := a[t], b[t]
		for k := lo; k < min(hi, t+1); k++ {
			x += g[k] * l[t-k]
			y += g[k] * m[t-k]
		}
		l[t], m[t] = x/(1-g[0]), y/(1-g[0])
	}
}

// widening is the part of its length over which a histogram of lengths is
// evened out: programs vary in proportion.
const widening = 0.12

// smoothed evens a histogram out and makes it sum to total.
func (l *lattice) smoothed(total float64) lattice {
	var out lattice
	sum := 0.0
	for k, v := range l {
		if v <= 0 {
			continue
		}
		r := int(float64(k) * widening)
		part := v / float64(2*r+1)
		wide := out[max(k-r, 0) : min(k+r, cells-1)+1]
		for j := range wide {
			wide[j] += part
			sum += part
		}
	}
	if sum > 0 {
		out.scale(total / sum)
	}
	return out
}

func (l *lattice) scale(by float64) {
	for i := range l {
		l[i] *= by
	}
}

// lognormal is a distribution around a median, in ns.
func (g grid) lognormal(median, sigma float64) lattice {
	var out lattice
	below := func(x float64) float64 {
		return 0.5 * (1 + math.Erf(math.Log(max(x, 1e-9)/max(median, 1e-9))/(sigma*math.Sqrt2)))
	}
	last := 0.0
	for k := range out {
		c := below((float64(k) + 0.5) * float64(g.unit))
		out[k] = c - last
		if last = c; c == 1 { // nothing is left
			break
		}
	}
	return out
}

// mean is the mean of a distribution, in cells.
func (l *lattice) mean() (sum float64) {
	for i, p := range l {
		sum += p * float64(i)
	}
	return sum
}

// rescaled returns the same in longer cells.
func (l *lattice) rescaled(from, to grid) *lattice {
	var out lattice
	for i, p := range l {
		if c, ok := to.cell(int64(i) * from.unit); ok {
			out[c] += p
		}
	}
	return &out
}
