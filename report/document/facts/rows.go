package facts

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"contend/analysis"
	"contend/analysis/durations"
	"contend/blame/cube"
	"contend/blame/locks"
	"contend/blame/waits"
	"contend/format"
	"contend/report/document"
)

// Visitors collect what the rows of one recording are made of.
type Visitors struct {
	Waits   *cube.Cube // of NewCube
	Locks   *locks.Collector
	Lengths *waits.Collector // by class
}

// All returns them as what pass.Run takes.
func (v *Visitors) All() []analysis.Visitor {
	return []analysis.Visitor{v.Waits, v.Locks, v.Lengths}
}

// New returns a recording with only its name and labels.
func New(name, contend string, labels map[string]string) *Facts {
	all, _ := json.Marshal(labels) // strings alone, in order of their names
	if labels == nil {
		all = []byte("{}")
	}
	return &Facts{labels: labels, Recording: Recording{
		Recording: name,
		Labels:    string(all),
		Contend:   contend,
		Service:   labels["service"],
		Version:   labels["version"],
		Host:      labels["host"],
	}}
}

// Fail says that nothing could be read, and why.
func (f *Facts) Fail(why string) {
	f.Recording.Error, f.Recording.Damaged = why, true
}

// Fill adds what the visitors have seen, once.
func (f *Facts) Fill(st format.Stats, tr *analysis.Trace, v *Visitors) {
	v.Waits.Finish()
	f.recording(st, tr, v)
	timed := f.Recording.Unit == document.UnitNs
	f.intervals(v.Waits, timed)
	f.Waits = newWaits(f.Recording.Recording, v.Waits, timed)
	for _, r := range v.Locks.Rows() {
		f.lock(&r, tr.Symbols)
	}
	for _, r := range v.Lengths.Rows() {
		f.lengths(r.Keys[0], r.Lengths)
	}
	slices.SortStableFunc(f.Lengths, func(a, b Length) int {
		return cmp.Or(
			cmp.Compare(a.Class, b.Class),
			cmp.Compare(a.Bound, b.Bound),
			cmp.Compare(a.LeNs, b.LeNs),
			cmp.Compare(a.N, b.N),
		)
	})
}

func (f *Facts) recording(st format.Stats, tr *analysis.Trace, v *Visitors) {
	r := &f.Recording
	r.Format, r.Unit = st.Format, cmp.Or(string(st.Unit), document.UnitNs)
	r.Threads = int64(tr.Threads)
	r.Events = st.Events
	r.Bytes = st.BytesRead
	r.RunningNs = tr.RunningNs
	r.Damaged = !st.Damage.Whole()
	r.Warnings = codes(st.Warnings, tr.Coverage.Warnings)
	r.IntervalNs = v.Waits.BinNs
	if r.Unit == document.UnitNs {
		r.Start, r.DurationNs = InstantOf(tr.Start), tr.End-tr.Start
	}
	all := &v.Waits.Total
	r.WaitNs, r.Waits = all.Ns, all.Waits
	for i := range all.Cells {
		r.WallNs += all.WallNs(i)
	}
	if r.Events == 0 && r.Damaged {
		f.Fail("nothing could be read: " + st.Damage.Places[0].Why)
	}
}

// codes lists the codes of warnings, each once.
func codes(lists ...[]format.Warning) string {
	all := map[string]bool{}
	for _, list := range lists {
		for _, w := range list {
			all[w.Code] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

// instantOfBin returns when an interval begins; what counts has no time.
func instantOfBin(c *cube.Cube, bin int, timed bool) Instant {
	if !timed {
		return 0
	}
	return InstantOf(c.Start + int64(bin)*c.BinNs)
}

func (f *Facts) intervals(c *cube.Cube, timed bool) {
	rows := map[int]*Interval{}
	row := func(bin int) *Interval {
		if rows[bin] == nil {
			rows[bin] = &Interval{Recording: f.Recording.Recording, Interval: instantOfBin(c, bin, timed)}
		}
		return rows[bin]
	}
	for bin, ns := range c.RunningNs {
		if timed || ns > 0 {
			row(bin).RunningNs = ns
		}
	}
	for i, cell := range c.Total.Cells {
		r := row(int(cell.Bin))
		r.WaitNs = cell.Ns
		r.WallNs = c.Total.WallNs(i)
		r.Waits = int64(cell.Waits)
	}
	for _, bin := range slices.Sorted(maps.Keys(rows)) {
		f.Intervals = append(f.Intervals, *rows[bin])
	}
}

func (f *Facts) lock(r *locks.Row, sym *analysis.Symbols) {
	created := ""
	if r.Created != format.NoStack {
		created = analysis.StackText(sym.Frames(r.Created))
	}
	f.Locks = append(f.Locks, Lock{
		Recording: f.Recording.Recording,
		Lock:      r.Lock,
		Class:     analysis.StableName(r.Class),
		Kind:      r.Kind,
		Created:   created,
		Waits:     r.Waits,
		Failed:    r.Failed,
		WaitNs:    r.WaitNs,
		WallNs:    r.WallNs,
		MaxNs:     r.MaxNs,
		Waiters:   int64(r.Waiters),
	})
}

func (f *Facts) lengths(class string, l *waits.Lengths) {
	for _, of := range []struct {
		bound     string
		durations *durations.Distribution
	}{{"exact", &l.Exact}, {"at_least", &l.AtLeast}, {"at_most", &l.AtMost}} {
		for _, b := range of.durations.Buckets() {
			length := Length{f.Recording.Recording, analysis.StableName(class), of.bound, b.Last, b.Count}
			f.Lengths = append(f.Lengths, length)
		}
	}
}
