package owners

import (
	"testing"

	"contend/format"
)

type semaphores struct{ monitors }

func (semaphores) Kind(format.ObjectID) format.LockKind { return format.KindSemaphore }

// What is done with a permit comes after the wait for it; what is done before all waits
// comes after some, too, where the thread was quick.
func TestWhatComesBeforeWaitsIsNotTaken(t *testing.T) {
	r := NewRecord()
	for i := range int64(20) {
		from := i * 1000
		list := []format.Event{
			{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 1, Stack: 4, Time: from, End: from + 100},
			{Kind: format.KindWait, Thread: 1, Object: 1, Stack: 9, Time: from + 100, End: from + 200},
			{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 1, Stack: 3, Time: from + 210, End: from + 300},
			{Kind: format.KindWait, Thread: 2, Object: 1, Stack: 9, Time: from + 150, End: from + 310},
		}
		if i%4 == 0 {
			list[2] = list[3]
			list = list[:3]
		}
		for n := range list {
			r.Add(&list[n], list[n].End)
		}
	}
	a := r.Arrange(semaphores{}.Kind)
	a.indexing.Wait()
	ev := a.evidence(semaphores{})
	s := learntOfOne(ev)
	for stack, want := range map[format.StackID]bool{3: true, 4: false} {
		if got := ev.taken(s, callSite{stack: stack}); got != want {
			t.Errorf("stack %d is taken: %v, want %v; %v", stack, got, want, s.around)
		}
	}
}
