package blame

// classes are the thread-time of each row by class of lock. There are as many as rows, a
// million where all stacks differ.
type classes struct {
	met numbering // of row and class
	ns  []int64
}

// ByClasses makes a pivot sum the thread-time of its rows by class of lock, for EachClass.
func (p *Pivot) ByClasses() *Pivot {
	p.classes = &classes{met: numbering{width: 2}}
	return p
}

func (c *classes) add(row int, class uint32, ns int64) {
	at := c.met.of([]uint32{uint32(row), class})
	if at == len(c.ns) {
		c.ns = append(c.ns, 0)
	}
	c.ns[at] += ns
}

// EachClass calls f with the ids of a row, a class and the thread-time that the row has of
// it, for all of them.
func (p *Pivot) EachClass(f func(ids []uint32, class string, ns int64)) {
	for i, ns := range p.classes.ns {
		ids := p.classes.met.at(i)
		class, _ := p.keys.Text(ByClass, ids[1])
		f(p.index.IDs(int(ids[0])), class, ns)
	}
}
