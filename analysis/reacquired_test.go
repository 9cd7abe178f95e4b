package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// A wait has the stack of the wait on a condition, or that of the queue of the lock after it.
func TestReacquires(t *testing.T) {
	const locks = "java.util.concurrent.locks."
	frames := func(names ...[2]string) (list []format.Frame) {
		for _, n := range names {
			list = append(list, format.Frame{Class: n[0], Method: n[1]})
		}
		return list
	}
	park := [2]string{locks + "LockSupport", "park"}
	await := [2]string{ConditionObject, "await"}
	run := [2]string{"app.Worker", "run"}
	for name, c := range map[string]struct {
		frames []format.Frame
		want   bool
	}{
		"monitor":  {frames([2]string{"java.lang.Object", "wait0"}, run), true},
		"entering": {frames(run, [2]string{"java.lang.Object", "wait"}), false},
		"await":    {frames(park, await, run), true},
		"await of JDK 21": {
			frames(park, [2]string{locks + "AbstractQueuedSynchronizer$ConditionNode", "block"}, await),
			true,
		},
		"the queue after it": {
			frames(park, [2]string{locks + "AbstractQueuedSynchronizer", "acquireQueued"}, await),
			false,
		},
		"the queue of a lock":   {frames(park, [2]string{locks + "ReentrantLock", "lock"}, run), false},
		"a program's own wait":  {frames([2]string{"app.Queue", "wait"}, await), false},
		"a class that it needs": {frames(await, run), false},
		"no frames":             {nil, false},
	} {
		golden.Equal(t, Reacquires(c.frames), c.want, name)
	}
}
