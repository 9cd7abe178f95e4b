package rules

import (
	"errors"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const aqs = "java.util.concurrent.locks.AbstractQueuedSynchronizer"

func stack(methods ...string) (frames []format.Frame) {
	for _, m := range append([]string{"jdk.internal.misc.Unsafe.park",
		"java.util.concurrent.locks.LockSupport.park"}, methods...) {
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
		{
			"java.util.concurrent.locks.ReentrantLock$NonfairSync",
			stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantLock$Sync.lock"),
			Result{Lock, format.KindSynchronizer, format.Exclusive},
		},
		{
			"java.util.concurrent.locks.ReentrantLock$NonfairSync",
			stack(aqs+".acquire", aqs+"$ConditionObject.await"),
			Result{Lock, format.KindSynchronizer, format.Exclusive},
		},
		{
			"java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
			stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock"),
			Result{Lock, format.KindReadWriteLock, format.Shared},
		},
		{
			"java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
			stack(aqs+".acquire", "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock"),
			Result{Lock, format.KindReadWriteLock, format.Exclusive},
		},
		{
			"java.util.concurrent.locks.StampedLock",
			stack("java.util.concurrent.locks.StampedLock.acquireRead"),
			Result{Lock, format.KindReadWriteLock, format.Shared},
		},
		{
			"java.util.concurrent.locks.StampedLock",
			stack("java.util.concurrent.locks.StampedLock.acquireWrite"),
			Result{Lock, format.KindReadWriteLock, format.Exclusive},
		},
		{
			"java.util.concurrent.Semaphore$NonfairSync",
			stack(aqs + ".acquireShared"),
			Result{Lock, format.KindSemaphore, format.Exclusive},
		},
		{
			"java.util.concurrent.CountDownLatch$Sync",
			stack(aqs + ".acquireSharedInterruptibly"),
			Result{Verdict: Resource},
		},
		{"org.hsqldb.lib.CountUpDownLatch$Sync", stack(aqs + ".acquireSharedInterruptibly"), Result{Verdict: Resource}},
		{aqs + "$ConditionObject", stack(aqs + "$ConditionObject.await"), Result{Verdict: Resource}},
		{
			aqs + "$ConditionObject",
			stack(
				aqs+"$ConditionObject.await",
				"java.util.concurrent.ArrayBlockingQueue.take",
				"shop.Pool.borrow",
				"java.util.concurrent.ThreadPoolExecutor.runWorker",
			),
			Result{Verdict: Resource},
		},
		{
			aqs + "$ConditionObject",
			stack(
				aqs+"$ConditionObject.await",
				"java.util.concurrent.LinkedBlockingQueue.take",
				"java.util.concurrent.ThreadPoolExecutor.getTask",
				"java.util.concurrent.ThreadPoolExecutor.runWorker",
			),
			Result{Verdict: Idle},
		},
		{
			"java.util.concurrent.locks.ReentrantLock$NonfairSync",
			stack("java.util.concurrent.LinkedBlockingQueue.take", "java.util.concurrent.ThreadPoolExecutor.getTask"),
			Result{Lock, format.KindSynchronizer, format.Exclusive},
		},
		{
			"java.util.concurrent.SynchronousQueue$TransferQueue",
			stack(
				"java.util.concurrent.SynchronousQueue.poll",
				"com.zaxxer.hikari.util.ConcurrentBag.borrow",
				"com.zaxxer.hikari.pool.HikariPool.getConnection",
			),
			Result{Verdict: Resource},
		},
		{
			"java.util.concurrent.Semaphore$NonfairSync",
			stack("org.vibur.objectpool.ConcurrentPool.tryTake"),
			Result{Lock, format.KindSemaphore, format.Exclusive},
		},
		{
			"org.apache.commons.pool.impl.GenericObjectPool$Latch",
			stack("java.lang.Object.wait", "org.apache.commons.pool.impl.GenericObjectPool.borrowObject"),
			Result{Verdict: Resource},
		},
		{
			"java.util.TaskQueue",
			stack("java.lang.Object.wait", "java.util.TimerThread.mainLoop"),
			Result{Verdict: Idle},
		},
		{
			"java.lang.Thread",
			stack("java.lang.Object.wait", "java.lang.Thread.join", "shop.Main.main"),
			Result{Verdict: Idle},
		},
		{"go:chan-receive", stack("shop.(*Pool).Get"), Result{Verdict: Resource}},
		{"go:select", stack("shop.work"), Result{Verdict: Resource}},
		{"go:select", stack("net/http/pprof.sleep", "net/http/pprof.Trace"), Result{Verdict: Idle}},
		{"go:chan-receive", stack("runtime/pprof.StopCPUProfile"), Result{Verdict: Idle}},
		{"go:chan-receive", stack("runtime/trace.(*traceMultiplexer).startLocked.func1"), Result{Verdict: Idle}},
		{
			"go:chan-receive",
			stack("shop.(*Pool).Get", "runtime/trace.WithRegion", "shop.serve"),
			Result{Verdict: Resource},
		},
		{"go:chan-receive", stack("shop.(*Pool).Get", "runtime/pprof.Do", "shop.serve"), Result{Verdict: Resource}},
		{"go:sync", stack("sync.(*WaitGroup).Wait", "main.main"), Result{Verdict: Resource}},
		{"go:semacquire", stack("sync.(*WaitGroup).Wait", "main.main"), Result{Verdict: Resource}},
		{"go:network", stack("net.(*conn).Read"), Result{Verdict: Idle}},
		{"go:GC-worker-(idle)", stack("runtime.gcBgMarkWorker"), Result{Verdict: Idle}},
		{
			"java.util.concurrent.SynchronousQueue$TransferStack",
			stack("java.util.concurrent.SynchronousQueue$TransferStack.transfer"),
			Result{Verdict: Resource},
		},
		{
			"java.util.concurrent.ForkJoinPool",
			stack("java.util.concurrent.ForkJoinPool.awaitWork"),
			Result{Verdict: Idle},
		},
		{
			"com.acme.Mutex$Sync",
			stack(aqs+".acquire", "com.acme.Mutex.lock"),
			Result{Lock, format.KindSynchronizer, format.Exclusive},
		},
		{"com.acme.Gate", stack("com.acme.Gate.pass"), Result{}},
		{"", stack("com.acme.Poller.run"), Result{}},
	}
	table := Default()
	for _, c := range cases {
		golden.Equal(t, table.Classify(c.class, c.frames), c.want, c.class)
	}
}

// natively makes the stack of a native program of names as perf prints them,
// less arguments.
func natively(functions ...string) (frames []format.Frame) {
	for _, f := range functions {
		frames = append(frames, format.Frame{Method: f})
	}
	return frames
}

// The names are those of perf script, with and without the symbols that
// debuginfo adds, and of the libraries' sources.
func TestRulesOfNativePrograms(t *testing.T) {
	mutex := Result{Lock, format.KindMutex, format.Exclusive}
	reads := Result{Lock, format.KindReadWriteLock, format.Shared}
	writes := Result{Lock, format.KindReadWriteLock, format.Exclusive}
	gil := Result{Lock, format.KindGIL, format.Exclusive}
	resource, idle := Result{Verdict: Resource}, Result{Verdict: Idle}
	const wait, contended = "futex:wait", "futex:contended"
	for _, c := range []struct {
		class  string
		frames []format.Frame
		want   Result
	}{
		{contended, natively("futex_wait", "__GI___lll_lock_wait", "lll_mutex_lock_optimized",
			"___pthread_mutex_lock", "doCheckout", "work", "start_thread"), mutex},
		{wait, natively("[unknown]", "pthread_mutex_lock@@GLIBC_2.2.5", "std::mutex::lock", "doCheckout"), mutex},
		{wait, natively("__lll_lock_wait"), mutex}, // by frame pointers, which libc has none of
		{contended, nil, mutex},
		{wait, nil, Result{}},
		{"futex:lock-pi", natively("__pthread_mutex_lock_full"), mutex},
		{contended, natively("__lll_lock_wait", "__pthread_mutex_cond_lock", "__pthread_cond_wait_common",
			"___pthread_cond_wait", "doDrain"), mutex},
		{contended, natively("[unknown]", "pthread_cond_wait@@GLIBC_2.3.2", "doDrain"), mutex},
		{wait, natively("__futex_abstimed_wait_common64", "__futex_abstimed_wait_common",
			"__pthread_cond_wait_common", "___pthread_cond_wait", "doDrain"), resource},
		{wait, natively("[unknown]", "pthread_cond_timedwait@@GLIBC_2.3.2", "main"), resource},
		{wait, natively("__futex_abstimed_wait_common", "__pthread_rwlock_rdlock_full64", "___pthread_rwlock_rdlock",
			"std::shared_mutex::lock_shared", "doLookup"), reads},
		{wait, natively("__futex_abstimed_wait_common", "__pthread_rwlock_wrlock_full64", "___pthread_rwlock_wrlock",
			"doReprice"), writes},
		{wait, natively("[unknown]", "pthread_rwlock_timedrdlock@@GLIBC_2.34", "get"), reads},
		{wait, natively("__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "std::thread::join", "main"), idle},
		{"futex:join", nil, idle},
		{wait, natively("futex_wait_simple", "___pthread_barrier_wait", "step"), resource},
		{wait, natively("__futex_abstimed_wait_common", "__new_sem_wait_slow64", "take"), resource},
		{wait, natively("do_futex_wait.constprop.0", "take"), resource},
		{contended, natively("__lll_lock_wait_private", "arena_get2.part.0", "tcache_init.part.0", "malloc",
			"parse"), mutex},
		{contended, natively("__lll_lock_wait", "pthread_mutex_lock", "je_malloc_mutex_lock_slow",
			"je_arena_tcache_fill_small", "malloc", "parse"), mutex},
		{wait, natively("pthread_cond_wait", "background_thread_entry", "start_thread"), idle},
		{wait, natively("futex_wait", "__GI___futex_abstimed_wait_cancelable64", "__new_sem_wait_slow64",
			"PyThread_acquire_lock_timed", "acquire_timed", "lock_PyThread_acquire_lock"), mutex},
		{wait, natively("__new_sem_wait_slow64", "PyThread_acquire_lock_timed", "_queue_SimpleQueue_get_impl"),
			resource},
		{wait, natively("__pthread_cond_wait_common", "___pthread_cond_timedwait64", "PyCOND_TIMEDWAIT", "take_gil",
			"PyEval_RestoreThread"), gil},
		{contended, natively("__lll_lock_wait", "___pthread_mutex_lock", "take_gil", "PyEval_RestoreThread"), gil},
		{wait, natively("__pthread_cond_wait_common", "___pthread_cond_wait", "drop_gil",
			"eval_frame_handle_pending"), resource},
		{wait, append(natively("sem_clockwait", "PyThread_acquire_lock_timed", "lock_PyThread_acquire_lock"),
			format.Frame{Class: "python3.12.threading", Method: "Thread._wait_for_tstate_lock"}), idle},
		{wait, append(natively("sem_clockwait", "PyThread_acquire_lock_timed", "lock_PyThread_acquire_lock"),
			format.Frame{Class: "python3.12.threading", Method: "Condition.wait"}), resource},
		{contended, natively("syscall", "std::sys::pal::unix::futex::futex_wait",
			"std::sys::sync::mutex::futex::Mutex::lock_contended", "shop::checkout"), mutex},
		{contended, natively("syscall", "std::sys_common::futex_wait",
			"std::sys::unix::locks::futex_mutex::Mutex::lock_contended", "shop::checkout"), mutex},
		{wait, natively("syscall", "std::sys::sync::rwlock::futex::RwLock::read_contended", "shop::lookup"), reads},
		{wait, natively("syscall", "std::sys::sync::rwlock::futex::RwLock::write_contended", "shop::reprice"), writes},
		{wait, natively("syscall", "std::sys::sync::condvar::futex::Condvar::wait", "shop::drain"), resource},
		{wait, natively("syscall", "std::sys::sync::thread_parking::futex::Parker::park", "std::thread::park",
			"std::sync::mpmc::list::Channel<T>::recv"), resource},
		{wait, natively("syscall", "std::sys::sync::thread_parking::futex::Parker::park",
			"std::thread::scoped::scope", "shop::main"), idle},
		{wait, natively("syscall", "<parking_lot_core::thread_parker::imp::ThreadParker as "+
			"parking_lot_core::thread_parker::ThreadParkerT>::park", "parking_lot::raw_mutex::RawMutex::lock_slow",
			"shop::checkout"), mutex},
		{wait, natively("syscall", "parking_lot::raw_rwlock::RawRwLock::lock_shared_slow", "shop::lookup"), reads},
		{wait, natively("syscall", "parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow", "shop::reprice"), writes},
		{wait, natively("syscall", "parking_lot::condvar::Condvar::wait_until_internal",
			"tokio::runtime::scheduler::multi_thread::park::Parker::park",
			"tokio::runtime::scheduler::multi_thread::worker::Context::park_internal"), idle},
		{wait, natively("absl::lts_20240722::synchronization_internal::FutexWaiter::WaitUntil",
			"AbslInternalPerThreadSemWait_lts_20240722", "absl::lts_20240722::Mutex::Block",
			"absl::lts_20240722::Mutex::LockSlowLoop", "absl::lts_20240722::Mutex::LockSlow",
			"absl::lts_20240722::Mutex::Lock", "Serve"), mutex},
		{wait, natively("absl::Mutex::LockSlowLoop", "absl::Mutex::ReaderLock", "Serve"), reads},
		{wait, natively("absl::lts_20240722::CondVar::WaitCommon", "Serve"), resource},
		{wait, natively("folly::detail::futexWaitImpl", "folly::SharedMutexImpl<false, void, "+
			"std::atomic>::lockExclusiveImpl", "Serve"), writes},
		{wait, natively("folly::detail::futexWaitImpl", "folly::LifoSemImpl<std::atomic, folly::Baton>::wait",
			"folly::CPUThreadPoolExecutor::threadRun"), idle},
		{wait, natively("runtime.futex", "runtime.futexsleep", "runtime.notesleep", "runtime.stopm"), idle},
		{wait, natively("runtime.futex", "runtime.futexsleep", "runtime.lock2", "runtime.stopm"), mutex},
	} {
		golden.Equal(t, Default().Classify(c.class, c.frames), c.want, c.class, c.frames)
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
		golden.Equal(t, Match(c.pattern, c.text), c.want, "Match", c.pattern, c.text)
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

// A lock rule without a class, but with frames, declares a site. What else matches before
// does not matter: it is about parks.
func TestSites(t *testing.T) {
	text := string(
		defaultText,
	) + "lock mutex exclusive - acme.Spin.lock*\nlock readwritelock shared - acme.Gate.enter acme.*.run\nidle - " +
		"acme.Idle.run\nlock mutex exclusive - \n"
	table, err := Parse(strings.NewReader(text), "x")
	if err != nil || table.Sites() != 2 || Default().Sites() != 0 {
		t.Fatal(err, table.Sites(), Default().Sites())
	}
	for _, c := range []struct {
		frames []format.Frame
		want   Site
		ok     bool
	}{
		{stack("acme.Back.off", "acme.Spin.lockNow", "acme.Main.run"),
			Site{0, "acme.Spin.lock*", 3, Result{Lock, format.KindMutex, format.Exclusive}}, true},
		{stack("acme.Gate.enter", "acme.Gate.run"),
			Site{1, "acme.Gate.enter", 3, Result{Lock, format.KindReadWriteLock, format.Shared}}, true},
		{stack("acme.Gate.enter"), Site{}, false},
		{stack("acme.Idle.run"), Site{}, false},
		{nil, Site{}, false},
	} {
		if got, ok := table.Site(c.frames); got != c.want || ok != c.ok {
			t.Errorf("%v: %+v %v, want %+v", c.frames, got, ok, c.want)
		}
	}
}

// Whatever the text: a table, or an error that says where; and a table tells
// the same of the same stack twice.
func FuzzParse(f *testing.F) {
	f.Add(string(defaultText))
	f.Add(header + "\nlock a.*\nidle b.C.d")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse(strings.NewReader(text), "x")
		if (table == nil) == (err == nil) {
			t.Fatal("a table or an error")
		}
		var fe *format.Error
		if err != nil && (!errors.As(err, &fe) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q is no positioned error on one line", err)
		}
		if table == nil {
			return
		}
		frames := []format.Frame{{Class: "a.a.a.a.a.a.a", Method: "aaaaaaaaaaaaaaaa"}, {Class: text, Method: text}}
		if again := table.Classify(text, frames); again != table.Classify(text, frames) {
			t.Fatalf("%q: %v", text, again)
		}
	})
}
