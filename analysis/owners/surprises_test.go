package owners

import "testing"

// Where samples of the longest gaps show others than is claimed as often as not, and three
// at least, gaps half as long and longer are divided by samples alone.
func TestSamplesOfLongGapsMaySurprise(t *testing.T) {
	for _, c := range []struct {
		name          string
		other, agrees []int64 // lengths of the gaps in which samples do and do not show others
		want          int64
	}{
		{"none", nil, []int64{100, 90, 5}, 0},
		{"two", []int64{100, 90}, nil, 0},
		{"three", []int64{100, 90, 80}, nil, 40},
		{"down to where they agree", []int64{100, 90, 80, 2}, []int64{19, 18, 17, 16, 15}, 40},
		{"as many agree", []int64{100, 90, 80}, []int64{100, 90, 80}, 40},
		{"most agree", []int64{100, 90, 80}, []int64{100, 90, 80, 70}, 0},
		{"longer ones agree", []int64{50, 45, 40}, []int64{100}, 20},
	} {
		var l surprises
		for _, ns := range c.agrees {
			l.add(ns, false)
		}
		for _, ns := range c.other {
			l.add(ns, true)
		}
		if got := l.long(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
