package renewal

import "testing"

// A thread that is seen to have the lock has it still if that is soon after it got it, as
// sections go, and has it again if it is long after.
func TestWhoHasTheLockLongAfterItsSectionHasItAgain(t *testing.T) {
	p := program{holds: []float64{50}, spread: 0.2, mix: []float64{1}, wake: 300, barging: 0.5, think: 50}
	gaps, _ := p.run(3000)
	m := Learn(&Data{Gaps: gaps}, 1, []Mix{p.mix})
	s := m.Splitter()
	for _, c := range []struct {
		least int64
		want  bool
	}{{m.unit, true}, {60 * m.unit, false}} {
		if got := s.Lasts(&Gap{Length: 64 * m.unit, Least: c.least}); got != c.want {
			t.Errorf("seen after %d of 64 cells: still the same section is %t", c.least/m.unit, got)
		}
	}
}
