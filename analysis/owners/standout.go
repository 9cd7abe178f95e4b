package owners

import "slices"

// Samples of stretches that stand out by their length divide them by themselves, where they
// contradict what is claimed: see surprises.

// surprised returns the builders of which samples in long gaps show others, and forgets what was
// weighed of these; the others are nil.
func (ev *evidence) surprised(all []*builder) []*builder {
	of := map[*kin][]*builder{}
	for _, b := range all {
		if b != nil {
			of[b.kin] = append(of[b.kin], b)
		}
	}
	for k, some := range of {
		if long := k.shown.surprises.long(); long > 0 && standOut(some, long) {
			k.long, k.shown = long, tallies{}
		}
		k.shown.surprises = nil
	}
	out := slices.Clone(all)
	for i, b := range out {
		if b != nil && b.kin.long == 0 {
			out[i] = nil
		}
	}
	return out
}

// outlying is how many times as long as the others gaps are on average that stand out: long
// sections that are known are not that much longer than others.
const outlying = 50

// standOut reports whether gaps at least so long are few, and stand out.
func standOut(of []*builder, long int64) bool {
	var n, ns [2]float64 // of the others, and of these
	for _, b := range of {
		b.gaps(func(g *gap) {
			i, waited := 0, b.waitedIn(g)
			if waited >= long {
				i = 1
			}
			n[i]++
			ns[i] += float64(waited)
		})
	}
	return n[1] <= tolerance*n[0] && ns[1]*n[0] >= outlying*ns[0]*n[1]
}
