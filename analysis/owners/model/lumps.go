package model

import (
	"math"

	"contend/format/column"
)

// A chain with a state for each site and phase would have dozens of states. Sites whose
// evidence is alike to within a factor of 16 are one state, a lump: the chain cannot tell
// them apart, so the posterior of a lump is divided among its sites by how likely each is entered.

// lump is one such state, by phase of the hold.
type lump struct {
	like [2 * cells]uint16 // the evidence, rounded

	enter  byPhase // e[p]: the probability that an entry is here and in the phase
	weight float64 // the sum over the sites of how likely each is entered
	can    byCell  // a[c], and the likelihood L[c]: means over the sites
	held   byCell

	alpha   byPhase        // the forward vector when the gap begins
	beta    byPhase        // the backward vector
	entered byPhase        // entries that are expected in the gap
	stay    [cells]byPhase // by cell: e[p] stay[p]
	leave   byCell         // a[c] times the part of the entries in a cell that is released in it
	x       [cells]byPhase // by cell, the forward vector without the evidence of the cell; later times beta
	sum     byCell         // of x beta over the phases
}

func (ch *chain) lump(mix []float64, ev *evidence) {
	ch.lumps = ch.lumps[:0]
	for s, x := range ch.group.sites {
		can := &ev.can[s]
		held := &ev.held[s]
		mix := mix[s]
		l := ch.lumpLike(s, can, held)
		l.weight += mix
		for p, w := range x.holds {
			l.enter[p] += mix * w
		}
		for c := range cells {
			l.can[c] += mix * can[c]
			l.held[c] += mix * held[c]
		}
	}
	for i := range ch.lumps {
		l := &ch.lumps[i]
		r := 1 / l.weight
		for c := range cells {
			l.can[c] *= r
			l.held[c] *= r
		}
	}
	for s, x := range ch.group.sites {
		enter := &ch.lumps[ch.lumpOf[s]].enter
		for p, w := range x.holds {
			ch.partOf[s][p] = mix[s] * w / enter[p]
		}
	}
}

// lumpLike returns the lump of a site with some evidence, a new one if there is none.
func (ch *chain) lumpLike(site int, can, held *byCell) *lump {
	var like [2 * cells]uint16
	// The upper bits of a float64 are sign, exponent and mantissa: this leaves every fourth power of two.
	for c := range cells {
		like[c] = uint16(math.Float64bits(can[c]*4) >> 54)
		like[cells+c] = uint16(math.Float64bits(held[c]*4) >> 54)
	}
	at := 0
	for at < len(ch.lumps) && ch.lumps[at].like != like {
		at++
	}
	if at == len(ch.lumps) {
		l := column.Next(&ch.lumps)
		l.like = like
		l.enter = byPhase{}
		l.weight = 0
		l.can = byCell{}
		l.held = byCell{}
	}
	ch.lumpOf[site] = int32(at)
	return &ch.lumps[at]
}
