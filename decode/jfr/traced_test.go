package jfr

import (
	"testing"

	"contend/decode/threaddump"
	"contend/format"
	"contend/golden"
)

func framesOf(methods ...[2]string) (frames []format.Frame) {
	for _, m := range methods {
		frames = append(frames, format.Frame{Class: m[0], Method: m[1]})
	}
	return frames
}

const aqs = "java.util.concurrent.locks.AbstractQueuedSynchronizer"

// The frames are those JDK 25 records.
func TestFramesTellWhatVirtualThreadsParkOn(t *testing.T) {
	park := [2]string{threaddump.LockSupport, "park"}
	for _, c := range []struct {
		frames      []format.Frame
		class, home string
	}{
		{framesOf(park, [2]string{aqs, "acquire"},
			[2]string{"java.util.concurrent.locks.ReentrantLock$Sync",
				"lock"}, [2]string{"java.util.concurrent.locks.ReentrantLock", "lock"}, [2]string{"app.Till",
				"pay"}), "java.util.concurrent.locks.ReentrantLock$NonfairSync", "app.Till"},
		{framesOf(park, [2]string{aqs, "acquire"}, [2]string{"java.util.concurrent.Semaphore", "acquire"},
			[2]string{"app.Pool", "take"}), "java.util.concurrent.Semaphore$NonfairSync", "app.Pool"},
		{framesOf(park, [2]string{"java.util.concurrent.locks.StampedLock", "acquireRead"},
			[2]string{"app.Map", "get"}), "java.util.concurrent.locks.StampedLock", "app.Map"},
		{framesOf(park, [2]string{aqs, "acquire"}, [2]string{"app.Mutex", "lock"}, [2]string{"app.Till", "pay"}),
			"app.Mutex", "app.Mutex"},
		{framesOf(park, [2]string{aqs + "$ConditionObject", "await"},
			[2]string{"java.util.concurrent.LinkedBlockingQueue", "take"}, [2]string{"app.Till",
				"pay"}), aqs + "$ConditionObject", ""},
		{framesOf([2]string{threaddump.LockSupport, "parkNanos"}, [2]string{"app.Till", "pause"}), "", "app.Till"},
	} {
		if class, home := threaddump.ParkedOn(c.frames); class != c.class || home != c.home {
			t.Errorf("%v: %q in %q, want %q in %q", c.frames, class, home, c.class, c.home)
		}
	}
}

func TestFramesTellWhatIsReleased(t *testing.T) {
	r := started(t)
	lock, readWrite, stamped := "java.util.concurrent.locks.ReentrantLock", "java.util.concurrent.locks."+
		"ReentrantReadWriteLock", "java.util.concurrent.locks.StampedLock"
	app := [2]string{"app.Reader", "unlockAndRead"}
	for _, c := range []struct {
		frames   []format.Frame
		family   string
		mode     format.Mode
		passesOn bool
	}{
		{framesOf([2]string{aqs, "signalNext"}, [2]string{aqs, "release"}, [2]string{lock, "unlock"}, app), lock,
			format.Exclusive, false},
		{framesOf([2]string{aqs, "signalNext"}, [2]string{aqs, "releaseShared"},
			[2]string{readWrite + "$ReadLock", "unlock"}, app), readWrite, format.Shared, false},
		{framesOf([2]string{aqs, "signalNextIfShared"}, [2]string{aqs, "acquire"},
			[2]string{"java.util.concurrent.Semaphore",
				"acquire"}, app), "java.util.concurrent.Semaphore", format.Exclusive, true},
		{framesOf([2]string{stamped, "signalNext"}, [2]string{stamped, "unlockRead"}, app), stamped, format.Shared,
			false},
		{framesOf([2]string{stamped, "signalNext"}, [2]string{stamped, "releaseWrite"},
			[2]string{stamped, "unlockWrite"}, app), stamped, format.Exclusive, false},
		{framesOf([2]string{stamped, "signalCowaiters"}, [2]string{stamped, "acquireRead"}, app), stamped,
			format.Shared, true},
		{framesOf([2]string{aqs, "signalNext"}, [2]string{aqs, "release"},
			[2]string{aqs + "$ConditionObject", "await"}, [2]string{"java.util.concurrent.LinkedBlockingQueue",
				"take"}, app), lock, format.Exclusive, false},
		// as async-profiler records it
		{framesOf([2]string{threaddump.LockSupport, "unpark"}, [2]string{aqs, "signalNext"},
			[2]string{aqs, "release"}, [2]string{lock, "unlock"}, app), lock, format.Exclusive, false},
		{nil, "", format.Exclusive, false},
	} {
		got := r.symbols.releaseOf(c.frames)
		if r.symbols.ids.classes.List[got.family] != c.family || got.mode != c.mode || got.passesOn != c.passesOn {
			t.Errorf("%v: %+v of %s", c.frames, got, r.symbols.ids.classes.List[got.family])
		}
	}
}

