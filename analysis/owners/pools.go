package owners

import (
	"maps"
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// The kinds of rests of gaps that are divided alike.
const (
	restWhole   = iota // somebody waited all along
	restMet            // what the first thread met that came meanwhile, and is not the first owner
	restArrival        // what followed
	restNamed          // the last owner is known by name only
	rests
)

// pool is what the rests of gaps are charged to, all together.
type pool struct {
	by     map[format.StackID]*int64 // by call site; NoStack: to nobody
	recent [8]charged                // of those, met lately
	total  int64
	sure   float64 // what the model expects to be right, gap by gap
	meant  float64 // what it expects to be one of the stretches that are divided
	hidden float64 // what the model cannot tell of, since acquisitions are not recorded

	said answers // of what was held back from it

	least, most float64 // so many times as much may be others' as is charged to them
	untrue      float64 // part of what is free by the model that samples contradict
}

// pooled is a claim and the pool it belongs to.
type pooled struct {
	Ownership
	pool *pool
}

// charged is what a call site has been charged, in ns.
type charged struct {
	stack format.StackID
	ns    *int64
}

// of returns what a call site has been charged.
func (p *pool) of(st format.StackID) *int64 {
	at := &p.recent[int(st)%len(p.recent)]
	if at.ns != nil && at.stack == st {
		return at.ns
	}
	if p.by == nil {
		p.by = map[format.StackID]*int64{}
	}
	if p.by[st] == nil {
		p.by[st] = new(int64)
	}
	*at = charged{st, p.by[st]}
	return at.ns
}

// add counts what is charged to a call site, given how much of it the model
// expects to be right and how much to be what is divided, and which share of the
// acquisitions was recorded.
func (p *pool) add(st format.StackID, ns int64, right, meant, seen float64) {
	*p.of(st) += ns
	p.total += ns
	p.sure += right * float64(ns)
	p.meant += meant * float64(ns)
	p.hidden += (1 - seen) * float64(ns)
}

func (p *pool) merge(o *pool) {
	for st, ns := range o.by {
		p.add(st, *ns, 0, 0, 1)
	}
	p.sure += o.sure
	p.meant += o.meant
	p.hidden += o.hidden
	p.said.add(&o.said)
}

// agreement is how much would be right if the model told how much each call
// site has of all rests together, but nothing of any single one, and so many
// times as much were others' as is charged to them. It sums in order: the last
// digits of a sum of floats depend on it.
func (p *pool) agreement(times float64) (ns float64) {
	total := float64(max(p.total, 1))
	free := float64(*p.of(format.NoStack)) / total
	if held := 1 - free; held > 0 {
		times = min(times, 1/held)
	}
	share := free * (1 - (1-free)*times)
	for _, st := range slices.Sorted(maps.Keys(p.by)) {
		if part := float64(*p.by[st]) / total; st != format.NoStack {
			share += part * part * times
		}
	}
	return share * p.meant
}

// astray is the share of all rests of which the model does not tell how much is free:
// what it takes from recordings that hold little is as often too much as too little, and so
// where it says all or nothing the truth lies between.
const astray = 0.25

// evenly is how much would be right if nobody had the lock in half of all rests.
func (p *pool) evenly() (ns float64) {
	free := share(*p.of(format.NoStack), p.total)
	if free == 0 || free == 1 { // nothing that the model divides so
		return p.agreement(1)
	}
	return p.agreement(0.5 / (1 - free))
}

// atMost is how much would be right if half of what is free were not: samples tell no more than
// how much is held at least, and what is charged is the most that may be free by them.
func (p *pool) atMost() (ns float64) {
	free := share(*p.of(format.NoStack), p.total)
	if free == 1 {
		return p.agreement(1) / 2
	}
	return p.agreement((1 - free/2) / (1 - free))
}

// asLikely is how much of a stretch is right of which nothing tells: the first owner,
// another one and nobody are as likely.
const asLikely = 1. / 3

// settled returns what is expected to be right of a pool. The model knows the sums, and little of single gaps:
// what it expects gap by gap, where that is more than the sums alone give, is a
// bound, and so is what the sums give where the ways to count others disagree. Of
// what it cannot tell, since acquisitions were not recorded, the first owner, another one
// and nobody are as likely, as far as nothing else tells.
func (p *pool) settled() settled {
	alone := (1-p.untrue)*((1-astray)*p.agreement(1)+astray*p.evenly()) + p.untrue*p.atMost()
	low, high := alone, alone
	if p.most > 0 {
		less, more := p.agreement(p.least), p.agreement(p.most)
		low, high = min(alone, less, more), max(alone, less, more)
	}
	hidden := p.hidden / float64(max(p.total, 1))
	right := alone + p.said.skill()*max(p.meant-alone, 0)
	unknown := float64(p.total) * (renewal.Trust*asLikely + p.said.agree) / (renewal.Trust + p.said.shown)
	return settled{
		right: (1-hidden)*right + hidden*unknown,
		low:   (1 - hidden) * min(low, p.sure),
		high:  (1-hidden)*max(high, right, p.sure) + p.hidden,
	}
}

// settled is what is expected to be right of what a pool was charged, and from where
// to where that may be: of a long recording of many JVMs there are thousands of pools,
// and no more of each is kept.
type settled struct{ right, low, high float64 }

// times is that of a part of the pool.
func (s settled) times(part float64) settled {
	return settled{part * s.right, part * s.low, part * s.high}
}

// settle adds what is expected of a pool.
func (t *Trust) settle(s settled) {
	t.Right += s.right
	t.Low += s.low
	t.High += s.high
}
