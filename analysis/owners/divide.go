package owners

import "contend/format"

// divide asks samples how the sections of some locks divide. Call sites that were joined
// have no sample of their own.
func (ev *evidence) divide(k *kin, builders []*builder) {
	if k.model == nil || k.joined || k.witnesses.total == 0 {
		return
	}
	stops := make([]bool, len(k.stacks))
	for _, b := range builders {
		b.stops(stops)
	}
	c := ev.take(k, stops)
	if !c.tells() { // mostly, and the rest goes through all gaps
		return
	}
	for _, b := range builders {
		b.meet()
	}
	k.shares = c.count().shares(func() []int64 {
		total := make([]int64, len(k.stacks))
		for _, b := range builders {
			b.tally(total)
		}
		return total
	})
}

// stops notes the call sites whose sections were seen to stop.
func (b *builder) stops(at []bool) {
	for i := range b.s.seen {
		if p := b.kin.witnesses.family.of(b.s.seen[i].stack); p.site >= 0 {
			at[p.site] = true
		}
	}
}

// meet counts the samples in gaps in which nothing is seen, but those of the
// thread a gap begins with.
func (b *builder) meet() {
	b.gaps(func(g *gap) {
		if g.hi == maxTime || len(b.inside(g.lo, g.hi)) > 0 {
			return
		}
		b.running(format.NoThread, b.waitedFrom(g), g.hi, func(t format.ThreadID, stack format.StackID) {
			if t == g.first.thread || b.ev.inputOfThread(t) != b.kin.input {
				return
			}
			if p := b.kin.witnesses.at(stack); p != nil {
				p.meets++
			}
		})
	})
}

// tally adds what the model charges to the call sites, in ns, and charges
// nothing.
func (b *builder) tally(total []int64) {
	b.tallied = total
	b.prepare()
	one := 1 + b.kin.acquired/mostTallied // run in so many
	b.gaps(func(g *gap) {
		if isTallied(g.at, one) {
			b.fill(g)
		}
	})
	b.tallied, b.charging = nil, nil
}
