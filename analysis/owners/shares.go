package owners

import "contend/format"

// shares are how sections divide the time in which others than the first owner
// of a gap have the lock, as samples of running threads tell it.
//
// Recorders that leave short waits out hide most acquisitions, and the model,
// which knows sections by who had to wait, gives their time to those it knows.
// Samples do not depend on that: while somebody waits they show each section as
// often as threads run in it. Of owners that do not run they show nothing:
// those sleep, or wait themselves. So:
//
//   - a call site whose sections were seen to stop, and one no sample shows, has
//     what the model gives it, but no smaller part of all than of the samples;
//   - what is left goes to the others as the samples divide, and to sections
//     where nobody was recorded to wait;
//   - and either only as far as the samples tell more than the model.
type shares struct {
	weight float64   // of the samples
	stops  []bool    // by site: it has what the model gives it
	factor []float64 // by site that does: times so much
	by     []float64 // by other site: its part of what is left
	hidden []hidden
}

// hidden is a section where nobody was recorded to wait.
type hidden struct {
	stack format.StackID
	part  float64 // of what is left
}

// apply divides what the model gives each site anew, and returns what is left
// for hidden sections.
func (sh *shares) apply(by []int64) (left int64) {
	if sh == nil {
		return 0
	}
	others := int64(0)
	for s, ns := range by {
		left += ns
		if !sh.stops[s] {
			others += ns
		}
	}
	for s, ns := range by {
		if sh.stops[s] && ns > 0 {
			by[s] = min(int64(float64(ns)*sh.factor[s]), left)
			left -= by[s]
		}
	}
	whole := float64(left)
	for s, ns := range by {
		if !sh.stops[s] {
			part := sh.weight * sh.by[s]
			if ns > 0 { // else a division for nothing
				part = (1-sh.weight)*share(ns, others) + part
			}
			by[s] = min(int64(whole*part), left)
			left -= by[s]
		}
	}
	return left
}
