package owners

import "testing"

func TestBareActivitiesBelongToTheSiteTheyFollow(t *testing.T) {
	for _, c := range []struct {
		name string
		by   distances
		want homeSite
		ok   bool
	}{
		{"promptly after one site, long after another", distances{1: {3, 4, 9}, 2: {300, 900, 1400, 2000, 5000}}, homeSite{1, 4 * promptPart}, true},
		{"promptly after two", distances{1: {3, 4, 9}, 2: {5, 6, 7}}, homeSite{}, false},
		{"promptly after two, most at one", distances{1: {3, 4, 9}, 2: {5, 6, 7, 7, 7}}, homeSite{2, maxTime}, true},
		{"too few to tell", distances{1: {3, 4}, 2: {300, 900}}, homeSite{}, false},
		{"one site", distances{1: {3}}, homeSite{1, maxTime}, true},
		{"long after one site", distances{1: {300, 400, 500}}, homeSite{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := c.by.nearest()
			if !ok {
				got, ok = c.by.usual(100)
			}
			if got != c.want || ok != c.ok {
				t.Errorf("%v, %t; want %v, %t", got, ok, c.want, c.ok)
			}
		})
	}
}
