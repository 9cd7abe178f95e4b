package owners

import (
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// Recorders that leave short waits out hide most acquisitions, and long sections
// of which no acquisition shows are taken for those that are known. Samples of
// running threads do not depend on who had to wait: while somebody waits, they
// show each section in proportion to the time threads run in it. They show
// nothing of owners that do not run, because they sleep, or wait themselves.
// So:
//
//   - a call site whose sections stop, as was recorded of them, and one no
//     sample shows keep what the model gives them, but a site has no smaller
//     part of all than of the samples;
//   - what is left goes to the others, and to parts of the program that are
//     sections though nobody waited there, as the samples divide;
//   - both as far as the samples tell more than the model does.
type shares struct {
	weight float64   // of the samples, beside the model; 0 where they tell nothing
	keeps  []bool    // by site: see above
	factor []float64 // by site that does: of what the model gives
	by     []float64 // by site that does not: its part of what is left
	hidden []hidden
}

// hidden is a section nobody is known to have waited at.
type hidden struct {
	stack format.StackID
	part  float64
}

// divide asks the samples how the sections of some locks divide, given how long
// the model says each lasted in all.
func (k *kin) divide(builders []*builder, ev *evidence) {
	if k.model == nil || k.witnesses.total == 0 || !k.hides() {
		return
	}
	for _, b := range builders {
		b.meet()
	}
	c := newCensus(k)
	c.add(ev)
	if c.all == 0 {
		return
	}
	total := make([]int64, len(k.stacks))
	for _, b := range builders {
		b.tally(total)
	}
	k.shares = c.shares(total)
}

// census counts the samples of sections.
type census struct {
	k      *kin
	parts  []*witness
	keeps  []bool
	meets  float64 // samples in stretches with waiters
	all    float64 // weights of all samples, see far
	weighs float64 // the model, in samples
}

// newCensus leaves out what no sample can show.
func newCensus(k *kin) *census {
	c := &census{k: k, keeps: slices.Repeat([]bool{true}, len(k.stacks))}
	for _, p := range k.witnesses.list {
		if p.site >= 0 && !k.stops[p.site] {
			c.keeps[p.site] = false
		}
	}
	known := float64(len(k.gaps))
	bias := 1 - k.recordedShare()
	c.weighs = 1 / (1/max(known, 1) + bias*bias)
	return c
}

// weight is that of the samples. What the model says of the shares is off by
// chance, less the more gaps it knows, and by as much as acquisitions are
// missing, however many it knows.
func (c *census) weight() float64 {
	return (c.meets + renewal.Trust) / (c.meets + renewal.Trust + c.weighs)
}

// add counts what is sampled inside.
func (c *census) add(ev *evidence) {
	var unsure []*witness
	for _, p := range c.k.witnesses.list {
		if p.site >= 0 {
			c.parts = append(c.parts, p)
		} else if c.k.witnesses.is(p) {
			unsure = append(unsure, p)
		}
	}
	if len(unsure) > 0 {
		c.parts = append(c.parts, ev.exclusive(c.k, unsure)...)
	}
	for _, p := range c.parts {
		c.meets += float64(p.meets)
		c.all += c.far(p)
	}
}

// far is how likely it is that who comes at any time meets a part, times how
// long it then still lasts: it is as long as samples show for each time the
// lock is taken there.
func (c *census) far(p *witness) float64 {
	n, times := float64(p.total), 1.0
	if p.site >= 0 {
		times += c.k.mixes[0][p.site]
	}
	return n * n / times
}

// part is what samples say that a part has of the time of all sections.
func (c *census) part(p *witness) float64 {
	return (float64(p.meets) + renewal.Trust*c.far(p)/c.all) / (c.meets + renewal.Trust)
}

// shares divides what the model gives the call sites together.
func (c *census) shares(total []int64) *shares {
	sh := &shares{weight: c.weight(), keeps: c.keeps, factor: make([]float64, len(total)), by: make([]float64, len(total))}
	sum, rest := 0.0, 0.0
	for _, ns := range total {
		sum += float64(ns)
	}
	least := make([]float64, len(total))
	for _, p := range c.parts {
		switch part := c.part(p); {
		case p.site < 0:
			sh.hidden = append(sh.hidden, hidden{p.stack, part})
			rest += part
		case c.keeps[p.site]:
			least[p.site] += part * sum
		default:
			sh.by[p.site] += part
			rest += part
		}
	}
	for s, ns := range total {
		sh.factor[s] = 1
		if c.keeps[s] && ns > 0 {
			sh.factor[s] += sh.weight * (max(least[s]/float64(ns), 1) - 1)
		}
	}
	if rest == 0 {
		sh.weight = 0 // nothing to go by
		return sh
	}
	for s := range sh.by {
		sh.by[s] /= rest
	}
	for i := range sh.hidden {
		sh.hidden[i].part /= rest
	}
	return sh
}

// apply divides what the model gives each site anew, and returns what is left
// for hidden sections.
func (sh *shares) apply(by []int64) (left int64) {
	if sh == nil {
		return 0
	}
	total, kept := int64(0), int64(0)
	for _, ns := range by {
		total += ns
	}
	for s, ns := range by {
		if sh.keeps[s] {
			by[s] = min(int64(float64(ns)*sh.factor[s]), total-kept)
			kept += by[s]
		}
	}
	left = total - kept
	others := int64(0)
	for s, ns := range by {
		if !sh.keeps[s] {
			others += ns
		}
	}
	whole := left
	for s, ns := range by {
		if !sh.keeps[s] {
			model := float64(ns) / float64(max(others, 1))
			by[s] = min(int64(float64(whole)*((1-sh.weight)*model+sh.weight*sh.by[s])), left)
			left -= by[s]
		}
	}
	return left
}