// Threads 1 and 2 are woken from two locks of a family, one shortly after the
// other; 3 by a reader that passes the lock on and gives nothing back; 4 by nobody; 5 tries again; of 6 and
// 7, which may have timed out, 7 was woken.
func TestEachParkHasTheUnparkThatEndedIt(t *testing.T) {
	const family, other = 7, 8
	let := release{family: family}
	w := &unparks{}
	w.calls.list = []unpark{
		{1000_000, 20, 1, let}, {1000_050, 21, 2, let}, {1000_060, 22, 3, release{family: other}}, {400, 23, 3, let},
		{3000_000, 24, 4, release{family: family, passesOn: true}},
		{9000_000, 25, 5, release{family: family, mode: format.Shared}}, {9100_000, 26, 6, let}, {9799_000, 27, 7, let},
	}
	w.parks = []endedPark{
		{500, 1000_300, 2, 92, 0, family, 0, false}, {500, 1000_200, 1, 91, 0, family, 0, false},
		{2000_000, 3000_100, 3, 91, 0, family, 0, false}, {5000_000, 6000_000, 4, 91, 0, family, 0, false},
		{8000_000, 9000_010, 5, 91, 0, family, 0, false}, {9000_030, 9100_100, 5, 91, 0, family, 0, false},
		{
			9500_000,
			9700_000,
			6,
			91,
			0,
			family,
			format.Shared,
			true,
		}, {9600_000, 9800_000, 7, 91, 0, family, 0, true}, // one of them timed out
	}
	var queue format.Queue
	w.advance(&queue)
	var got, late []format.Event
	for ev := (format.Event{}); queue.Pop(&ev); ev = (format.Event{}) {
		if ev.Kind == format.KindRelease {
			got = append(got, ev)
		}
		if ev.Kind == format.KindWait {
			late = append(late, ev)
		}
	}
	if len(late) != 2 || !late[0].Failed || late[0].Mode != format.Shared || late[1].Failed ||
		late[1].Time != 9600_000 ||
		late[1].End != 9800_000 ||
		late[1].Object != 91 {
		t.Errorf("%+v", late)
	}
	want := []struct {
		thread, woken format.ThreadID
		lock          format.ObjectID
		mode          format.Mode
		again         int64
	}{{20, 1, 91, 0, 0}, {21, 2, 92, 0, 0}, {0, 3, 91, 0, 0}, {25, 5, 91, format.Shared, 30}, {26, 5, 91, 0, 0},
		{27, 7, 91, 0, 0}}
	if len(got) != len(want) {
		t.Fatalf("%d releases: %+v", len(got), got)
	}
	for i, ev := range got {
		if w := want[i]; ev.Thread != w.thread || ev.Woken != w.woken || ev.Object != w.lock || ev.Mode != w.mode ||
			ev.Again != w.again {
			t.Errorf("%+v, want %+v", ev, w)
		}
	}
}

