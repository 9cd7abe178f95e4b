package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"contend/format"
	"contend/golden"
)

type monitorLog []MonitorWaits

func (*monitorLog) Begin(*Symbols, int64)    {}
func (*monitorLog) Slice(*Slice)             {}
func (*monitorLog) NonLockWait(*NonLockWait) {}

func (l *monitorLog) Monitor(m *MonitorWaits) {
	one := *m
	one.Waits = append([]MonitorWait(nil), m.Waits...)
	*l = append(*l, one)
}

// Waits at monitors with a known notification come by end, if they lie wholly in the cut.
// Hides says whether short ones are missing.
func TestMonitorWaits(t *testing.T) {
	wait := func(thread, by format.ThreadID, monitor format.ObjectID, from, to int64) format.Event {
		return format.Event{Kind: format.KindActivity, Activity: format.ActivityWait, Thread: thread, Owner: by, Object: monitor, Time: from, End: to}
	}
	l := format.List{Events: []format.Event{
		{Kind: format.KindSetting, Name: format.SettingIdle, Value: format.IdleLong},
		wait(1, 3, 7, 0, 30), wait(2, 0, 7, 5, 20), wait(1, 0, 8, 40, 50), wait(2, 3, 7, 60, 100), wait(2, 3, 0, 30, 40),
	}}
	var got monitorLog
	golden.Must(Run(&l, Filter{From: format.NoTime, To: 90}, &got))(t)
	want := monitorLog{{Monitor: 7, Hides: true, Waits: []MonitorWait{{Start: 5, End: 20, Thread: 2}, {Start: 0, End: 30, Thread: 1, By: 3}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
