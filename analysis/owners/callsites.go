package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// callSite is a point of the program: a stack and, since one line may enter
// several locks, what was waited for there.
type callSite struct {
	stack format.StackID
	lock  format.ObjectID
}

// callSites lists the activities at each call site of each input, as they lie
// in memory: they are many, and who counts them goes through all.
type callSites struct {
	lists [][]column.Ref
	index map[inputSite]int
	last  []int // by stack: the list its last call site has, plus one; few stacks enter several locks
	sites []inputSite
}

// inputSite is a call site of one input: what a program did in one run tells
// nothing of another.
type inputSite struct {
	callSite
	input uint32
}

// fill counts the activities at each call site, and then deals them out in one
// array, once.
func (p *callSites) fill(a *Activities) {
	if p.lists != nil {
		return
	}
	var n counts
	p.each(a, func(list int, _ column.Ref) { n.add(list, 1) })
	p.lists = n.lists()
	p.each(a, func(list int, i column.Ref) { p.lists[list] = append(p.lists[list], i) })
}

// each visits what has a stack and some length, with the number of its call
// site.
func (p *callSites) each(a *Activities, f func(list int, i column.Ref)) {
	for t := range format.ThreadID(a.Threads()) {
		for of := a.Of(t); of.From < of.To; of.From++ {
			d := a.at(of.From)
			if d.stack == format.NoStack || d.end <= d.start {
				continue
			}
			input := uint32(0)
			if a.IsWait(of.From) {
				input = a.inputOf[d.lock]
			} else {
				input = a.doneIn[t]
			}
			f(p.number(inputSite{d.callSite(), input}), of.From)
		}
	}
}

// number returns the dense number of a call site.
func (p *callSites) number(at inputSite) int {
	for len(p.last) <= int(at.stack) {
		p.last, p.sites = append(p.last, 0), append(p.sites, inputSite{})
	}
	if p.last[at.stack] == 0 || p.sites[at.stack] != at {
		n, ok := p.index[at]
		if !ok {
			if p.index == nil {
				p.index = map[inputSite]int{}
			}
			n = len(p.index)
			p.index[at] = n
		}
		p.last[at.stack], p.sites[at.stack] = n+1, at
	}
	return p.last[at.stack] - 1
}
