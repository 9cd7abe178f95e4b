package analysis

import (
	"math"
	"testing"

	"contend/format"
	"contend/golden"
)

// asker asks why the owners of a lock are as they are said to be.
type asker struct {
	sums
	lock     format.ObjectID
	from, to int64
	got      map[format.ObjectID]*Why
}

func (a *asker) Asks(_ *Symbols, lock format.ObjectID) (from, to int64) {
	if lock != a.lock {
		return 0, 0
	}
	return a.from, a.to
}

func (a *asker) Why(lock format.ObjectID, w *Why) { a.got[lock] = w }

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
	a := &asker{sums: *newSums(t), lock: 2, from: 40 * ms, to: 41 * ms, got: map[format.ObjectID]*Why{}}
	golden.Must(Run(&format.List{Events: events}, open, a))(t)
	w := a.got[2]
	if len(a.got) != 1 || w == nil || w.Ns != ms || len(w.Candidates) < 2 {
		t.Fatalf("told %+v", a.got)
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
