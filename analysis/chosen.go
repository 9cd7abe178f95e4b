package analysis

import (
	"contend/analysis/owners"
	"contend/format"
)

// chosen sums what the filter leaves of the waiting whose owners are inferred: what is
// expected to be right is said of that, not of what nobody asked for.
type chosen struct {
	of *owners.Trusts              // nil where all is left
	ns [][owners.Provenances]int64 // by which of them it is
}

// choose begins to sum.
func (c *chosen) choose(of *owners.Trusts) {
	c.of, c.ns = of, make([][owners.Provenances]int64, of.Number())
}

func (c *chosen) add(lock format.ObjectID, known Provenance, ns int64) {
	if c.of == nil { // mostly
		return
	}
	if at, ok := c.of.At(lock); ok {
		c.ns[at][known] += ns
	}
}

// settle makes of all that is expected what is expected of what is left.
func (c *chosen) settle() {
	if c.of != nil {
		c.of.Select(c.ns)
	}
}
