package compare

import (
	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/format"
)

// rows is a table by name; several combinations of keys may share a name. Sums are kept for
// all rows, cells only for as many as the recorder keeps.
type rows struct {
	*blame.Rows
	name   func(ids []uint32) string
	named  []int // by combination of keys: its row
	names  format.Numbers[string]
	series []int
	ns     []int64
}

func (p *Profile) rows(name func(ids []uint32) string, by ...blame.Key) rows {
	return rows{Rows: blame.NewRows(&p.keys, blame.Columns(by, false)), name: name}
}

// row returns the row of a waiter and a share of its time, making it if it is new.
func (r *rows) row(rec *bootstrap.Recorder, lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) int {
	number := r.Of(lock, w, sh)
	if number < len(r.named) {
		return r.named[number]
	}
	i, added := r.names.Of(r.name(r.IDs(number)))
	if added {
		r.series, r.ns = append(r.series, rec.New()), append(r.ns, 0)
	}
	r.named = append(r.named, int(i))
	return int(i)
}

// add charges a row with ns of a slice for each of some waiters, and returns it.
func (r *rows) add(rec *bootstrap.Recorder, s *analysis.Slice, w *analysis.Waiter, sh *analysis.Share, ns int64, waiters int) int {
	i := r.row(rec, s.Lock, w, sh)
	r.ns[i] += ns * int64(waiters)
	rec.Add(r.series[i], s.Start, s.End, ns, waiters)
	return i
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
}

// sum adds up rows.
func (r *rows) sum(p *Profile, list []int) (out sum) {
	c := p.finish()
	for _, i := range list {
		out.ns += r.ns[i]
		out.partial = out.partial || r.series[i] == bootstrap.NoSeries
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
