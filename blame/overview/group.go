package overview

import (
	"slices"

	"contend/analysis"
)

// group is where the slices of one group go.
type group struct {
	part   int
	places []groupPlace
	of     []int32 // by waiter: its place
}

// groupPlace is how many of the waiters are at a place.
type groupPlace struct {
	place int32
	n     int64
}

// group sums a slice of a group, which has one share.
func (c *Collector) group(s *analysis.Slice) {
	g, known := c.groups.At(s.Group)
	if !known {
		c.learn(g, s)
	}
	p, sh := &c.parts[g.part], &s.Shares[0]
	ns := s.Ns()
	p.ns += ns
	p.byProvenance[sh.Direct.Prov] += ns
	c.note(s, sh, p.site, ns)
	for _, at := range g.places {
		c.places[at.place].ns += s.Length() * at.n
	}
	if s.Firsts() == 0 {
		return
	}
	for i := range s.Waiters {
		if s.Waiters[i].First {
			c.places[g.of[i]].waits++
		}
	}
}

func (c *Collector) learn(g *group, s *analysis.Slice) {
	g.part = c.part(s, &s.Shares[0])
	g.places, g.of = g.places[:0], g.of[:0]
	for i := range s.Waiters {
		place := int32(c.place(s, &s.Waiters[i]))
		g.of = append(g.of, place)
		at := slices.IndexFunc(g.places, func(p groupPlace) bool { return p.place == place })
		if at < 0 {
			at = len(g.places)
			g.places = append(g.places, groupPlace{place: place})
		}
		g.places[at].n++
	}
}
