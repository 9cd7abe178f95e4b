package compare

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis/bootstrap"
	"contend/blame"
)

// Status is the change of a row.
type Status string

// The statuses. Same includes differences within noise. A row is Unsure if most of its owners are
// expected to be wrong: it is not compared.
const (
	Same    Status = "same"
	Changed Status = "changed"
	Added   Status = "added"
	Gone    Status = "gone"
	Unsure  Status = "unsure"
)

// Changes reports whether the status is a change.
func (s Status) Changes() bool { return s != Same && s != Unsure }

// Row is one lock, call chain or chain of waits on both sides.
type Row struct {
	Name      string
	Site      string // of a lock: the site by which it is known
	Base, New Rates
	P         float64 // probability of so large a difference by chance alone, for this row
	Status    Status
}

// Delta returns the difference, in threads waiting on average; with operations, in nanoseconds
// of waiting for each.
func (r *Row) Delta() float64 { return r.New.Waiting.Value - r.Base.Waiting.Value }

// Relative returns the difference over the base; false without a base.
func (r *Row) Relative() (float64, bool) {
	if r.Base.Waiting.Value == 0 {
		return 0, false
	}
	return r.Delta() / r.Base.Waiting.Value, true
}

// Options are the options of Compare.
type Options struct {
	Alpha     float64 // chance that a table calls anything changed when nothing did; 0 means 0.05
	MinChange float64 // relative differences up to this are no change, however certain

	// Operations are the operations of each side; 0 if unknown. With both, waiting is per
	// operation instead of per time.
	Operations [2]int64
}

// Diff is the difference of two sides. Each table has its changed rows first.
type Diff struct {
	Alpha                 float64
	Total                 Row
	Locks, Owners, Chains []Row
	BaseRunningNs         int64
	NewRunningNs          int64
	BaseElapsedNs         int64
	NewElapsedNs          int64
	Operations            [2]int64 // that rates of waiting are for one of; 0: they are over time
	traces                [2]int   // of each side
}

// Compare compares two sides, each of at least one trace, by the number of threads that waited
// on average, or by the waiting per operation. The running time changes together with the
// waiting, so pressure is only reported beside it.
//
// The error of each rate is that of a block bootstrap, see package bootstrap, with what runs vary
// beyond it, see Between, and the owners that may be wrong. A row's difference over its error
// follows Student's t; Holm's procedure keeps the probability that a
// table shows any false difference below Alpha, however many rows it has. A difference in the
// detail of owners' call chains is not counted, see finer.go.
func Compare(base, newer Group, o Options) *Diff {
	if o.Alpha <= 0 {
		o.Alpha = 0.05
	}
	d := &Diff{
		Alpha:         o.Alpha,
		BaseRunningNs: base.RunningNs(),
		NewRunningNs:  newer.RunningNs(),
		BaseElapsedNs: base.ElapsedNs(),
		NewElapsedNs:  newer.ElapsedNs(),
		traces:        [2]int{len(base), len(newer)},
	}
	if o.Operations[0] > 0 && o.Operations[1] > 0 {
		d.Operations = o.Operations
	}
	all := func(p *Profile) sum {
		cells := p.finish().Series(p.total)
		return sum{ns: sumOf(cells), cells: cells}
	}
	total := match(
		map[string]Rates{allLocks: base.rates(all)},
		map[string]Rates{allLocks: newer.rates(all)},
		noCoarser,
		d,
		o,
	)
	d.Total = total[0]
	names := lockNames(base, newer)
	lock := func(site string) string { return names[site] }
	identity := func(name string) string { return name }
	sites := func(p *Profile) *rows { return p.sites }
	d.Locks = match(byName(base, sites, lock), byName(newer, sites, lock), noCoarser, d, o)
	known := knownSites(names, base, newer)
	for i := range d.Locks {
		d.Locks[i].Site = known[d.Locks[i].Name]
	}
	takers := func(p *Profile) *rows { return p.takers }
	around := callersIn(callChains(base, newer))
	d.Owners = match(
		byName(base, takers, identity),
		byName(newer, takers, identity),
		coarser{around.ofMethod, partners},
		d,
		o,
	)
	chains := func(p *Profile) *rows { return p.chains }
	d.Chains = match(
		byName(base, chains, identity),
		byName(newer, chains, identity),
		coarser{of: around.ofChain},
		d,
		o,
	)
	return d
}

