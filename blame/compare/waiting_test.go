package compare

import (
	"math"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// pooled is the profile of ten seconds of eight threads that each wait for a
// lock, run and have nothing to do for so many milliseconds of every hundred.
func pooled(t *testing.T, wait, run int64) *Profile {
	t.Helper()
	const ms, every, end = int64(1e6), int64(100e6), int64(10e9)
	list := &format.List{}
	add := func(ev format.Event) {
		golden.OK(t, list.Write(&ev))
	}
	add(format.Event{Kind: format.KindRecording, Time: 0, End: end})
	add(format.Event{Kind: format.KindObject, Object: 1, Class: "app.Lock"})
	for id := range format.ThreadID(8) {
		add(format.Event{Kind: format.KindThread, Thread: id + 1, Name: "worker"})
		add(format.Event{Kind: format.KindThreadStart, Thread: id + 1, Time: 0})
		add(format.Event{Kind: format.KindThreadEnd, Thread: id + 1, Time: end})
		for at := int64(0); at < end; at += every {
			jitter := (at/every*7919 + int64(id)*104729) % 5 * ms
			add(format.Event{Kind: format.KindWait, Thread: id + 1, Object: 1, Time: at, End: at + wait*ms + jitter})
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivityPark, Thread: id + 1, Time: at + (wait+run)*ms + jitter, End: at + every})
		}
	}
	p := &Profile{}
	tr := golden.Must(analysis.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, p))(t)
	p.ElapsedNs = tr.ElapsedNs
	return p
}

// A fix that takes 65 % of the waiting away leaves threads with less to run, so
// that pressure falls by a quarter only. What it did is said of the waiting.
func TestAFixIsAsLargeAsWhatItTookAway(t *testing.T) {
	base, fixed := Group{pooled(t, 60, 10)}, Group{pooled(t, 20, 12)}
	d := Compare(base, fixed, Options{})
	relative, _ := d.Total.Relative()
	pressure := d.Total.New.Pressure.Value/d.Total.Base.Pressure.Value - 1
	if d.Total.Status != Changed || math.Abs(relative+0.645) > 0.01 || pressure < -0.3 || pressure > -0.2 {
		t.Errorf("%s: waiting changed by %.3f, pressure by %.3f", d.Total.Status, relative, pressure)
	}
	if on := d.Total.Base.Waiting.Value; math.Abs(on-8*0.62) > 0.01 {
		t.Errorf("%.3f threads waited on average", on)
	}
	// Twice the operations in the same time: each waits for half as long again.
	per := Compare(base, fixed, Options{Operations: [2]int64{1000, 2000}})
	if was, is := per.Total.Base.Waiting.Value, per.Total.New.Waiting.Value; math.Abs(was-float64(d.Total.Base.Waiting.WaitNs)/1000) > 1 || math.Abs(is-float64(d.Total.New.Waiting.WaitNs)/2000) > 1 {
		t.Errorf("%v and %v ns for each operation", was, is)
	}
	if len(per.Locks) != 1 || per.Locks[0].Status != Changed {
		t.Errorf("%+v", per.Locks)
	}
}
