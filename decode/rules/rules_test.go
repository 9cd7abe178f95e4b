package rules

import (
	"errors"
	"strings"
	"testing"

	"contend/format"
)

const aqs = "java.util.concurrent.locks.AbstractQueuedSynchronizer"

func stack(methods ...string) (frames []format.Frame) {
	for _, m := range append([]string{"jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park"}, methods...) {
		dot := strings.LastIndexByte(m, '.')
		frames = append(frames, format.Frame{Class: m[:dot], Method: m[dot+1:]})
	}
	return frames
}

// The classes and frames are those of the recordings under testdata.
func TestDefaultRules(t *testing.T) {
	cases := []struct {
		class  string
		frames []format.Frame
		want   Result
	}{
		{"java.util.concurrent.locks.ReentrantLock$NonfairSync", stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantLock$Sync.lock"), Result{Lock, format.KindSynchronizer, format.Exclusive}},
		{"java.util.concurrent.locks.ReentrantLock$NonfairSync", stack(aqs+".acquire", aqs+"$ConditionObject.await"), Result{Lock, format.KindSynchronizer, format.Exclusive}},
		{"java.util.concurrent.locks.ReentrantReadWriteLock$FairSync", stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock"), Result{Lock, format.KindReadWriteLock, format.Shared}},
		{"java.util.concurrent.locks.ReentrantReadWriteLock$FairSync", stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock"), Result{Lock, format.KindReadWriteLock, format.Exclusive}},
		{"java.util.concurrent.locks.StampedLock", stack("java.util.concurrent.locks.StampedLock.acquireRead"), Result{Lock, format.KindReadWriteLock, format.Shared}},
		{"java.util.concurrent.locks.StampedLock", stack("java.util.concurrent.locks.StampedLock.acquireWrite"), Result{Lock, format.KindReadWriteLock, format.Exclusive}},
		{"java.util.concurrent.Semaphore$NonfairSync", stack(aqs + ".acquireShared"), Result{Lock, format.KindSemaphore, format.Exclusive}},
		{"java.util.concurrent.CountDownLatch$Sync", stack(aqs + ".acquireSharedInterruptibly"), Result{Verdict: Resource}},
		{"org.hsqldb.lib.CountUpDownLatch$Sync", stack(aqs + ".acquireSharedInterruptibly"), Result{Verdict: Resource}},
		{aqs + "$ConditionObject", stack(aqs + "$ConditionObject.await"), Result{Verdict: Resource}},
		{aqs + "$ConditionObject", stack(aqs+"$ConditionObject.await", "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow", "java.util.concurrent.ThreadPoolExecutor.runWorker"), Result{Verdict: Resource}},
		{aqs + "$ConditionObject", stack(aqs+"$ConditionObject.await", "java.util.concurrent.LinkedBlockingQueue.take", "java.util.concurrent.ThreadPoolExecutor.getTask", "java.util.concurrent.ThreadPoolExecutor.runWorker"), Result{Verdict: Idle}},
		{"java.util.concurrent.locks.ReentrantLock$NonfairSync", stack("java.util.concurrent.LinkedBlockingQueue.take", "java.util.concurrent.ThreadPoolExecutor.getTask"), Result{Lock, format.KindSynchronizer, format.Exclusive}},
		{"java.util.concurrent.SynchronousQueue$TransferQueue", stack("java.util.concurrent.SynchronousQueue.poll", "com.zaxxer.hikari.util.ConcurrentBag.borrow", "com.zaxxer.hikari.pool.HikariPool.getConnection"), Result{Verdict: Resource}},
		{"java.util.concurrent.Semaphore$NonfairSync", stack("org.vibur.objectpool.ConcurrentPool.tryTake"), Result{Lock, format.KindSemaphore, format.Exclusive}},
		{"org.apache.commons.pool.impl.GenericObjectPool$Latch", stack("java.lang.Object.wait", "org.apache.commons.pool.impl.GenericObjectPool.borrowObject"), Result{Verdict: Resource}},
		{"java.util.TaskQueue", stack("java.lang.Object.wait", "java.util.TimerThread.mainLoop"), Result{Verdict: Idle}},
		{"java.lang.Thread", stack("java.lang.Object.wait", "java.lang.Thread.join", "shop.Main.main"), Result{Verdict: Idle}},
		{"go:chan-receive", stack("shop.(*Pool).Get"), Result{Verdict: Resource}},
		{"go:select", stack("shop.work"), Result{Verdict: Resource}},
		{"go:sync", stack("sync.(*WaitGroup).Wait", "main.main"), Result{Verdict: Resource}},
		{"go:semacquire", stack("sync.(*WaitGroup).Wait", "main.main"), Result{Verdict: Resource}},
		{"go:network", stack("net.(*conn).Read"), Result{Verdict: Idle}},
		{"go:GC-worker-(idle)", stack("runtime.gcBgMarkWorker"), Result{Verdict: Idle}},
		{"java.util.concurrent.SynchronousQueue$TransferStack", stack("java.util.concurrent.SynchronousQueue$TransferStack.transfer"), Result{Verdict: Resource}},
		{"java.util.concurrent.ForkJoinPool", stack("java.util.concurrent.ForkJoinPool.awaitWork"), Result{Verdict: Idle}},
		{"com.acme.Mutex$Sync", stack(aqs+".acquire", "com.acme.Mutex.lock"), Result{Lock, format.KindSynchronizer, format.Exclusive}},
		{"com.acme.Gate", stack("com.acme.Gate.pass"), Result{}},
		{"", stack("com.acme.Poller.run"), Result{}},
	}
	table := Default()
	for _, c := range cases {
		if got := table.Classify(c.class, c.frames); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.class, got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a*c", "abbbc", true}, {"a*c", "abbb", false}, {"*", "", true}, {"", "", true}, {"", "x", false},
		{"*b*b", "abab", true}, {"*b*b", "ab", false}, {"a", "a", true}, {"**", "anything", true},
	} {
		if got := Match(c.pattern, c.text); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestParseSaysWhere(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		err  error
	}{
		{"idle x\n", 1, format.ErrNotMine},
		{header + "\n\nlock mutexx shared A\n", 3, format.ErrCorrupt},
		{header + "\nlock mutex\n", 2, format.ErrCorrupt},
		{header + "\nidle\n", 2, format.ErrCorrupt},
		{header + "\nmaybe A\n", 2, format.ErrCorrupt},
	} {
		_, err := Parse(strings.NewReader(c.text), "my.rules")
		var fe *format.Error
		if !errors.As(err, &fe) || fe.Pos.Line != c.line || !errors.Is(err, c.err) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
