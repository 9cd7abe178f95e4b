package renewal

import "testing"

// Of a lock only long waits were recorded: those of threads that came while the
// writer had it, who never waits himself. They then get it one right after the
// other, and no gap shows his section.
func TestWhoHadToWaitRanIntoASection(t *testing.T) {
	var gaps []Gap
	var met []int64
	for i := range int64(60) {
		met = append(met, 10e6+i*50e3)
		for k := range int64(8) {
			gaps = append(gaps, Gap{Length: 30e3 + 7e3*((i+k)%16)})
		}
		gaps = append(gaps, Gap{Length: 1e6 + 70e3*(i%20)}) // a slow reader
	}
	m := Learn(&Data{Gaps: gaps, Met: met, Hidden: true, Shared: true}, 1, []Mix{{1}})
	for _, length := range []int64{10e6, 13e6} {
		var parts Met
		m.Splitter().Meet(&Arrival{Site: -1, Length: length, Busy: 0.2}, &parts)
		if parts.Free > length/10 {
			t.Errorf("of %d ns the lock was free for %d, though a thread came and had to wait", length, parts.Free)
		}
	}
	var short Parts
	m.Splitter().Split(&Gap{Length: 100e3}, &short)
	if short.First > 100e3*9/10 {
		t.Errorf("and of a gap of 100 us that was all one section: %+v", short)
	}
}
