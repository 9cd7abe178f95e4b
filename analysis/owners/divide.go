package owners

import "contend/format"

// divide asks samples how the sections of some locks divide. Call sites that were joined
// have no sample of their own.
func (ev *evidence) divide(k *kin, builders []*builder) {
	if k.model == nil || k.joined || k.witnesses.total == 0 {
		return
	}
	ev.divideSections(k, builders)
	if len(builders) == 1 { // else samples do not tell which one somebody has
		k.spare, k.untrue = builders[0].spare()
		k.scarce = k.spare < 1
	}
}

// divideSections asks how sections divide what is not free.
func (ev *evidence) divideSections(k *kin, builders []*builder) {
	stops, busy := make([]bool, len(k.stacks)), 0.0
	for _, b := range builders {
		b.stops(stops)
		busy += b.s.busyShare()
	}
	c := ev.take(k, busy, stops)
	if !c.tells() { // mostly, and the rest goes through all gaps
		return
	}
	for _, b := range builders {
		b.meet()
	}
	k.shares = c.count().shares(func() []int64 {
		total := make([]int64, len(k.stacks))
		for _, b := range builders {
			b.tally(total, mostTallied)
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

// spare asks samples how much of what the model has for free stays so, and how much of
// it those contradict that may be of a section.
func (b *builder) spare() (stays, untrue float64) {
	o := b.occupied()
	if o.perhaps == 0 || o.asked == 0 { // often
		return 1, 0
	}
	b.tally(make([]int64, len(b.kin.stacks)), fewTallied)
	free := share(b.owns.free, b.owns.all)
	if stays = 1; o.held > 0 {
		stays = o.spare(free, o.held)
	}
	return stays, 1 - max(o.spare(free, o.perhaps), 0)
}

// tally adds what the model charges to the call sites, in ns, and charges
// nothing. Of many gaps so many are asked about, or fewer.
func (b *builder) tally(total []int64, most int) {
	b.owns = divided{}
	b.prepare()
	b.tallied = total
	one := 1 + b.kin.acquired/most // run in so many
	b.gaps(func(g *gap) {
		if isTallied(g.at, one) {
			b.fill(g)
		}
	})
	b.tallied, b.charging = nil, nil
}
