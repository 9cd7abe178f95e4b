package renewal

import "testing"

// A section that ends in a cell ends in the middle of it, on average.
func TestASectionEndsWithinItsCell(t *testing.T) {
	m := &Model{sites: 1, hold: make([]lattice, 1), far: make([][tails]float64, 1)}
	m.hold[0][3], m.hold[0][7] = 0.5, 0.5
	over := m.beyond(0)
	for cell, want := range map[int]float64{0: 1, 2: 1, 3: 0.75, 4: 0.5, 7: 0.25, 8: 0} {
		if over[cell] != want {
			t.Errorf("it outlasts cell %d with %v, want %v", cell, over[cell], want)
		}
	}
}