// The state a sample gives tells whether the thread ran; a state the chunk does
// not hold is no reason to doubt it.
func TestSamplesOfThreadsThatWaitAreNoRuns(t *testing.T) {
	r := started(t)
	if r.symbols.chunk.meta.parts.state == nil {
		t.Fatal("the recording has no states")
	}
	key := int64(1 << 20)
	for name, want := range map[string]bool{"STATE_RUNNABLE": true, "STATE_DEFAULT": true, "STATE_SLEEPING": false,
		"STATE_PARKED": false} {
		key++
		where := r.grow(append([]byte{stringUTF8, byte(len(name))}, name...)...)
		r.symbols.chunk.pools[r.symbols.chunk.meta.parts.state.pool].set(key, uint32(where)+1)
		golden.Equal(t, r.symbols.runs(key), want, name)
		golden.Equal(t, r.symbols.runs(key), want, name)
	}
	if !r.symbols.runs(key + 1) {
		t.Error("an unknown state")
	}
}

// Two locks of a family are released at places of their own. Threads woken from
// both at nearly the same time may run in either order: the places tell whose
// release was whose. A third lock is released where the first is at home.
func TestPlacesTellWhoseReleaseItWas(t *testing.T) {
	w := &unparks{}
	let := release{family: 7}
	for i := range int64(10) {
		at := i * 10_000_000
		w.calls.list = append(w.calls.list, unpark{at + 1000, 20, 1, let}, unpark{at + 5_000_000, 21, 2, let})
		w.parks = append(
			w.parks,
			endedPark{at, at + 2000, 1, 91, 0, 7, 0, false},
			endedPark{at, at + 5_002_000, 2, 92, 0, 7, 0, false},
		)
	}
	w.calls.list = append(
		w.calls.list,
		unpark{200_000_000, 20, 1, let},
		unpark{200_000_010, 21, 2, let},
		unpark{300_000_000, 22, 1, let},
	)
	w.parks = append(
		w.parks,
		endedPark{199_000_000, 200_000_200, 1, 91, 0, 7, 0, false},
		endedPark{199_000_000, 200_000_100, 2, 92, 0, 7, 0, false},
		endedPark{299_000_000, 300_000_100, 3, 93, 0, 7, 0, false},
	)
	var queue format.Queue
	w.advance(&queue)
	got := map[format.ObjectID]map[format.ThreadID]int{91: {}, 92: {}, 93: {}}
	for ev := (format.Event{}); queue.Pop(&ev); ev = (format.Event{}) {
		if ev.Kind == format.KindRelease {
			got[ev.Object][ev.Thread]++
		}
	}
	if got[91][20] != 11 || got[92][21] != 11 || got[93][22] != 1 {
		t.Errorf("by lock and releaser: %v", got)
	}
}

// Of two releases under way, the first of the last millisecond woke the thread, and of those
// before it the last.
func TestWhoIsWokenRunsSoon(t *testing.T) {
	const end = 50_000_000
	for _, c := range []struct {
		ago  [2]int64 // how long before the end of the park the releases were
		want int64
	}{{[2]int64{800_000, 200_000}, 800_000}, {[2]int64{1_500_000, 200_000}, 200_000},
		{[2]int64{9_000_000, 1_500_000}, 1_500_000}} {
		w := &unparks{parks: []endedPark{{0, end, 1, 91, 0, 7, 0, false}}}
		for i, ago := range c.ago {
			w.calls.list = append(w.calls.list, unpark{end - ago, format.ThreadID(20 + i), 1, release{family: 7}})
		}
		var queue format.Queue
		w.advance(&queue)
		var ev format.Event
		for queue.Pop(&ev) && ev.Kind != format.KindRelease {
		}
		golden.Equal(t, end-ev.Time, c.want, c.ago, "the release", "before the end")
	}
}
