package analysis

import (
	"testing"

	"contend/format"

	"github.com/google/go-cmp/cmp"
)

// after is a recorded wait that names the last owner.
func after(thread, lock int, from, to int64, prev int) format.Event {
	ev := waits(thread, lock, from, to)
	ev.Owner, ev.Stack = format.ThreadID(prev), format.StackID(thread)
	return ev
}

func sleeps(thread, stack int, from, to int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: format.ThreadID(thread), Stack: format.StackID(stack), Time: from, End: to}
}

func dump(at int64, lock, owner, stack int, waiters ...int) format.Event {
	ev := format.Event{Kind: format.KindContention, Weight: format.EvidenceOnly, Time: at, Object: format.ObjectID(lock)}
	if owner != 0 {
		ev.Owners = []format.Party{{Thread: format.ThreadID(owner), Stack: format.StackID(stack)}}
	}
	for _, w := range waiters {
		ev.Waiters = append(ev.Waiters, format.Party{Thread: format.ThreadID(w)})
	}
	return ev
}

func TestOwnersRebuilt(t *testing.T) {
	monitor := format.Event{Kind: format.KindObject, Object: 1, Class: "L", LockKind: format.KindMonitor}
	cases := []struct {
		name   string
		events []format.Event
		direct map[string]int64
		prov   map[Provenance]int64
	}{
		{"a successor owns until the next, which names it",
			[]format.Event{after(1, 1, 0, 100, 9), after(2, 1, 50, 200, 1), after(3, 1, 60, 300, 2)},
			map[string]int64{"t9": 100 + 50 + 40, "t1": 100 + 100, "t2": 100},
			map[Provenance]int64{ThreadOnly: 190, Estimated: 300}},
		{"without previous owners the chain stands alone",
			[]format.Event{after(1, 1, 0, 100, 0), after(2, 1, 50, 200, 0)},
			map[string]int64{"unknown": 100 + 50, "t1": 100},
			map[Provenance]int64{Unknown: 150, Estimated: 100}},
		{"a successor seen waiting elsewhere has let go",
			[]format.Event{after(1, 1, 0, 100, 9), after(1, 2, 150, 160, 9), after(2, 1, 100, 200, 9)},
			map[string]int64{"t9": 100 + 10 + 50, "t1": 50},
			map[Provenance]int64{ThreadOnly: 160, Estimated: 50}},
		{"a dump shows who took the lock without waiting",
			[]format.Event{after(1, 1, 0, 1000, 9), dump(500, 1, 7, 77, 1)},
			map[string]int64{"t7": 500 + 250, "t9": 250},
			map[Provenance]int64{Sampled: 750, ThreadOnly: 250}},
		{"a dump shows the lock free",
			[]format.Event{after(1, 1, 0, 1000, 0), dump(500, 1, 0, 0, 1)},
			map[string]int64{"unknown": 500, "handoff": 500},
			map[Provenance]int64{Unknown: 500, Sampled: 500}},
		{"who is shown as owner and still waits has been handed the lock",
			[]format.Event{after(1, 1, 0, 1000, 0), dump(500, 1, 1, 1, 1)},
			map[string]int64{"unknown": 500, "handoff": 500},
			map[Provenance]int64{Unknown: 500, Sampled: 500}},
		{"a thread blocked at a monitor that is not named shows it free",
			[]format.Event{monitor, after(1, 1, 0, 1000, 0), dump(500, 0, 0, 0, 1)},
			map[string]int64{"unknown": 500, "handoff": 500},
			map[Provenance]int64{Unknown: 500, Sampled: 500}},
		{"one that does not wait any more shows nothing",
			[]format.Event{monitor, after(1, 1, 0, 1000, 0), dump(1000, 0, 0, 0, 1)},
			map[string]int64{"unknown": 1000},
			map[Provenance]int64{Unknown: 1000}},
		{"who is shown to own it had just been given it",
			[]format.Event{monitor, after(1, 1, 0, 1000, 9), dump(500, 1, 7, 77, 1), dump(500, 0, 0, 0, 1)},
			map[string]int64{"t7": 500 + 250, "t9": 250},
			map[Provenance]int64{Sampled: 750, ThreadOnly: 250}},
		{"a sleep that never overlaps an acquisition is inside",
			[]format.Event{after(1, 1, 0, 1000, 9), sleeps(9, 5, 100, 900)},
			map[string]int64{"t9": 1000},
			map[Provenance]int64{Inferred: 800, Estimated: 200}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, tr := run(t, c.events, open)
			if diff := cmp.Diff(c.direct, positive(s.direct)); diff != "" {
				t.Errorf("direct (-want +got):\n%s", diff)
			}
			got := map[Provenance]int64{}
			for p, ns := range tr.Coverage.ByProvenance {
				if ns > 0 {
					got[Provenance(p)] = ns
				}
			}
			if diff := cmp.Diff(c.prov, got); diff != "" {
				t.Errorf("provenance (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParksOfOneAcquireAreOneWait(t *testing.T) {
	lock := format.Event{Kind: format.KindObject, Object: 1, Class: "L", LockKind: format.KindSynchronizer}
	s, _ := run(t, []format.Event{lock, after(1, 1, 0, 100, 0), after(1, 1, 150, 300, 0), after(1, 1, 9e6, 9e6+50, 0)}, open)
	if s.waits != 2 || s.total != 300+50 {
		t.Errorf("%d waits of %d ns, want 2 of 350", s.waits, s.total)
	}
}
