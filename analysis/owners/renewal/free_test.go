package renewal

import "testing"

// Of a fair lock long waits only were recorded. Its sections take 1 to 6 ms, whatever
// the call site, and who is next runs at once: the more they differ, the more of them
// by their lengths alone might be free time.
func TestAFairLockIsFreeWhileTheNextOneWakes(t *testing.T) {
	var gaps []Gap
	for i := range int64(400) {
		gaps = append(gaps, Gap{Site: int(i % 5 / 4), Length: 900e3 + i*i*7919%5000e3})
	}
	d := &Data{Gaps: gaps, Hidden: true, Fair: true}
	if free := freeOf(Learn(d, 2, []Mix{{4, 1}}), gaps); free > 0.3 {
		t.Errorf("free for %.2f of the time", free)
	}
	if free := freeOf(Learn(&Data{Gaps: gaps, Hidden: true}, 2, []Mix{{4, 1}}), gaps); free < 0.4 {
		t.Errorf("one that is not fair, of which nothing tells, for %.2f", free)
	}
}

// Who leaves a fair pool is seen elsewhere long before the next one gets a permit: one of
// another thread, that had not waited for long either.
func TestAFairPoolIsNotFreeOnceOneLeavesIt(t *testing.T) {
	var gaps []Gap
	for i := range int64(400) {
		g := Gap{Length: 900e3 + i*i*7919%5000e3}
		g.Gone = g.Length / 4
		gaps = append(gaps, g)
	}
	lock := &Data{Gaps: gaps, Hidden: true, Fair: true}
	pool := *lock
	pool.Pool = true
	if a, b := freeOf(Learn(lock, 1, []Mix{{1}}), gaps), freeOf(Learn(&pool, 1, []Mix{{1}}), gaps); a < 0.8 || b > 0.7 {
		t.Errorf("a lock is free for %.2f of the time, a pool for %.2f", a, b)
	}
}

// freeOf returns which share of some gaps a model says is free.
func freeOf(m *Model, gaps []Gap) float64 {
	s, free, all := m.Splitter(), int64(0), int64(0)
	var parts Parts
	for i := range gaps {
		s.Split(&gaps[i], &parts)
		free, all = free+parts.Free, all+gaps[i].Length
	}
	return share(free, all)
}
