package blame

import (
	"cmp"
	"regexp"
	"slices"

	"contend/analysis"
	"contend/analysis/interval"
	"contend/format"
)

// Pivot is a visitor that sums slices by a sequence of keys. Once a row
// exists, adding to it allocates nothing but what its wall-time needs.
type Pivot struct {
	by   []Key
	root bool

	sym    *analysis.Symbols
	stacks stackIDs
	ops    operations
	index  map[rowKey]int
	rows   []row
	total  row
	rec    interval.Recorder // of sampled traces, by row
	serial []uint32          // by thread: number of its current wait
	seen   map[rowThread]uint32
}

// rowKey holds one id per key; unused places are zero.
type rowKey [keyCount]uint32

// row is a sum in the making.
type row struct {
	key    rowKey
	sum    Sum
	at     analysis.Union
	series int // in the recorder
}

// rowThread finds the last wait of a thread that a row has counted.
type rowThread struct {
	row    int
	thread format.ThreadID
}

// New returns an empty pivot. With root, waiting is charged to the end of
// each path through the wait-for graph instead of the direct owner.
func New(by []Key, root bool) *Pivot {
	return &Pivot{by: by, root: root, index: map[rowKey]int{}, seen: map[rowThread]uint32{}}
}

// Operations says how stacks are named by the operation keys: by the outermost
// frame, as Class.Method, that the expression matches. Its first group is the
// name if it has one, else the whole frame is.
func (p *Pivot) Operations(frames *regexp.Regexp) *Pivot {
	p.ops.frames = frames
	return p
}

// Begin implements analysis.Visitor.
func (p *Pivot) Begin(sym *analysis.Symbols, start int64) {
	p.sym = sym
	p.rec.Begin(start)
}

// Running implements analysis.Visitor; blame does not need running time.
func (p *Pivot) Running(_, _, _ int64) {}

// Tick implements analysis.TickVisitor: the sums are estimates.
func (p *Pivot) Tick(from, to int64) { p.rec.Tick(from, to) }

// Slice implements analysis.Visitor.
func (p *Pivot) Slice(s *analysis.Slice) {
	for len(p.serial) <= int(s.Thread) {
		p.serial = append(p.serial, 0)
	}
	if s.First {
		p.serial[s.Thread]++
		p.total.sum.Waits++
	}
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

func (p *Pivot) add(s *analysis.Slice, ns int64, owner analysis.Owner) {
	var key rowKey
	for i, k := range p.by {
		key[i] = p.id(k, s, owner)
	}
	i, ok := p.index[key]
	if !ok {
		i = len(p.rows)
		p.index[key] = i
		p.rows = append(p.rows, row{key: key, series: interval.NoSeries})
		if p.rec.Sampled() {
			p.rows[i].series = p.rec.New()
		}
	}
	r := &p.rows[i]
	r.sum.ThreadNs += ns
	r.sum.ByProvenance[owner.Prov] += ns
	p.rec.Add(r.series, s.Start, s.End, ns)
	r.at.AddSlice(s)
	if at := (rowThread{i, s.Thread}); p.seen[at] != p.serial[s.Thread] {
		p.seen[at] = p.serial[s.Thread]
		r.sum.Waits++
	}
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
			text, stack := p.text(k, r.key[j])
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
