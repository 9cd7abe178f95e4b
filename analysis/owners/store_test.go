package owners

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/format"
)

// What threads did comes back as it was recorded, in order of time, whatever its
// length and however many they are.
func TestActivitiesAreStoredWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 63, 64, 65, 150_000} {
		r, all := NewRecord(), map[format.ThreadID][]format.Event{}
		for i := range n {
			ev := randomActivity(rng, i)
			r.Add(&ev, ev.End)
			all[ev.Thread] = append(all[ev.Thread], ev)
		}
		a, stored := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), 0
		for thread, want := range all {
			slices.SortStableFunc(want, func(a, b format.Event) int {
				return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(b.Kind, a.Kind))
			})
			of := a.Of(thread)
			if of.Len() != len(want) {
				t.Fatalf("%d activities: thread %d has %d, want %d", n, thread, of.Len(), len(want))
			}
			for k := range want {
				checkStored(t, a, of.at(k), &want[k])
			}
			checkScanned(t, a, of, want)
			stored += of.Len()
		}
		if stored != n {
			t.Errorf("%d of %d", stored, n)
		}
	}
}

// randomActivity is a wait or another activity, of one of the more threads the more
// there were before.
func randomActivity(rng *rand.Rand, before int) format.Event {
	ev := format.Event{Kind: format.KindWait, Time: rng.Int64N(1e15) - 5e14, Thread: format.ThreadID(rng.IntN(before/10 + 1)), Stack: format.StackID(rng.IntN(300))}
	length := rng.Int64N(1e9)
	switch rng.IntN(50) {
	case 0:
		length = int64(1)<<32 - 1 + int64(rng.IntN(2))
	case 1:
		length = rng.Int64N(1 << 60)
	}
	ev.End = ev.Time + length
	if rng.IntN(2) > 0 {
		ev.Kind, ev.Activity, ev.Resource = format.KindActivity, format.Activity(rng.IntN(6)), rng.IntN(9) == 0
		return ev
	}
	ev.Object, ev.Owner, ev.Failed = format.ObjectID(rng.IntN(9)), format.ThreadID(rng.IntN(before+1)), rng.IntN(9) == 0
	ev.Mode = format.Mode(rng.IntN(2))
	return ev
}

func checkStored(t *testing.T, a *Activities, i uint32, ev *format.Event) {
	t.Helper()
	d, thread := a.met(i)
	if want := (activity{ev.Time, ev.End, ev.Stack, ev.Object}); d != want || thread != ev.Thread || a.Begins(i) != ev.Time {
		t.Fatalf("%d: %+v of %d, want %+v of %d", i, d, thread, want, ev.Thread)
	}
	if ev.Kind == format.KindWait {
		w := a.Wait(i)
		if !a.IsWait(i) || w.Failed() != ev.Failed || w.Mode() != ev.Mode || w.prev() != ev.Owner || w.Thread != ev.Thread {
			t.Fatalf("%d: %+v, want %+v", i, w, ev)
		}
		return
	}
	if o := a.Other(i); a.IsWait(i) || o.Thread() != ev.Thread || o.What() != ev.Activity || o.Resource() != ev.Resource || o.Stack != ev.Stack || o.End != ev.End {
		t.Fatalf("%d: %+v, want %+v", i, o, ev)
	}
}

// checkScanned steps through all, through the waits, and through the others.
func checkScanned(t *testing.T, a *Activities, of Refs, all []format.Event) {
	t.Helper()
	for _, way := range []struct {
		next          func(*Scan) bool
		waits, others bool
	}{{(*Scan).Next, true, true}, {(*Scan).NextWait, true, false}, {(*Scan).NextOther, false, true}} {
		rest := a.Scan(of)
		for k := range all {
			isWait := all[k].Kind == format.KindWait
			if isWait && !way.waits || !isWait && !way.others {
				continue
			}
			if !way.next(&rest) || rest.Start != all[k].Time || rest.End != all[k].End || rest.IsWait() != isWait {
				t.Fatalf("waits %v, others %v: %d is [%d, %d), want %+v", way.waits, way.others, k, rest.Start, rest.End, all[k])
			}
			if !isWait && rest.Other() != a.Other(of.at(k)) {
				t.Fatalf("%d is %+v, want %+v", k, rest.Other(), a.Other(of.at(k)))
			}
		}
		for range 2 { // at the end it stays there
			if way.next(&rest) {
				t.Fatalf("waits %v, others %v: [%d, %d) is behind the last of %v", way.waits, way.others, rest.Start, rest.End, of)
			}
		}
	}
}
