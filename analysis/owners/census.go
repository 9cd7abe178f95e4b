package owners

import (
	"math"
	"slices"

	"contend/analysis/owners/renewal"
)

// census is what samples show of the sections of some locks.
type census struct {
	k       *kin
	stops   []bool // by site: its sections stop, or no sample shows them
	parts   []*witness
	samples float64 // of all parts
	meets   float64 // samples while somebody waits
	all     float64 // the sum over all parts; see met
}

// take lists the parts of the program that are sections of some locks, given for how much
// of the time somebody waits and at which call sites sections were seen to stop.
func (ev *evidence) take(k *kin, busy float64, stops []bool) *census {
	c := &census{k: k, stops: slices.Repeat([]bool{true}, len(k.stacks))}
	var unsure, beside []*witness
	for _, p := range k.witnesses.list {
		switch {
		case p.site >= 0 && !k.mostlyInside(p): // it has what the model gives it, unless others hide
			beside = append(beside, p)
		case p.site >= 0:
			c.stops[p.site] = c.stops[p.site] && stops[p.site]
			c.parts = append(c.parts, p)
		case k.witnesses.is(p) && (k.hides() || p.hinders(busy)): // else hardly anybody has the lock who never waited for it
			unsure = append(unsure, p)
		case k.hides() && k.witnesses.displaces(p):
			unsure = append(unsure, p)
		}
	}
	if len(unsure) == 0 {
		return c
	}
	r, hidden := ev.rounds(k), false
	for _, p := range unsure {
		if r.exclusive(p) && (k.witnesses.is(p) || r.excludes(p, k.witnesses.total)) {
			p.hidden = p.hinders(busy)
			c.parts, hidden = append(c.parts, p), hidden || p.hidden
		}
	}
	if hidden && !k.hides() {
		c.stops, c.parts = stops, append(c.parts, beside...)
	}
	return c
}

// hinders reports whether a part is sampled nearly only while somebody waits, given for how
// much of the time somebody does, and oftener than by chance.
func (p *witness) hinders(busy float64) bool {
	return p.inside >= timesPrompt*(p.total-p.inside) && exceeds(p.inside, p.total, busy)
}

// mostlyInside reports whether a method does most of what it does in its section, as far as
// samples tell: it is not seen before that, nor, where all acquisitions are known, two threads
// in it at a time.
func (k *kin) mostlyInside(p *witness) bool {
	return !k.witnesses.early(p) && (k.hides() || k.locks > 1 || p.alone)
}

// tells reports whether samples tell of any part more than the model: of what
// stops they show too little.
func (c *census) tells() bool {
	return slices.ContainsFunc(c.parts, func(p *witness) bool { return p.site < 0 || !c.stops[p.site] })
}

// count counts the samples.
func (c *census) count() *census {
	for _, p := range c.parts {
		c.samples += float64(p.total)
		c.meets += float64(p.meets)
		c.all += c.met(p)
	}
	return c
}

// met is how likely it is that who comes at any time meets a part of the
// program, times how long it then lasts: as long as it is sampled for each time
// the lock is taken there.
func (c *census) met(p *witness) float64 {
	n, times := float64(p.total), 1.0
	if p.site >= 0 {
		times += c.k.mixes[0][p.site]
	}
	return n * n / times
}

// part is what the samples say a part of the program has of the time of all: as
// those do that were taken while somebody waited, and as who comes at any time
// would meet it, where those are few.
func (c *census) part(p *witness) float64 {
	return (float64(p.meets) + renewal.Trust*c.met(p)/c.all) / (c.meets + renewal.Trust)
}

// weight is that of the samples beside the model, which weighs as much as one of them: however
// many gaps it knows, it is wrong where threads that have the lock wait for a processor, and
// where acquisitions are missing. Of samples taken at any time no more count than a first guess
// weighs.
func (c *census) weight() float64 {
	n := c.meets + min(c.samples, renewal.Trust)
	return n / (n + 1)
}

// shares divides what the model gives the call sites together. What it gives each is asked for where it matters,
// since that takes going through all gaps.
func (c *census) shares(tally func() []int64) *shares {
	n := len(c.stops)
	sh := &shares{weight: c.weight(), stops: c.stops, factor: slices.Repeat([]float64{1}, n), by: make([]float64, n)}
	left := 0.0
	least := make([]float64, n)
	for _, p := range c.parts {
		switch part := c.part(p); {
		case p.site >= 0 && c.stops[p.site]:
			least[p.site] += part
		case p.site >= 0:
			sh.by[p.site] += part
			left += part
		default:
			sh.hidden = append(sh.hidden, hidden{p.stack, part})
			left += part
		}
	}
	for s := range sh.by {
		sh.by[s] /= left
	}
	if slices.Max(least) > 0 {
		sh.raise(tally(), least)
	}
	for i := range sh.hidden {
		sh.hidden[i].part /= left
	}
	return sh
}

// raise makes what the model gives each site, in ns, as much of all as samples
// show at least.
func (sh *shares) raise(given []int64, least []float64) {
	whole := sum(given)
	for s, ns := range given {
		if has := share(ns, whole); has > 0 && has < least[s] {
			sh.factor[s] += sh.weight * (least[s]/has - 1)
		}
	}
}

// exclusive reports whether a part of the program is seldom sampled in one
// round with a section in another thread, or with itself: what has nothing
// to do with a lock is as often as by chance.
func (r *rounds) exclusive(p *witness) bool {
	return overChance*r.together[p]*r.n <= p.total*(r.inside+p.total)
}

// excludes reports whether that is so of a part that is sampled much, when the samples of
// two threads in one round are told apart by chance: where all processors are busy there are
// few, and what is sampled most is so in most of them.
func (r *rounds) excludes(p *witness, total int) bool {
	own, sections := share(int64(p.total), int64(total)), share(int64(r.inside), int64(total))
	byChance := float64(r.pairs) * own * (own + 2*sections)
	return math.Exp(-byChance) <= tolerance && oftener*float64(r.together[p]) <= byChance
}

// apart reports whether a section is seldom sampled in one round with another one, or with
// itself, in another thread: sampled in any rounds they would be oftener.
func (r *rounds) apart(p *witness) bool {
	return 2*overChance*r.together[p]*r.n <= p.total*(2*r.inside-p.total)
}

// tells reports whether a part was sampled so often that by chance it would have
// been together with a section.
func (r *rounds) tells(p *witness) bool {
	return math.Exp(-float64(p.total)*float64(r.inside)/float64(max(r.n, 1))) <= tolerance
}

func sum(list []int64) (ns int64) {
	for _, x := range list {
		ns += x
	}
	return ns
}
