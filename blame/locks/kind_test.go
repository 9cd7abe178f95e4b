package locks

import (
	"testing"

	"contend/golden"
)

// The method that waits tells the kind, then the method that calls it; a method that borrows
// is a pool's whatever the pool is made of.
func TestKindsOfWaitsForNoLock(t *testing.T) {
	for _, c := range []struct {
		want               Kind
		what, site, caller string
	}{
		{KindQueue, "java.util.concurrent.ArrayBlockingQueue.take", "com.example.Worker.run:9", ""},
		{KindPool, "java.util.concurrent.ArrayBlockingQueue.take", "com.example.Pool.borrow:7", ""},
		{KindPool, "java.lang.Object.wait", "com.example.Box.get:7", "com.example.Db.getConnection"},
		{KindSemaphore, "java.util.concurrent.Semaphore.acquire", "com.example.Box.get:7", ""},
		{KindLatch, "java.lang.Object.wait", "com.example.Page.latch:7", ""},
		{KindResult, "java.util.concurrent.FutureTask.get", "com.example.Box.get:7", ""},
		{KindCondition, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
			"com.example.Box.get:7", ""},
		{KindResource, "java.lang.Thread.sleep", "com.example.Box.get:7", ""},
	} {
		r := Resource{What: c.what, Site: c.site, Waited: NonLockWait{WaitNs: 3}}
		if c.caller != "" {
			r.Callers = []Callers{{[]string{c.caller}, 2}}
		}
		golden.Equal(t, r.kind(), c.want, c.what, c.site)
	}
}
