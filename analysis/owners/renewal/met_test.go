package renewal

import (
	"math"
	"testing"
)

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

// Who makes others wait long without waiting long is met by those who want the lock
// alone, too. Whose section it was is divided as by a model of the gaps.
func TestTheLockThreadsRanIntoWasNotFree(t *testing.T) {
	ranInto(t, ranIntoEvery(1), Mix{7, 1}, 10e6)
}

// Where hardly any time is like that, a second model is not worth what it costs.
func TestLittleFreeTimeNeedsNoModel(t *testing.T) {
	for every, want := range map[int64]bool{2: true, 8: false} {
		if m := Learn(ranIntoEvery(every), 2, []Mix{{7, 1}}); (m.free != nil) != want {
			t.Errorf("one stretch in %d queues: a second model is %v, want %v", every, !want, want)
		}
	}
}

// ranIntoEvery is what is known of a lock where so many queues are met of which one is
// recorded from when its first thread came.
func ranIntoEvery(n int64) *Data {
	d := &Data{Hidden: true}
	for i := range int64(60) {
		if i%n == 0 {
			d.Met = append(d.Met, 10e6+i*50e3)
		}
		for k := range int64(8) {
			d.Gaps = append(d.Gaps, Gap{Site: int(k / 7), Length: 30e3 + k/7*60e3 + 7e3*((i+k)%16)})
		}
		d.Gaps = append(d.Gaps, Gap{Length: 1e6 + 200e3*(i%20)}) // whom nobody woke for so long
	}
	return d
}

// ranInto checks how a stretch divides in which a thread came and had to wait.
func ranInto(t *testing.T, d *Data, mix Mix, length int64) {
	m := Learn(d, 2, []Mix{mix})
	of, byGaps := m.Splitter(), m.Splitter()
	byGaps.free = nil
	var parts, before Met
	a := &Arrival{Site: -1, Length: length, Busy: 0.2}
	of.Meet(a, &parts)
	byGaps.Meet(a, &before)
	if parts.Free > length/20 {
		t.Errorf("of %d ns the lock was free for %d, though a thread came and had to wait", length, parts.Free)
	}
	if sum := parts.Own + parts.Free + parts.First[0] + parts.First[1] + parts.Others[0] + parts.Others[1]; sum != length {
		t.Errorf("the parts of %d ns are %d: %+v", length, sum, parts)
	}
	has := func(p *Met) float64 { return share(p.First[1], p.First[0]+p.First[1]) }
	if math.Abs(has(&parts)-has(&before)) > 0.01 {
		t.Errorf("the rarer section has %.2f of what was met, %.2f by the gaps", has(&parts), has(&before))
	}
}
