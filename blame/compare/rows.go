package compare

import (
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/format"
)

// rows is a table by name; several combinations of keys may share a name. Sums are kept for
// all rows, cells only for as many as the recorder keeps.
type rows struct {
	blame.Charges
	name   func(ids []uint32) string
	keys   *blame.Rows
	named  []int // by combination of keys: its row
	names  format.Interner[string]
	rec    *bootstrap.Recorder
	series []int
	ns     []int64
	owned  *ownedBy                            // of rows by owner; nil for others
	seen   func(row int, lock format.ObjectID) // receives the lock of each charge; nil if nobody asks
}

func (p *Profile) rows(name func(ids []uint32) string, by ...blame.Key) *rows {
	r := &rows{name: name, rec: &p.rec, keys: blame.NewRows(&p.keys, blame.Columns(by, false))}
	r.Charges = blame.NewCharges(r.keys, r.charge)
	return r
}

// charge adds a charge to the row that has the name of a combination of keys.
func (r *rows) charge(number int, c blame.Charge) {
	if number == len(r.named) {
		r.named = append(r.named, r.row(r.name(r.keys.IDs(number))))
	}
	i := r.named[number]
	r.ns[i] += c.ThreadNs()
	r.rec.AddTime(r.series[i], c.Slice.Start, c.Slice.End, c.Ns, c.N)
	if r.owned != nil {
		r.owned.charge(i, &c)
	}
	if r.seen != nil {
		r.seen(i, c.Slice.Lock)
	}
}

// row returns the row with a name, making it if need be.
func (r *rows) row(name string) int {
	i, added := r.names.Intern(name)
	if added {
		r.series, r.ns = append(r.series, r.rec.New()), append(r.ns, 0)
	}
	return int(i)
}

// numbersBy groups the rows by another name.
func (r *rows) numbersBy(what func(name string) string) map[string][]int {
	out := make(map[string][]int, len(r.names.List))
	for i, name := range r.names.List {
		out[what(name)] = append(out[what(name)], i)
	}
	return out
}

// byName sums the rows of a table by another name and returns their rates.
func byName(g Group, table func(p *Profile) *rows, what func(name string) string) map[string]Rates {
	lists := make(map[*Profile]map[string][]int, len(g))
	out := map[string]Rates{}
	for _, p := range g {
		lists[p] = table(p).numbersBy(what)
		for name := range lists[p] {
			out[name] = Rates{}
		}
	}
	for name := range out {
		out[name] = g.rates(func(p *Profile) sum { return table(p).sum(p, lists[p][name]) })
	}
	return out
}

// sum is the sum of some rows of a trace.
type sum struct {
	ns      int64
	cells   []int64 // by cell of time; nil if the sum is partial
	partial bool    // the cells of some rows were not kept
	wrongNs int64   // that may belong to others, or others' to these rows, because owners are inferred
	ownNs   int64   // of wrongNs, the part that the rows have
}

// sum adds up rows.
func (r *rows) sum(p *Profile, list []int) (out sum) {
	c := p.finish()
	for _, i := range list {
		out.ns += r.ns[i]
		out.partial = out.partial || r.series[i] == bootstrap.NoSeries
	}
	if r.owned != nil {
		out.wrongNs, out.ownNs = r.owned.wrong(list)
	}
	if out.partial {
		return out
	}
	if len(list) == 1 {
		out.cells = c.Series(r.series[list[0]])
		return out
	}
	out.cells = make([]int64, len(c.Length))
	for _, i := range list {
		for j, ns := range c.Series(r.series[i]) {
			out.cells[j] += ns
		}
	}
	return out
}
