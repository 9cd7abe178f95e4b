package analysis

import (
	"math"
	"testing"

	"contend/format"
	"contend/golden"
)

// Who asks for one lock at one time is told the candidates of that lock, with evidence that
// adds up, and of the waiting in that time only.
func TestWhyIsAnswered(t *testing.T) {
	events := []format.Event{kind(1, format.KindMonitor), kind(2, format.KindMonitor), stack(5, "take", "loop"), stack(6, "other", "loop")}
	for i := range int64(100) {
		for lock := range 2 {
			w := after(2, 1, i*20*ms, i*20*ms+5*ms, 0)
			w.Object, w.Stack = format.ObjectID(lock+1), format.StackID(5+i%2)
			events = append(events, w)
			w.Thread, w.Time, w.End = 3, w.End-ms, w.End+2*ms
			events = append(events, w)
		}
	}
	asks := open
	asks.Why = func(lock format.ObjectID) (from, to int64) {
		if lock != 2 {
			return 0, 0
		}
		return 40 * ms, 41 * ms
	}
	got := golden.Must(Run(&format.List{Events: events}, asks))(t).Whys
	w := got[2]
	if len(got) != 1 || w.Ns != ms || len(w.Candidates) < 2 {
		t.Fatalf("told %+v", got)
	}
	sum := 0.0
	for _, c := range w.Candidates {
		bits := 0.0
		for _, b := range c.Bits {
			bits += b
		}
		if sum += c.Chance; c.Bits == [len(c.Bits)]float64{} || math.IsNaN(bits) {
			t.Errorf("%+v", c)
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("chances add up to %v", sum)
	}
}
