package document

import (
	"math"
	"slices"

	"contend/blame/compare"
	"contend/format"
)

// Diff is the document of `contend diff`. Changes are of the number of threads
// that waited on average, or of the waiting of each operation. Shares are parts
// of the running time of all threads: those of locks are their critical section
// pressure.
type Diff struct {
	Schema string    `json:"schema"`
	Alpha  float64   `json:"alpha"` // chance that a table shows any change when there is none
	Base   Side      `json:"base"`
	New    Side      `json:"new"`
	Total  DiffRow   `json:"total"`
	Locks  []DiffRow `json:"locks"`
	Owners []DiffRow `json:"owners"` // methods that acquired the lock, without line numbers, and pseudo owners
	Chains []DiffRow `json:"chains"` // signatures, those of contend.chains

	omitted [3]DiffOmitted
	only    string
}

// Omitted returns what is beyond the limit of locks, owners and chains.
func (d *Diff) Omitted() (locks, owners, chains DiffOmitted) {
	return d.omitted[0], d.omitted[1], d.omitted[2]
}

// SetOmitted sets what is beyond the limit.
func (d *Diff) SetOmitted(locks, owners, chains DiffOmitted) {
	d.omitted = [3]DiffOmitted{locks, owners, chains}
}

// Only returns the one table to show: lock, owner or chain; "" for all.
func (d *Diff) Only() string { return d.only }

// OnlyChains keeps the chains of waits and the total alone.
func (d *Diff) OnlyChains() {
	d.only = "chain"
	d.Locks = []DiffRow{}
	d.Owners = []DiffRow{}
}

// DiffOmitted counts rows beyond the limit, and the changed ones among them.
type DiffOmitted struct{ Rows, Changed int }

// Side is the traces compared on one side.
type Side struct {
	RunningNs  int64       `json:"runningNs"`
	ElapsedNs  int64       `json:"elapsedNs"`            // of all traces together
	Operations int64       `json:"operations,omitempty"` // operations in that time, if known
	BlockNs    [2]int64    `json:"blockNs"`              // shortest and longest block of the bootstrap
	Traces     []SideTrace `json:"traces"`
}

// Summed reports whether a trace of the side has sums without instants.
func (s *Side) Summed() bool {
	return slices.ContainsFunc(s.Traces, func(t SideTrace) bool { return format.Unit(t.Coverage.Unit).Summed() })
}

// SideTrace is one trace of a side.
type SideTrace struct {
	Trace    Trace    `json:"trace"`
	Coverage Coverage `json:"coverage"`
}

// DiffRow is the change of one row.
type DiffRow struct {
	Name string `json:"name"`
	Site string `json:"site,omitempty"` // of a lock: the site in its name
	// Same, which may be noise, changed, added, gone, or unsure: its owners are mostly unknown.
	Status   string   `json:"status"`
	Base     Rate     `json:"base"`
	New      Rate     `json:"new"`
	Relative *float64 `json:"relative"` // change of waiting over base; null without a base
	P        float64  `json:"p"`
}

// Rate is a share of running time with half of its 95 % interval, which is
// null when the traces are too short.
type Rate struct {
	WaitNs    int64    `json:"waitNs"`
	Share     float64  `json:"share"`
	PlusMinus *float64 `json:"plusMinus"`

	// Threads that waited on average; nanoseconds of waiting for each operation
	// where those are known.
	Waiting          float64  `json:"waiting"`
	WaitingPlusMinus *float64 `json:"waitingPlusMinus"`
}

// NewDiff builds the document; top limits the rows of each table, 0 means all.
func NewDiff(d *compare.Diff, base, new Side, top int) *Diff {
	out := &Diff{Schema: "contend.diff/1", Alpha: d.Alpha, Base: base, New: new, Total: newDiffRow(&d.Total)}
	out.Base.RunningNs, out.New.RunningNs = d.BaseRunningNs, d.NewRunningNs
	out.Base.ElapsedNs, out.New.ElapsedNs = d.BaseElapsedNs, d.NewElapsedNs
	out.Base.Operations, out.New.Operations = d.Operations[0], d.Operations[1]
	for i, t := range []struct {
		from []compare.Row
		to   *[]DiffRow
	}{{d.Locks, &out.Locks}, {d.Owners, &out.Owners}, {d.Chains, &out.Chains}} {
		shown := limit(t.from, top)
		*t.to = make([]DiffRow, len(shown))
		for j := range shown {
			(*t.to)[j] = newDiffRow(&shown[j])
		}
		for _, r := range t.from[len(shown):] {
			out.omitted[i].Rows++
			if r.Status.Changes() {
				out.omitted[i].Changed++
			}
		}
	}
	return out
}

func newDiffRow(r *compare.Row) DiffRow {
	out := DiffRow{
		Name:   r.Name,
		Site:   r.Site,
		Status: string(r.Status),
		Base:   NewRate(r.Base),
		New:    NewRate(r.New),
		P:      r.P,
	}
	if rel, ok := r.Relative(); ok {
		out.Relative = &rel
	}
	return out
}

// NewRate converts a rate.
func NewRate(r compare.Rates) Rate {
	return Rate{r.Pressure.WaitNs, r.Pressure.Value, finite(r.Pressure.Half), r.Waiting.Value, finite(r.Waiting.Half)}
}

// finite returns nil for an unknown value.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}
