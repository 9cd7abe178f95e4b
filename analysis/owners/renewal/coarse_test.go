package renewal

import "testing"

// queued is what a recorder tells of a lock that leaves short waits out: the
// short gaps of a queue behind each long stretch, which several sections of one
// site in a hundred made up.
func queued(met int64) *Data {
	d := &Data{Hidden: true}
	for i := range 100 {
		g := Gap{Site: 0, Length: 100e3 + int64(i%7)*10e3}
		if i%25 == 24 {
			g = Gap{Site: 1, Length: 4e6 + int64(i%3)*1e5}
		}
		d.Gaps = append(d.Gaps, g)
		d.Met = append(d.Met, met)
	}
	return d
}

// A stretch that is longer than all gaps is not one section of the most frequent
// site, but some of the one whose sections are long.
func TestStretchesOfSeveralSections(t *testing.T) {
	meet := func(d *Data) (long, all int64) {
		var met Met
		Learn(d, 2, []Mix{{96, 4}}).Splitter().Meet(&Arrival{Site: -1, Length: 12e6, Busy: 0.5}, &met)
		return met.First[1] + met.Others[1], 12e6
	}
	if long, all := meet(queued(12e6)); float64(long) < 0.8*float64(all) {
		t.Errorf("long sections have %d of %d", long, all)
	}
	d := queued(12e6)
	d.Hidden = false
	if long, all := meet(d); float64(long) > 0.8*float64(all) {
		t.Errorf("with nothing hidden they have %d of %d: the test shows nothing", long, all)
	}
}

// Longer cells are for what the others do not hold a tenth of the time of.
func TestLongerCells(t *testing.T) {
	for _, c := range []struct {
		met    int64
		hidden bool
		want   bool
	}{{12e6, true, true}, {12e6, false, false}, {1e6, true, false}} {
		d := queued(c.met)
		d.Hidden = c.hidden
		if m := Learn(d, 2, []Mix{{96, 4}}); (m.coarse != nil) != c.want {
			t.Errorf("%+v: longer cells: %v", c, m.coarse != nil)
		} else if c.want && (m.coarse.unit*cells < c.met || m.coarse.unit*cells > 2*c.met) {
			t.Errorf("cells of %d ns", m.coarse.unit)
		}
	}
}

// A free lock is free as long as in short gaps.
func TestFreeTimesAreThoseOfShortGaps(t *testing.T) {
	m := Learn(queued(12e6), 2, []Mix{{96, 4}})
	fine, coarse := 0.0, 0.0
	for i, p := range m.wake {
		fine += float64(int64(i)*m.unit) * p
		coarse += float64(int64(i)*m.coarse.unit) * m.coarse.wake[i]
	}
	if coarse > fine+float64(m.coarse.unit)/2 {
		t.Errorf("free for %.0f ns, in longer cells %.0f", fine, coarse)
	}
}
