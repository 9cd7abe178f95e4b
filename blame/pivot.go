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
	index  map[IDs]int
	rows   []row
	total  row
	rec    bootstrap.Recorder // of sampled traces, by row
	serial []uint32           // by thread: number of its current wait
	seen   map[rowThread]uint32
	memo   memo
	last   []counted // by thread
}

// row is a sum in the making.
type row struct {
	key    IDs
	sum    Sum
	at     analysis.Union
	series int // in the recorder
}

// rowThread finds the last wait of a thread that a row has counted.
type rowThread struct {
	row    int
	thread format.ThreadID
}

// counted is the last row that counted a wait of a thread, and which wait.
type counted struct {
	row    int32 // counting from 1
	serial uint32
}

// New returns an empty pivot. With root, waiting is charged to the end of
// each path through the wait-for graph instead of the direct owner.
func New(by []Key, root bool) *Pivot {
	return &Pivot{by: by, root: root, index: map[IDs]int{}, seen: map[rowThread]uint32{}, memo: newMemo(by)}
}

// Operations says how stacks are named by the operation keys: by the outermost
// frame, as Class.Method, that the expression matches. Its first group is the
// name if it has one, else the whole frame is.
func (p *Pivot) Operations(frames *regexp.Regexp) *Pivot {
	p.keys.ops.frames = frames
	return p
}

// Begin implements analysis.Visitor.
func (p *Pivot) Begin(sym *analysis.Symbols, start int64) {
	p.keys.Begin(sym)
	p.rec.Begin(start)
}

// Running implements analysis.Visitor; blame does not need running time.
func (p *Pivot) Running(_, _, _ int64) {}

// Tick implements analysis.TickVisitor: the sums are estimates.
func (p *Pivot) Tick(from, to int64) { p.rec.Tick(from, to) }

// Slice implements analysis.Visitor.
func (p *Pivot) Slice(s *analysis.Slice) {
	p.begins(s.Thread, s.First)
	p.total.sum.ThreadNs += s.End - s.Start
	p.total.at.AddSlice(s)
	for i := range s.Shares {
		share := &s.Shares[i]
		owner := share.Direct
		if p.root {
			owner = share.Root
		}
		p.total.sum.ByProvenance[owner.Prov] += share.Ns
		p.add(s, share.Ns, owner)
	}
}

// begins notes that a thread is seen waiting, in a new wait or in the last one.
func (p *Pivot) begins(t format.ThreadID, first bool) {
	for len(p.serial) <= int(t) {
		p.serial = append(p.serial, 0)
		p.last = append(p.last, counted{})
	}
	if first {
		p.serial[t]++
		p.total.sum.Waits++
	}
}

// Crowd implements analysis.CrowdVisitor.
func (p *Pivot) Crowd(c *analysis.Crowd) {
	if p.memo.waiters {
		c.Each(p.Slice)
		return
	}
	owner := c.Shares[0].Direct
	if p.root {
		owner = c.Shares[0].Root
	}
	p.total.sum.ThreadNs += c.Ns()
	p.total.sum.ByProvenance[owner.Prov] += c.Ns()
	p.total.at.AddSlice(&c.Slice)
	i := p.row(&c.Slice, owner)
	p.charge(i, &c.Slice, c.Ns(), owner.Prov)
	for j := range c.Waiters {
		w := &c.Waiters[j]
		p.begins(w.Thread, w.First)
		p.count(i, w.Thread)
	}
}

// add charges a share of a slice to its row.
func (p *Pivot) add(s *analysis.Slice, ns int64, owner analysis.Owner) {
	i := p.row(s, owner)
	p.charge(i, s, ns, owner.Prov)
	p.count(i, s.Thread)
}

func (p *Pivot) charge(i int, s *analysis.Slice, ns int64, prov analysis.Provenance) {
	r := &p.rows[i]
	r.sum.ThreadNs += ns
	r.sum.ByProvenance[prov] += ns
	p.rec.Add(r.series, s.Start, s.End, ns)
	r.at.AddSlice(s)
}

// count counts a thread's wait in a row, once. Only when the row changes in
// the middle of a wait must it be looked up whether it was there before.
func (p *Pivot) count(i int, t format.ThreadID) {
	now, last := counted{int32(i) + 1, p.serial[t]}, p.last[t]
	if last == now {
		return
	}
	p.last[t] = now
	if last.serial == now.serial {
		if last.row > 0 {
			p.seen[rowThread{int(last.row) - 1, t}] = last.serial
		}
		if p.seen[rowThread{i, t}] == now.serial {
			return
		}
	}
	p.rows[i].sum.Waits++
}

// row returns the row of a slice and one of its owners.
func (p *Pivot) row(s *analysis.Slice, owner analysis.Owner) int {
	m, known := p.memo.at(s, owner, p.keys.sym.Version())
	if !known {
		m.row = int32(p.find(s, owner)) + 1
	}
	return int(m.row) - 1
}

// find returns the row of a slice and one of its owners, making it if need be.
func (p *Pivot) find(s *analysis.Slice, owner analysis.Owner) int {
	key := p.keys.IDs(p.by, s, owner)
	i, ok := p.index[key]
	if !ok {
		i = len(p.rows)
		p.index[key] = i
		p.rows = append(p.rows, row{key: key, series: bootstrap.NoSeries})
		if p.rec.Sampled() {
			p.rows[i].series = p.rec.New()
		}
	}
	return i
}

// Table returns the finished pivot; nothing can be added to it any more.
func (p *Pivot) Table() *Table {
	t := &Table{By: p.by, Root: p.root, Total: p.total.sum, Rows: make([]Row, 0, len(p.rows))}
	t.Total.WallNs = p.total.at.Len()
	if p.rec.Sampled() {
		t.cells = p.rec.Finish()
	}
	for i := range p.rows {
		r := &p.rows[i]
		out := Row{Sum: r.sum, Keys: make([]string, len(p.by)), IDs: slices.Clone(r.key[:len(p.by)]), series: r.series}
		out.WallNs = min(r.at.Len(), r.sum.ThreadNs) // one of several readers is charged a part of each instant only
		for j, k := range p.by {
			text, stack := p.keys.Text(k, r.key[j])
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
