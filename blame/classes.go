package blame

import (
	"contend/analysis"
	"contend/format"
)

// classes are what rows are made of, by class of lock. There are as many as rows, a million
// where all stacks differ, and of each no more is asked than its thread-time.
type classes struct {
	sym *analysis.Symbols
	met numbering // of row and class
	ns  []int64
}

// ByClasses makes a pivot sum what its rows have of each class of locks, for EachClass.
func (p *Pivot) ByClasses() *Pivot {
	p.classes = &classes{met: numbering{width: 2}}
	return p
}

// add adds thread-time of a row, waited for a lock.
func (c *classes) add(row int, lock format.ObjectID, ns int64) {
	if c == nil {
		return
	}
	at := c.met.of([]uint32{uint32(row), c.sym.Class(lock)})
	if at == len(c.ns) {
		c.ns = append(c.ns, 0)
	}
	c.ns[at] += ns
}

// EachClass calls f with the ids of a row, a class and the thread-time that the row has of
// it, for all of them, when the table is there.
func (p *Pivot) EachClass(f func(ids []uint32, class string, ns int64)) {
	for i, ns := range p.classes.ns {
		ids := p.classes.met.at(i)
		class, _ := p.keys.Text(ByClass, ids[1])
		f(p.index.IDs(int(ids[0])), class, ns)
	}
}
