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

	Charges
	keys  Resolver
	index *Rows
	rows  []row
	wall  analysis.Union     // of all rows
	rec   bootstrap.Recorder // of sampled traces, by row
	cells *bootstrap.Cells   // of a finished Whole
	plain bool               // rows get no interval of confidence
	ran   int64

	also   func(row int, c Charge) // what a view sums besides; nil for nothing
	wholes []Whole                 // by row, see Whole
	whole  bool

	reacquired ByID[uint8] // by stack, of wholes
}

// row is an unfinished sum.
type row struct {
	acc    accumulator
	series int  // in the recorder
	other  bool // of [other]
}

// New returns an empty pivot. With root, waiting is charged to the end of
// each path through the wait-for graph instead of the direct owner.
func New(by []Key, root bool) *Pivot {
	p := &Pivot{by: by, root: root}
	columns := Columns(by, root)
	p.index = NewRows(&p.keys, columns)
	p.index.bounds = boundsOf(columns)
	p.Charges = NewCharges(p.index, p.addCharge)
	return p
}

// Operations names the operation keys, see Resolver.Operations.
func (p *Pivot) Operations(frames *regexp.Regexp) *Pivot {
	p.keys.Operations(frames)
	return p
}

// Plain omits confidence intervals, for views without them.
func (p *Pivot) Plain() *Pivot {
	p.plain = true
	return p
}

// App sets the program's own code, see Resolver.App.
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

// addCharge adds a charge to a row, making it if need be.
func (p *Pivot) addCharge(at int, c Charge) {
	if at == len(p.rows) {
		p.rows = append(p.rows, row{series: bootstrap.NoSeries, other: slices.Contains(p.index.IDs(at), Other)})
		if p.rec.Sampled() {
			p.rows[at].series = p.rec.New()
		}
	}
	r := &p.rows[at]
	r.acc.AddCharge(&c, p.root)
	p.wall.AddSlice(c.Slice)
	p.rec.AddTime(r.series, c.Slice.Start, c.Slice.End, c.Ns, c.N)
	if p.also != nil {
		p.also(at, c)
	}
}

// Total returns the sum over all rows.
func (p *Pivot) Total() Sum {
	total := accumulator{wall: p.wall}
	for i := range p.rows {
		r := &p.rows[i]
		total.sum.ThreadNs, total.sum.Waits = total.sum.ThreadNs+r.acc.sum.ThreadNs, total.sum.Waits+r.acc.sum.Waits
		total.sum.ByProvenance.AddAll(&r.acc.sum.ByProvenance)
	}
	return total.Finish()
}

// Table returns the finished pivot; nothing may be added afterwards. There may be a million
// rows, so each is moved to its place once.
func (p *Pivot) Table() *Table {
	t := &Table{By: p.by, Root: p.root, Total: p.Total(), keys: &p.keys}
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
			t.OtherNs += p.rows[i].acc.sum.ThreadNs
		}
		t.Rows[at] = Row{
			Sum:    p.rows[i].acc.Finish(),
			Keys:   of(i),
			IDs:    p.index.IDs(int(i)),
			Stacks: p.stacks(int(i)),
			series: p.rows[i].series,
		}
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
		if c := cmp.Compare(p.rows[b].acc.sum.ThreadNs, p.rows[a].acc.sum.ThreadNs); c != 0 {
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
