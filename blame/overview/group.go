package overview

import (
	"slices"

	"contend/analysis"
)

// group is where the slices of one group go.
type group struct {
	part   int
	root   int32 // where the waiting is that ends where the share does; -1 where that is the lock itself
	order  *seen // nil where the path has none
	places []groupPlace
	of     []int32 // by waiter: its place
}

// groupPlace is how many of the waiters are at a place.
type groupPlace struct {
	place int32
	n     int64
}

// Tally implements analysis.TallyVisitor.
func (c *Collector) Tally(w *analysis.Waiting, length, n int64) {
	for i := range w.Groups {
		of := &w.Groups[i]
		g, known := c.groups.At(of.Number)
		if !known {
			c.learn(g, of)
		}
		ns, prov := length*int64(len(of.Waiters)), of.Share.Direct.Prov
		c.total += ns
		p := &c.parts[g.part]
		p.ns += ns
		p.byProvenance[prov] += ns
		if g.root >= 0 {
			c.rootNs[g.root] += ns
		}
		if g.order != nil {
			g.order.add(prov, ns)
		}
		for _, at := range g.places {
			c.places[at.place].ns += length * at.n
		}
		for _, b := range w.Begun(i) {
			c.places[g.of[b.Place]].waits += n
		}
	}
}

func (c *Collector) learn(g *group, of *analysis.Group) {
	g.part = c.part(of.Lock, &of.Waiters[0], &of.Share)
	g.root = c.root(g.part, &of.Share)
	g.order = c.order(of.Lock, &of.Share, c.parts[g.part].site, true)
	g.places, g.of = g.places[:0], g.of[:0]
	for i := range of.Waiters {
		place := int32(c.place(of.Lock, &of.Waiters[i]))
		g.of = append(g.of, place)
		at := slices.IndexFunc(g.places, func(p groupPlace) bool { return p.place == place })
		if at < 0 {
			at = len(g.places)
			g.places = append(g.places, groupPlace{place: place})
		}
		g.places[at].n++
	}
}