// noCoarser is the coarser of tables whose rows have no coarser ones.
var noCoarser = coarser{of: func(string) []string { return nil }}

// match joins the rows of two sides by name and judges them.
func match(base, newer map[string]Rates, of coarser, d *Diff, o Options) []Row {
	rows := make([]Row, 0, max(len(base), len(newer)))
	for name, r := range base {
		rows = append(rows, Row{Name: name, Base: r, New: newer[name]})
	}
	for name, r := range newer {
		if _, both := base[name]; !both {
			rows = append(rows, Row{Name: name, New: r})
		}
	}
	for i := range rows { // a row that is absent on a side was recorded there as well
		r := &rows[i]
		r.Base.Waiting.Traces, r.New.Waiting.Traces = d.traces[0], d.traces[1]
	}
	d.perOperation(rows)
	judge(rows, of, o)
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			blame.CompareBool(!a.Status.Changes(), !b.Status.Changes()),
			-cmp.Compare(math.Abs(a.Delta()), math.Abs(b.Delta())),
			-cmp.Compare(
				max(a.Base.Waiting.Value, a.New.Waiting.Value),
				max(b.Base.Waiting.Value, b.New.Waiting.Value),
			),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return rows
}

// allLocks is the name of the row of all locks together.
const allLocks = "all locks"

// perOperation turns the average number of waiting threads into the waiting per operation, if
// operations are known.
func (d *Diff) perOperation(rows []Row) {
	if d.Operations == [2]int64{} {
		return
	}
	for i := range rows {
		r := &rows[i]
		r.Base.Waiting = r.Base.Waiting.scale(float64(d.BaseElapsedNs) / float64(d.Operations[0]))
		r.New.Waiting = r.New.Waiting.scale(float64(d.NewElapsedNs) / float64(d.Operations[1]))
	}
}

// judge decides which rows differ. Holm (1979): the rows are taken in order of their
// probability; the k-th of n differs if it is at most alpha/(n-k), k from 0; the first that
// does not ends it.
func judge(rows []Row, of coarser, o Options) {
	near, between := related(rows, of), betweenOf(rows)
	var order []*Row
	for i := range rows {
		r := &rows[i]
		if r.Status = Same; r.unsure() {
			r.Status, r.P = Unsure, 1
			continue
		}
		r.P = chance(rows, i, near[i], between)
		order = append(order, r)
	}
	slices.SortStableFunc(order, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Name, b.Name))
	})
	for k, r := range order {
		if r.P > o.Alpha/float64(len(order)-k) {
			return
		}
		r.Status = r.statusOf(o.MinChange)
	}
}

// unsure reports whether most of the owners are expected to be wrong on a side with waiting.
func (r *Row) unsure() bool {
	base, newer := &r.Base.Waiting, &r.New.Waiting
	return base.WaitNs > 0 && base.Unsure || newer.WaitNs > 0 && newer.Unsure
}

// statusOf returns the status of a row with a significant difference.
func (r *Row) statusOf(minChange float64) Status {
	switch {
	case r.Base.Waiting.WaitNs == 0:
		return Added
	case r.New.Waiting.WaitNs == 0:
		return Gone
	case math.Abs(r.Delta()) <= minChange*r.Base.Waiting.Value:
		return Same
	}
	return Changed
}

// probability returns the probability that two equal rates differ by at least as much as
// these: two-sided, under Student's t with the degrees of freedom of Welch and Satterthwaite.
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
