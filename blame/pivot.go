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

	keys    Resolver
	index   *Rows
	rows    []row
	total   accumulator
	waits   waitCounter
	rec     bootstrap.Recorder // of sampled traces, by row
	cells   *bootstrap.Cells   // of a finished Whole
	each    bool               // some key tells waiters apart
	plain   bool               // rows get no interval of confidence
	whole   bool               // rows are of locks, and tell of whole waits
	ran     int64
	waiters WaiterClasses

	classes map[[2]uint32]int64 // of a graph: thread-time by row and class of lock
}

// row is a sum in the making.
type row struct {
	accumulator
	series int    // in the recorder
	other  bool   // of [other]
	whole  *Whole // nil where it is not asked for
}

// New returns an empty pivot. With root, waiting is charged to the end of
// each path through the wait-for graph instead of the direct owner.
func New(by []Key, root bool) *Pivot {
	p := &Pivot{by: by, root: root, each: slices.ContainsFunc(by, Key.OfWaiter)}
	columns := Columns(by, root)
	p.index = NewRows(&p.keys, columns)
	p.index.bounds = boundsOf(columns)
	p.waiters = WaiterClassesBy(&p.keys, columns)
	return p
}

// Operations names the operation keys, see Resolver.Operations.
func (p *Pivot) Operations(frames *regexp.Regexp) *Pivot {
	p.keys.Operations(frames)
	return p
}

// Plain leaves intervals of confidence out, for views that show none.
func (p *Pivot) Plain() *Pivot {
	p.plain = true
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
	p.rec.Begin(start)
}

// Intervals implements analysis.RunningVisitor.
func (p *Pivot) Intervals() (from, length int64) { return p.rec.Intervals() }

// Running implements analysis.RunningVisitor.
func (p *Pivot) Running(from, to, ns int64) {
	p.ran += ns
	if p.whole && p.rec.Sampled() {
		p.rec.Running(from, to, ns)
	}
}

// RunningNs returns the cumulated running time of all threads.
func (p *Pivot) RunningNs() int64 { return p.ran }

// Ticks implements analysis.RunningVisitor: the sums are estimates.
func (p *Pivot) Ticks(n, ns int64) {
	if !p.plain {
		p.rec.Ticks(n, ns)
	}
}

// Slice implements analysis.Visitor.
func (p *Pivot) Slice(s *analysis.Slice) {
	p.total.AddAll(s, len(s.Waiters), p.root)
	if p.whole {
		p.addWhole(s, len(s.Waiters))
		return
	}
	p.waits.Begin(s.Waiters)
	if !p.each {
		p.add(s, s.Waiters)
		return
	}
	for i := range s.Waiters {
		p.add(s, s.Waiters[i:i+1])
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (p *Pivot) QueueChanged(m *analysis.QueueChange) {
	if !p.whole {
		p.waiters.Change(m)
	}
}

// QueueSlice implements analysis.QueueVisitor.
func (p *Pivot) QueueSlice(s *analysis.Slice, n int) {
	p.total.AddAll(s, n, p.root)
	if p.whole {
		p.addWhole(s, n)
		return
	}
	sh := &s.Shares[0]
	for _, k := range p.waiters.Of(s.Lock) {
		row := p.row(s.Lock, &k.Waiter, sh)
		r := p.charge(row, s, sh, k.Len())
		r.Waits += k.NewWaits(row, &p.waits)
	}
}

// add charges the shares of waiters that no key tells apart to their rows.
func (p *Pivot) add(s *analysis.Slice, waiters []analysis.Waiter) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		row := p.row(s.Lock, &waiters[0], sh)
		r := p.charge(row, s, sh, len(waiters))
		for j := range waiters {
			if p.waits.IsNew(row, waiters[j].Thread) {
				r.Waits++
			}
		}
	}
}

// charge adds the thread-time of n waiters of one row to it, and returns it.
func (p *Pivot) charge(at int, s *analysis.Slice, sh *analysis.Share, n int) *row {
	r := &p.rows[at]
	r.Add(s, sh.Ns, n, sh.Owner(p.root).Prov)
	p.rec.Add(r.series, s.Start, s.End, sh.Ns, n)
	if p.classes != nil {
		p.classes[[2]uint32{uint32(at), p.keys.sym.Class(s.Lock)}] += sh.Ns * int64(n)
	}
	return r
}

// row returns the row of a waiter and a share of its time, making it if need be.
func (p *Pivot) row(lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) int {
	i := p.index.Of(lock, w, sh)
	if i == len(p.rows) {
		p.rows = append(p.rows, row{series: bootstrap.NoSeries, other: slices.Contains(p.index.IDs(i), Other)})
		if p.rec.Sampled() {
			p.rows[i].series = p.rec.New()
		}
	}
	return i
}

// Table returns the finished pivot; nothing may be added afterwards. There may be a million
// rows, so each is moved to its place once.
func (p *Pivot) Table() *Table {
	t := &Table{By: p.by, Root: p.root, Total: p.total.Finish(), keys: &p.keys}
	t.Rows = make([]Row, len(p.rows))
	if p.rec.Sampled() {
		t.cells = p.rec.Finish()
	}
	wide := len(p.by)
	keys := make([]string, len(p.rows)*wide)
	for i := range p.rows {
		for j, id := range p.index.IDs(i) {
			keys[i*wide+j], _ = p.keys.Text(p.by[j], id)
		}
	}
	of := func(row int32) []string { return keys[int(row)*wide : (int(row)+1)*wide : (int(row)+1)*wide] }
	for at, i := range p.order(of) {
		if p.rows[i].other {
			t.OtherNs += p.rows[i].ThreadNs
		}
		t.Rows[at] = Row{Sum: p.rows[i].Finish(), Keys: of(i), IDs: p.index.IDs(int(i)), Stacks: p.stacks(int(i)), series: p.rows[i].series}
	}
	return t
}

// order returns the rows in the order of tables.
func (p *Pivot) order(keys func(row int32) []string) []int32 {
	order := make([]int32, len(p.rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(p.rows[b].ThreadNs, p.rows[a].ThreadNs); c != 0 {
			return c
		}
		return cmp.Or(slices.Compare(keys(a), keys(b)), cmp.Compare(a, b))
	})
	return order
}

// stacks returns the stacks behind the ids of a row.
func (p *Pivot) stacks(row int) (stacks [][]format.Frame) {
	for j, id := range p.index.IDs(row) {
		if p.by[j].IsStack() {
			stacks = append(stacks, p.keys.stack(p.by[j], id))
		}
	}
	return stacks
}
