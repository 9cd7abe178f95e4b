package compare

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
)

// Status is what became of a row.
type Status string

// The statuses. Same is also what cannot be told from noise.
const (
	Same    Status = "same"
	Changed Status = "changed"
	Added   Status = "added"
	Gone    Status = "gone"
)

// Row is one lock, call chain or chain of waits on both sides.
type Row struct {
	Name      string
	Base, New Rate
	P         float64 // probability of so large a difference by chance alone, for this row
	Status    Status
}

// Delta returns the difference, in shares of running time.
func (r *Row) Delta() float64 { return r.New.Value - r.Base.Value }

// Relative returns the difference over the base; false when there is no base.
func (r *Row) Relative() (float64, bool) {
	if r.Base.Value == 0 {
		return 0, false
	}
	return r.Delta() / r.Base.Value, true
}

// Options of Diff.
type Options struct {
	Alpha     float64 // chance that a table calls anything changed when nothing did; 0 means 0.05
	MinChange float64 // relative differences up to this are not worth a word however sure they are
}

// Diff is how two sides differ; the rows of each table that did come first.
type Diff struct {
	Alpha                 float64
	Total                 Row
	Locks, Owners, Chains []Row
	BaseRunningNs         int64
	NewRunningNs          int64
}

// Compare compares two sides, each of at least one trace. All rates are over
// running time, so that runs of unequal length or with more threads compare.
//
// The error of each rate is that of a block bootstrap, see package bootstrap.
// A row's difference over its error follows Student's t; Holm's procedure
// keeps the chance that a table shows any false difference below Alpha,
// however many rows it has.
func Compare(base, new Group, o Options) *Diff {
	if o.Alpha <= 0 {
		o.Alpha = 0.05
	}
	d := &Diff{Alpha: o.Alpha, BaseRunningNs: base.RunningNs(), NewRunningNs: new.RunningNs()}
	all := func(p *Profile) sum {
		cells := p.finish().Series(p.total)
		return sum{ns: total(cells), cells: cells}
	}
	total := []Row{{Name: "all locks", Base: base.rate(all), New: new.rate(all)}}
	judge(total, o)
	d.Total = total[0]
	names := lockNames(base, new)
	lock := func(site string) string { return names[site] }
	itself := func(name string) string { return name }
	sites := func(p *Profile) *rows[site] { return &p.sites }
	d.Locks = match(byName(base, sites, lock), byName(new, sites, lock), o)
	owners := func(p *Profile) *rows[analysis.Owner] { return &p.owners }
	d.Owners = match(byName(base, owners, itself), byName(new, owners, itself), o)
	chains := func(p *Profile) *rows[string] { return &p.chains }
	d.Chains = match(byName(base, chains, itself), byName(new, chains, itself), o)
	return d
}

// match joins the rows of two sides by name and judges them.
func match(base, new map[string]Rate, o Options) []Row {
	rows := make([]Row, 0, max(len(base), len(new)))
	for name, r := range base {
		rows = append(rows, Row{Name: name, Base: r, New: new[name]})
	}
	for name, r := range new {
		if _, both := base[name]; !both {
			rows = append(rows, Row{Name: name, New: r})
		}
	}
	judge(rows, o)
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(boolean(a.Status == Same, b.Status == Same),
			-cmp.Compare(math.Abs(a.Delta()), math.Abs(b.Delta())),
			-cmp.Compare(max(a.Base.Value, a.New.Value), max(b.Base.Value, b.New.Value)), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// judge decides which rows differ. Holm (1979): take the rows in order of
// their probability; the k-th of n must be below alpha/(n-k), k from 0; the
// first that is not ends it.
func judge(rows []Row, o Options) {
	order := make([]*Row, len(rows))
	for i := range rows {
		rows[i].Status = Same
		rows[i].P = probability(ShareSpread(rows[i].Base, rows[i].New))
		order[i] = &rows[i]
	}
	slices.SortStableFunc(order, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Name, b.Name))
	})
	for k, r := range order {
		if r.P > o.Alpha/float64(len(order)-k) {
			return
		}
		r.Status = r.became(o.MinChange)
	}
}

// became names a difference that is certain.
func (r *Row) became(minChange float64) Status {
	switch {
	case r.Base.WaitNs == 0:
		return Added
	case r.New.WaitNs == 0:
		return Gone
	case math.Abs(r.Delta()) <= minChange*r.Base.Value:
		return Same
	}
	return Changed
}

// probability returns how likely two rates that are truly equal are to differ
// by as much as these: two-sided, under Student's t with the degrees of
// freedom of Welch and Satterthwaite.
func probability(a, b Rate) float64 {
	delta := math.Abs(a.Value - b.Value)
	va, vb := a.SE*a.SE, b.SE*b.SE
	switch v := va + vb; {
	case delta == 0, math.IsInf(v, 1), math.IsNaN(v):
		return 1
	case v == 0:
		return 0
	default:
		df := v * v / (va*va/max(a.DF, 1) + vb*vb/max(b.DF, 1))
		return math.Erfc(bootstrap.NormalOf(delta/math.Sqrt(v), df) / math.Sqrt2)
	}
}
