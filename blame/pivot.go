package blame

import (
	"cmp"
	"regexp"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// Pivot is a visitor that sums slices by a sequence of keys. Once a row
// exists, adding to it allocates nothing but what its wall-time needs.
type Pivot struct {
	by   []Key
	root bool

	keys   Resolver
	index  *Rows
	rows   []row
	total  Accumulator
	waits  WaitCounter
	rec    bootstrap.Recorder // of sampled traces, by row
	each   bool               // some key tells waiters apart
	alike  []int              // rows of the Singles at hand
	kinds  Kinds
	groups groups
}

// row is a sum in the making.
type row struct {
	Accumulator
	series int // in the recorder
}

// New returns an empty pivot. With root, waiting is charged to the end of
// each path through the wait-for graph instead of the direct owner.
func New(by []Key, root bool) *Pivot {
	p := &Pivot{by: by, root: root, each: slices.ContainsFunc(by, Key.ofWaiter)}
	p.index = NewRows(&p.keys, by)
	p.kinds = KindsBy(&p.keys, by)
	return p
}

// Operations names the operation keys, see Resolver.Operations.
func (p *Pivot) Operations(frames *regexp.Regexp) *Pivot {
	p.keys.Operations(frames)
	return p
}

// App says what the program's own code is, see Resolver.App.
func (p *Pivot) App(own *regexp.Regexp) *Pivot {
	p.keys.App(own)
	return p
}

// Begin implements analysis.Visitor.
func (p *Pivot) Begin(sym *analysis.Symbols, start int64) {
	p.keys.Begin(sym)
	p.groups = groups{}
	p.rec.Begin(start)
}

// Ticks implements analysis.TickVisitor: the sums are estimates.
func (p *Pivot) Ticks(n, ns int64) { p.rec.Ticks(n, ns) }

// Slice implements analysis.Visitor.
func (p *Pivot) Slice(s *analysis.Slice) {
	p.total.AddAll(s, p.root)
	*p.groups.lastOf(s.Lock) = 0
	p.waits.Begin(s.Waiters)
	if !p.each {
		p.add(s, s.Waiters)
		return
	}
	for i := range s.Waiters {
		p.add(s, s.Waiters[i:i+1])
	}
}

// add charges the shares of waiters that no key tells apart to their rows.
func (p *Pivot) add(s *analysis.Slice, waiters []analysis.Waiter) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		charge := ChargeOf(s.Lock, sh, p.root)
		row := p.row(s.Lock, &waiters[0], &charge)
		r := &p.rows[row]
		r.Add(s, sh.Ns, len(waiters), charge.Owner.Prov)
		p.rec.Add(r.series, s.Start, s.End, sh.Ns, len(waiters))
		for j := range waiters {
			if p.waits.IsNew(row, waiters[j].Thread) {
				r.Waits++
			}
		}
	}
}

// row returns the row of a waiter and one of its owners, making it if need be.
func (p *Pivot) row(lock format.ObjectID, w *analysis.Waiter, c *Charge) int {
	i := p.index.Of(lock, w, c)
	if i == len(p.rows) {
		p.rows = append(p.rows, row{series: bootstrap.NoSeries})
		if p.rec.Sampled() {
			p.rows[i].series = p.rec.New()
		}
	}
	return i
}

// Table returns the finished pivot; nothing can be added to it any more.
func (p *Pivot) Table() *Table {
	t := &Table{By: p.by, Root: p.root, Total: p.total.Finish(), Rows: make([]Row, 0, len(p.rows))}
	if p.rec.Sampled() {
		t.cells = p.rec.Finish()
	}
	for i := range p.rows {
		r, ids := &p.rows[i], p.index.IDs(i)
		out := Row{Sum: r.Finish(), Keys: make([]string, len(p.by)), IDs: slices.Clone(ids[:len(p.by)]), series: r.series}
		for j, k := range p.by {
			text, stack := p.keys.Text(k, ids[j])
			out.Keys[j] = text
			if k.IsStack() {
				out.Stacks = append(out.Stacks, stack)
			}
		}
		t.Rows = append(t.Rows, out)
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), slices.Compare(a.Keys, b.Keys))
	})
	return t
}
