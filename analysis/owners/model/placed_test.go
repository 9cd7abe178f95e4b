package model

import (
	"math"
	"testing"

	"contend/format"
	"contend/golden"
)

// recordPrevious sets the owner before each acquisition, and returns the program.
func (p *simulated) recordPrevious() *simulated {
	for i := range p.waits {
		for at := len(p.owners) - 1; at >= 0; at-- {
			if p.owners[at].Start < p.waits[i].End-1 && p.owners[at].End <= p.waits[i].End {
				p.waits[i].Last = p.owners[at].Thread
				break
			}
		}
	}
	return p
}

// placedShares returns the part of the waiting that each site is charged, and threads that are named last in a gap.
func (p *simulated) placedShares(gr *Group, l *Lock) (by map[format.StackID]float64, last map[int64]format.ThreadID) {
	by, last = map[format.StackID]float64{}, map[int64]format.ThreadID{}
	all := 0.0
	for _, x := range p.answer(gr, l) {
		ns := 0.0
		for i := range p.waits {
			ns += float64(max(0, min(x.End, p.waits[i].End)-max(x.Start, p.waits[i].Start)))
		}
		if all += ns; x.State == Held {
			by[x.Stack] += ns
			last[x.End] = x.Thread
		}
	}
	for s := range by {
		by[s] /= all
	}
	return by, last
}

// Of a lock with many gaps a sample is inferred; the shares of its sites stay, and so do facts: the recorded
// previous owner of an acquisition is the last one that is named before it.
func TestPlacedGapsKeepSharesAndFacts(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		p := several(8, 4000)
		if recorded {
			p.recordPrevious()
		}
		gr, l := p.group()
		want, _ := p.placedShares(gr, l)
		gr.inferred = 100
		got, last := p.placedShares(gr, l)
		for s := range want {
			if math.Abs(got[s]-want[s]) > 0.02 {
				t.Errorf("stack %d has %.3f of the waiting, %.3f if all gaps are inferred", s, got[s], want[s])
			}
		}
		named, others := 0, 0
		for _, w := range p.waits {
			if by := last[w.End]; recorded && by != format.NoThread {
				if named++; by != w.Last {
					others++
				}
			}
		}
		if recorded && (named < len(p.waits)/4 || others > 0) {
			t.Errorf(
				"of %d acquisitions %d follow a named owner, %d another than is recorded",
				len(p.waits),
				named,
				others,
			)
		}
	}
}

// The gaps that are inferred are about as many of 8,000 as of 2,000, and a dump is always among them.
func TestInferenceCostsPerLock(t *testing.T) {
	inferred := func(n int) (count int) {
		p := several(3, n)
		d := Dump{Time: (p.waits[len(p.waits)/2].Start + p.waits[len(p.waits)/2].End) / 2, Owner: 4, Waiters: 1}
		gr, l := p.group(d)
		gr.inferred = 50
		s, shown := gr.strataOf(l), false
		gr.worker().gaps(l, func(g *gap) bool {
			_, placed := s.choose(g)
			if !placed {
				count++
			}
			if g.from <= d.Time && d.Time < g.to {
				shown = !placed
			}
			return false
		}, func(*gap) {})
		if !shown {
			t.Error("the gap that a dump shows is placed")
		}
		return count
	}
	few, many := inferred(2000), inferred(8000)
	golden.AtMost(t, many, few*3/2, "gaps that are inferred of four times as many")
}
