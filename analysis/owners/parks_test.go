package owners

import (
	"slices"
	"testing"

	"contend/format"
)

// joined returns the beginnings and ends of the waits that are left when parks
// have been joined.
func joined(events ...format.Event) (out [][2]int64) {
	r := NewRecord()
	for _, ev := range events {
		r.Add(&ev, ev.End)
	}
	a := r.Arrange(func(l format.ObjectID) format.LockKind {
		if l == 9 {
			return format.KindMonitor
		}
		return format.KindSynchronizer
	})
	for _, i := range a.Starts {
		out = append(out, [2]int64{a.Wait(i).Start, a.Wait(i).End})
	}
	if a.Of(1).Len() < len(out) {
		return nil
	}
	return out
}

func park(lock format.ObjectID, from, to int64) format.Event {
	return format.Event{Kind: format.KindWait, Thread: 1, Object: lock, Stack: 2, Time: from, End: to}
}

func TestParksOfOneAcquireAreOneWait(t *testing.T) {
	const us = int64(1e3)
	one, two := park(1, 0, 3*us), park(1, 94*us, 97*us)
	apart := [][2]int64{{0, 3 * us}, {94 * us, 97 * us}}
	for _, c := range []struct {
		name    string
		between []format.Event
		want    [][2]int64
	}{
		{"nothing between", nil, [][2]int64{{0, 97 * us}}},
		{"a sample between, which may be of the acquire itself",
			[]format.Event{{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 1, Stack: 5, Time: 50 * us, End: 50 * us}}, [][2]int64{{0, 97 * us}}},
		{"another thread reads a file",
			[]format.Event{{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 7, Stack: 5, Time: 10 * us, End: 90 * us}}, [][2]int64{{0, 97 * us}}},
		{"a file is read between",
			[]format.Event{{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 1, Stack: 5, Time: 10 * us, End: 90 * us}}, apart},
		{"a file is read around the second",
			[]format.Event{{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 1, Stack: 5, Time: 10 * us, End: 990 * us}}, apart},
		{"a file is read around both",
			[]format.Event{{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 1, Stack: 5, Time: -10 * us, End: 990 * us}}, [][2]int64{{0, 97 * us}}},
		{"a monitor is entered between", []format.Event{park(9, 10*us, 20*us)}, [][2]int64{{0, 3 * us}, {10 * us, 20 * us}, {94 * us, 97 * us}}},
		{"another lock is taken between", []format.Event{park(2, 10*us, 20*us)}, [][2]int64{{0, 3 * us}, {10 * us, 20 * us}, {94 * us, 97 * us}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := joined(append([]format.Event{one, two}, c.between...)...); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A thread that is awake for longer had the lock meanwhile.
func TestParksFarApartAreTwoWaits(t *testing.T) {
	const us = int64(1e3)
	if got := joined(park(1, 0, 3*us), park(1, 153*us, 156*us)); len(got) != 2 {
		t.Errorf("awake for 150 us: %v", got)
	}
}

// An input that tells who owned its locks, or gave them back, has whole waits;
// what the others have is joined all the same.
func TestParksAreJudgedByInput(t *testing.T) {
	input := format.Event{Kind: format.KindSetting, Name: format.SettingInput}
	for name, told := range map[string]format.Event{
		"tenures":  {Kind: format.KindTenure, Object: 2, Time: 5, End: 6},
		"releases": {Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking},
	} {
		r := NewRecord()
		for _, ev := range []format.Event{park(1, 0, 10), input, told, park(2, 0, 10), park(2, 20, 30), input, park(3, 40, 50), park(3, 60, 70)} {
			if ev.Kind == format.KindSetting && ev.Name == format.SettingInput {
				r.NextInput()
			}
			r.Add(&ev, ev.End)
		}
		a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindSynchronizer })
		if len(a.Starts) != 4 {
			t.Errorf("%s: %d waits, want 4", name, len(a.Starts))
		}
	}
}
