package analysis

import (
	"math/rand/v2"
	"testing"

	"contend/format"
)

// A thread computes and sleeps with four locks now and then, and lets go of them together: those who
// wait for one get it just when others get another, and have had none of those meanwhile.
func TestLocksReleasedTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []format.Event{stack(5, "audit", "loop"), stack(6, "evict", "loop"), stack(7, "deposit", "loop")}
	for lock := range 4 {
		events = append(events, kind(1+lock, format.KindSynchronizer))
	}
	waits := func(thread, lock int, from, to int64) {
		w := after(thread, lock, from, to, 0)
		w.Stack = 7
		events = append(events, w)
	}
	const rounds = 60
	for i := range int64(rounds) {
		at := i * 60 * ms
		events = append(events, sleeps(1, 5, at, at+8*ms))
		for place, lock := range r.Perm(4) {
			waits(2+lock, 1+lock, at-4*ms+r.Int64N(3*ms), at+8*ms+50e3+int64(place)*40e3)
			from := at + 20*ms + int64(lock)*4*ms + r.Int64N(12*ms)
			events = append(events, sleeps(10+lock, 6, from, from+8*ms))
			waits(2+lock, 1+lock, from+ms, from+8*ms+50e3)
		}
	}
	for lock := range 4 { // owners wait, too, now and then
		waits(1, 1+lock, 9000*ms, 9000*ms+1000)
		waits(10+lock, 1+lock, 9100*ms, 9100*ms+1000)
	}
	s, _ := run(t, events, open)
	others := int64(0)
	for _, waiter := range []string{"t2", "t3", "t4", "t5"} {
		others += s.direct[waiter]
	}
	if float64(others) > 0.05*float64(s.total) || float64(s.direct["t1"]) < 0.4*float64(s.total) {
		t.Errorf("of %d the auditor is charged %d, and those who wait %d; %v", s.total, s.direct["t1"], others, s.direct)
	}
}
