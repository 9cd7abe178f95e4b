package renewal

import "testing"

// halted is a lock with sections of 10 and 100 us that is free for 50 us at a
// time, and of whose gaps some last 2 ms, after which call site ever.
func halted(after ...int) *Model {
	p := program{holds: []float64{10, 100}, spread: 0.1, mix: []float64{0.9, 0.1}, wake: 50, barging: 0.3, think: 20}
	gaps, _ := p.run(4000)
	for site, n := range after {
		for range n {
			gaps = append(gaps, Gap{Site: site, Length: 2e6})
		}
	}
	return Learn(&Data{Gaps: gaps}, 2, []Mix{{0.9, 0.1}})
}

// What halts threads halts them in what they are at for the most time: after
// all call sites as often, it is mostly the free lock that stays free.
func TestHaltsMeetWhatTakesTime(t *testing.T) {
	m := halted(18, 2)
	var p Parts
	m.Splitter().Split(&Gap{Site: 0, Length: 2e6}, &p)
	if p.Free < 1e6 || p.First > 0.8e6 || p.Others[1] < 0.02e6 {
		t.Errorf("of 2 ms after a section of 10 us: %+v", p)
	}
	m.Splitter().Split(&Gap{Site: 1, Length: 2e6}, &p)
	if p.First < 0.4e6 || p.Free < 0.4e6 {
		t.Errorf("of 2 ms after a section of 100 us: %+v", p)
	}
}

// More of them after one call site than chance brings are its sections.
func TestHaltsAfterOneCallSiteAreItsSections(t *testing.T) {
	m := halted(2, 18)
	var p Parts
	if m.Splitter().Split(&Gap{Site: 1, Length: 2e6}, &p); p.First < 1.6e6 {
		t.Errorf("of 2 ms after a section often so long: %+v", p)
	}
}

// A count within a standard deviation of what is expected tells nothing; of any
// other that much is chance.
func TestCountsAreBelievedBeyondChance(t *testing.T) {
	for _, c := range [][3]float64{{110, 100, 100}, {92, 100, 100}, {400, 100, 380}, {25, 100, 35}, {1, 0, 0}, {16, 0, 12}, {0, 0, 0}} {
		if got := beyondChance(c[0], c[1]); got != c[2] {
			t.Errorf("%.0f counted where %.0f are expected: %.1f, want %.0f", c[0], c[1], got, c[2])
		}
	}
}

// A thread that is seen elsewhere just before the next one has the lock may have had it
// until then, however long that was; one that is seen elsewhere soon had not.
func TestALongFirstSectionMayEndJustBeforeTheNext(t *testing.T) {
	m := halted(2, 18)
	var p Parts
	if m.Splitter().Split(&Gap{Site: 1, Length: 2e6, Gone: 1.99e6}, &p); p.First < 1.6e6 || p.First > 1.99e6 {
		t.Errorf("seen elsewhere 10 us before the end of 2 ms: %+v", p)
	}
	if m.Splitter().Split(&Gap{Site: 1, Length: 2e6, Gone: 0.1e6}, &p); p.First > 0.1e6 {
		t.Errorf("seen elsewhere after 100 us of 2 ms: %+v", p)
	}
}
