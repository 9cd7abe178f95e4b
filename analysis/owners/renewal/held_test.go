package renewal

import "testing"

// Who comes and has to wait came while somebody had the lock: a gap in which that
// was long after a short section was others', and is less often free.
func TestWhoCameMetSomebody(t *testing.T) {
	p := program{holds: []float64{50, 400}, spread: 0.2, mix: []float64{0.8, 0.2}, wake: 300, barging: 0.3, think: 50}
	gaps, _ := p.run(3000)
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{p.mix})
	s := m.Splitter()
	var open, met Parts
	s.Split(&Gap{Site: 0, Length: 1e6}, &open)
	s.Split(&Gap{Site: 0, Length: 1e6, Held: 8e5}, &met)
	if met.Free >= open.Free || met.Others[0]+met.Others[1] < (open.Others[0]+open.Others[1])*11/10 {
		t.Errorf("nobody known to have come: %+v; somebody near the end: %+v", open, met)
	}
	var early, late Met
	s.Meet(&Arrival{Site: -1, Length: 1e6, Busy: 0.5}, &early)
	s.Meet(&Arrival{Site: -1, Length: 1e6, Busy: 0.5, Held: 8e5}, &late)
	if late.Free >= early.Free {
		t.Errorf("one came at once: %+v; another near the end: %+v", early, late)
	}
	s.Split(&Gap{Site: 0, Length: 1e9}, &open)
	if s.Split(&Gap{Site: 0, Length: 1e9, Held: 9e8}, &met); met.Free > open.Free {
		t.Errorf("a gap beyond all lengths: %+v, %+v", open, met)
	}
}

// Nobody takes a fair lock while others wait for it.
func TestAFairLockIsNotBarged(t *testing.T) {
	p := program{holds: []float64{50, 400}, spread: 0.2, mix: []float64{0.8, 0.2}, wake: 100, think: 50}
	gaps, want := p.run(3000)
	m := Learn(&Data{Gaps: gaps, Fair: true}, 2, []Mix{p.mix})
	s, free := m.Splitter(), int64(0)
	var parts Parts
	for _, g := range gaps {
		s.Split(&g, &parts)
		free += parts.Free
		if others := parts.Others[0] + parts.Others[1]; others > 0 {
			t.Fatalf("%d ns of %+v are of threads that had not waited", others, g)
		}
	}
	if got := float64(free); !about(got, want.free) {
		t.Errorf("free %.0f, want %.0f", got, want.free)
	}
}

// A rest has no first section.
func TestARestIsOthersOrFree(t *testing.T) {
	p := program{holds: []float64{50}, spread: 0.2, mix: []float64{1}, wake: 100, barging: 0.3, think: 50}
	gaps, _ := p.run(1000)
	s := Learn(&Data{Gaps: gaps}, 1, []Mix{p.mix}).Splitter()
	var parts Parts
	for _, length := range []int64{1, 1e5, 1e6, 1e10} {
		if s.Split(&Gap{Site: -1, Length: length}, &parts); parts.First != 0 || parts.Free+parts.Others[0] != length {
			t.Errorf("of %d: %+v", length, parts)
		}
	}
}

// Until when somebody had the lock is told by four cells, of a fortieth of a stretch
// that is longer than all: what is told finer is computed for nothing.
func TestHowFinelyItIsToldUntilWhenSomebodyHadTheLock(t *testing.T) {
	p := program{holds: []float64{50, 400}, spread: 0.2, mix: []float64{0.8, 0.2}, wake: 300, barging: 0.3, think: 50}
	gaps, _ := p.run(3000)
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{p.mix})
	s := m.Splitter()
	var parts Parts
	var met Met
	near := func(cell int64) int64 {
		s.Split(&Gap{Site: 0, Length: 100 * m.unit, Held: cell * m.unit}, &parts)
		return parts.Free
	}
	long := func(part int64) int64 {
		length := 1000 * m.unit * cells
		s.Meet(&Arrival{Site: -1, Length: length, Busy: 0.5, Held: length/1000*part + 1}, &met)
		return met.Free
	}
	for name, of := range map[string][4]int64{"near": {near(40), near(43), near(44), near(47)}, "long": {long(500), long(524), long(525), long(549)}} {
		if of[0] != of[1] || of[1] == of[2] || of[2] != of[3] {
			t.Errorf("%s: free %v", name, of)
		}
	}
}
