package gotrace

import (
	"slices"
	"testing"

	"contend/decode/gosym"
	"contend/format"
)

// A function that takes one lock and gives back another, which other functions
// read, is no reason to join them.
func TestHalvesOfDifferentLocksStayApart(t *testing.T) {
	at := func(fn, method string) *gosym.Use {
		return &gosym.Use{Class: "sync.RWMutex", Method: method, At: format.Frame{Class: "shop", Method: fn}}
	}
	for name, c := range map[string]struct {
		joins [][2]*gosym.Use // what wakes what
		one   bool
	}{
		"one lock":               {[][2]*gosym.Use{{at("get", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("get", "RUnlock")}}, true},
		"two taken together":     {[][2]*gosym.Use{{at("getX", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("getY", "RUnlock")}}, false},
		"readers of two writers": {[][2]*gosym.Use{{at("get", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("get", "RUnlock")}, {at("set", "Lock"), at("get", "RUnlock")}, {at("get", "RLock"), at("set", "Unlock")}}, true},
	} {
		var s sites
		var all []site
		for _, j := range c.joins {
			a, b := s.of(j[0]), s.of(j[1])
			s.join(a, b)
			all = append(all, a, b)
		}
		s.joinHalves()
		roots := []site{}
		for _, x := range all {
			roots = append(roots, s.find(x))
		}
		slices.Sort(roots)
		if got := len(slices.Compact(roots)); (got == 1) != c.one {
			t.Errorf("%s: %d locks", name, got)
		}
	}
}
