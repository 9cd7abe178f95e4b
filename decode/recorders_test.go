package decode

import (
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// What records a program is in none of its answers: an owner that is a recorder is not told,
// its waits, samples and releases are left out; a flight recorder's idle time stays.
func TestRecordersAreLeftOut(t *testing.T) {
	const trace = `contend 1
thread thread=1 name="main"
thread thread=2 name="contend-sampler"
thread thread=3 name="JFR Periodic Tasks"
thread thread=4 name="contend-worker"
object lock=1 class="L" kind=monitor
stack stack=1 frames="app.A":"a":"A.java":1
stack stack=2 frames="contend.agent.Pace":"program":"":0,"contend.agent.Recorder":"run":"":0
wait time=10 end=20 thread=1 lock=1 stack=1 owner=2
wait time=10 end=20 thread=2 lock=1
wait time=10 end=20 thread=3 lock=1
wait time=10 end=20 thread=4 lock=1 stack=2
wait time=10 end=20 thread=4 lock=1 stack=1
activity time=30 end=30 thread=2 activity=run
activity time=30 end=30 thread=3 activity=run
activity time=30 end=40 thread=2 activity=park
activity time=30 end=40 thread=3 activity=park
tick time=50 intended=50
contention time=50 lock=1 owners=2/1/x waiters=1/1/x,3/1/x
contention time=50 lock=1 owners=4/2/x waiters=2/1/x
contention time=50 lock=1 owners=4/1/x waiters=1/1/x
release time=60 thread=3 lock=1 woken=1
release time=60 thread=1 lock=1 woken=3
end
`
	src, err := Open([]string{Stdin}, strings.NewReader(trace), Options{})
	golden.OK(t, err)
	defer src.Close()
	var b strings.Builder
	w := format.NewTextWriter(&b)
	var ev format.Event
	for err = src.Read(&ev); err == nil; err = src.Read(&ev) {
		if ev.Kind.Timed() || ev.Kind == format.KindThread {
			golden.OK(t, w.Write(&ev))
		}
	}
	want := `thread thread=1 name="main"
thread thread=3 name="JFR Periodic Tasks"
thread thread=4 name="contend-worker"
wait time=10 end=20 thread=1 lock=1 stack=1
wait time=10 end=20 thread=4 lock=1 stack=1
activity time=30 end=40 thread=3 activity=park
tick time=50 intended=50
contention time=50 lock=1 owners=0/0/x waiters=1/1/x
contention time=50 lock=1 owners=4/1/x waiters=1/1/x
release time=60 thread=1 lock=1
`
	if err := w.Close(); err != nil || !strings.Contains(b.String(), want) {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
