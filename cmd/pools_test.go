package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/blame/locks"
	"contend/golden"
	"contend/report/document"
)

// testdata/pools holds recordings of Pools.java, which logs how long its threads
// waited for what, in ns, and how long they ran:
//
//	javac -d classes Pools.java ConcurrentBag.java
//	java -cp classes Pools pools-jdk17.jfr pools-jdk17.truth.json 1000
//
// Sixteen threads fight for two objects in a queue, six for two in a bag under
// the names of HikariCP's, two put into a full queue; a pool of eight has nothing
// to do after each of its threads waited once for the one lock.
func TestPoolsAsTheyLogThemselves(t *testing.T) {
	for _, jdk := range []string{"17", "25"} {
		name := "../testdata/pools/pools-jdk" + jdk
		var log map[string]int64
		readTruth(t, name+".truth.json", &log)
		d := ask[document.Analyze](t, "analyze", "--idle", "--top", "0", name+".jfr")
		for _, c := range []struct{ logged, what, site string }{
			{"pool", "java.util.concurrent.ArrayBlockingQueue.take", "Pools.timed"},
			{"hikari", "com.zaxxer.hikari.util.ConcurrentBag.borrow", "Pools.lambda$query"},
			{"put", "java.util.concurrent.ArrayBlockingQueue.put", "Pools.lambda$produce"},
		} {
			ns := int64(0)
			for _, r := range d.Resources {
				if r.What == c.what && strings.HasPrefix(r.Site, c.site) {
					ns += r.WaitNs
				}
			}
			if want := log[c.logged]; !near(ns, want, 0.05) {
				t.Errorf("JDK %s, %s: %d ns, logged %d", jdk, c.logged, ns, want)
			}
		}
		for _, r := range d.Resources {
			if strings.HasPrefix(r.Site, "Pools.timed") && r.Kind == string(locks.KindPool) {
				golden.Equal(t, len(r.Holders), 1, jdk, r.Holders)
				golden.Within(t, r.Holders[0].Threads, 1.2, 2, jdk, "threads that have one of two objects")
				golden.Equal(t, r.Holders[0].Site+" "+r.Holders[0].Doing, "Pools.checkout:44 asleep", jdk)
			}
		}
		busy := map[string]float64{}
		for _, e := range d.Executors {
			busy[e.Pool] = e.AllBusy
			golden.Holds(golden.Labelled(t, jdk), "http- db- spare- mail-", e.Pool)
		}
		golden.Within(t, busy["http-"], 0.95, 1, jdk, "all sixteen are busy")
		golden.Within(t, busy["spare-"], 0, 0.75, jdk, "all of the pool that has little to do are busy")
		for _, l := range d.Locks {
			golden.Lacks(golden.Labelled(t, jdk), l.Class, "Condition", "Queue")
		}
		idle := false
		for _, r := range d.Idle {
			idle = idle || strings.HasSuffix(r.What, "ThreadPoolExecutor.getTask")
		}
		if !idle {
			t.Errorf("JDK %s: no worker is idle: %+v", jdk, d.Idle)
		}
		ran := log["alive"] + asleepInside(d) // the log has it as idle
		for _, not := range []string{"future", "hikari", "idle", "pool", "put", "take"} {
			ran -= log[not]
		}
		t.Logf("JDK %s: running %d ns, logged %d; pressure %.3f, logged %.3f", jdk, d.Total.RunningNs, ran,
			float64(d.Total.WaitNs)/float64(d.Total.RunningNs), float64(log["lock"])/float64(ran))
		if !near(d.Total.RunningNs, ran, 0.1) || d.Coverage.Running == nil || d.Coverage.Running.HighNs < 3*ran {
			t.Errorf("JDK %s: running %d ns, logged %d: %+v", jdk, d.Total.RunningNs, ran, d.Coverage.Running)
		}
	}
}

// asleepInside returns how long threads slept with the one lock: that is running time.
func asleepInside(d *document.Analyze) (ns int64) {
	for _, r := range d.Idle {
		for _, c := range r.Callers {
			if slices.Contains(c.Sites, "Pools$Audit.append") {
				ns += c.WaitNs
			}
		}
	}
	return ns
}

// near reports whether a sum is off by no more than a share of what was logged.
func near(got, logged int64, share float64) bool {
	off := float64(got - logged)
	return max(off, -off) <= share*float64(logged)
}

// Where a wake-up is recorded it is told what ends waits for no lock: by site in traces of
// perf and Go, by group of threads where JFR names the notifier alone.
func TestWhatEndsWaitsForNoLockIsTold(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]document.Resource{
		"../testdata/perf-truth-seed1.perf.txt.zst": {What: "___pthread_cond_wait", Site: "doDrain",
			Users: []document.User{{Site: "doSubmit"}}},
		"../testdata/go126-truth-12goroutines.trace": {What: "sync.(*WaitGroup).Wait", Site: "main.main:30",
			Users: []document.User{{Site: "main.main.func1:29"}}},
		"../testdata/notify-jdk25.jfr": {What: "java.lang.Object.wait", Site: "Notifies$Queue.put:9",
			Users: []document.User{{Group: "taker-"}}},
		"../testdata/real/c3p0-jdk17-profile.jfr.gz": {
			What:  "com.mchange.v2.c3p0.impl.AbstractPoolBackedDataSource.getConnection",
			Site:  "drv.C3p0.opQuick:4",
			Users: []document.User{{Group: "com.mchange.v.async.ThreadPoolAsynchronousRunner$PoolThread-#"}},
		},
	} {
		list := ask[document.Analyze](t, "analyze", "--top", "0", path).Resources
		i := slices.IndexFunc(
			list,
			func(r document.Resource) bool { return r.What == want.What && r.Site == want.Site },
		)
		if i < 0 || len(list[i].Users) == 0 {
			t.Errorf("%s: nothing ends %s at %s", path, want.What, want.Site)
			continue
		}
		u := list[i].Users[0]
		if ns := u.WaitNs; u.Site != want.Users[0].Site || u.Group != want.Users[0].Group || ns < list[i].WaitNs*9/10 ||
			ns > list[i].WaitNs {
			t.Errorf("%s: %+v ends %d ns at %s, want %+v", path, u, list[i].WaitNs, want.Site, want.Users[0])
		}
	}
}

// What the workers of Jetty's pool do is said where all are busy, by dumps: tasks wait in its queue then. A
// selector, which runs in the pool for ever, is no worker.
func TestWorkersOfAnExecutor(t *testing.T) {
	const head = "Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n"
	const loop = "\tat org.eclipse.jetty.util.thread.QueuedThreadPool.runJob(QueuedThreadPool.java:883)\n" +
		"\tat org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run(QueuedThreadPool.java:1034)\n" +
		"\tat java.lang.Thread.run(Thread.java:840)\n\n"
	worker := func(n int, state, frames string) string {
		return fmt.Sprintf("\"qtp1-%d\" #%d prio=5 os_prio=0 tid=0x%d nid=0x%d\n   java.lang.Thread.State: %s\n"+
			"%s%s", n, n, n, n,
			state, frames, loop)
	}
	asleep := "\tat java.lang.Thread.sleep(Native Method)\n\tat shop.Report.make(Report.java:5)\n"
	reads := "\tat sun.nio.ch.Net.poll(Native Method)\n\tat java.net.Socket$SocketInputStream.read(Socket.java:976)\n" +
		"\tat shop.Remote.ask(Remote.java:7)\n"
	idle := "\tat jdk.internal.misc.Unsafe.park(Native Method)\n" +
		"\t- parking to wait for  <0x1f> (a java.util.concurrent.locks." +
		"AbstractQueuedSynchronizer$ConditionObject)\n" +
		"\tat org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll(" +
		"QueuedThreadPool.java:974)\n"
	selects := "\tat sun.nio.ch.EPoll.wait(Native Method)\n\tat org.eclipse.jetty.io.ManagedSelector.select(M.java:9)\n"
	dump := func(third, state string) string {
		busy := worker(1, "TIMED_WAITING (sleeping)", asleep) + worker(2, "RUNNABLE", reads)
		return head + busy + worker(3, state, third) +
			worker(4, "RUNNABLE", selects) + "JNI global refs: 5\n\n"
	}
	path := filepath.Join(t.TempDir(), "dumps.txt")
	text := dump(asleep, "TIMED_WAITING (sleeping)") + dump(idle, "TIMED_WAITING (parking)")
	golden.OK(t, os.WriteFile(path, []byte(text), 0o600))
	golden.Same(t, ask[document.Analyze](t, "analyze", path).Executors, []document.Executor{{
		Pool:     "qtp-",
		Workers:  3,
		Busy:     2.5,
		AllBusy:  0.5,
		Instants: 2,
		Doing: []document.Holder{
			{Site: "shop.Report.make:5", Doing: "asleep", Threads: 1.5, Shown: true},
			{Site: "shop.Remote.ask:7", Doing: "in socket I/O", Threads: 1, Shown: true},
		},
	}})
	golden.Holds(t, strings.Join(strings.Fields(run(t, "analyze", path)), " "), "workers: all 3 qtp- threads were "+
		"busy at 1 of 2 instants: "+
		"1.5 Report.make:5, asleep; 1.0 Remote.ask:7, in socket I/O")
}

// A pool that still makes its objects has no holders: a thread that waited for the first does not count among the times
// at which others held one.
func TestHoldersOfAPoolThatIsMadeCountFromTheFirstOn(t *testing.T) {
	var b strings.Builder
	b.WriteString(`contend 1
recording time=0 end=3000000000
stack stack=1 frames="java.lang.Object":"wait":"":0,"com.zaxxer.hikari.HikariDataSource":"getConnection":"":9,"app.Job":"first":"":3
stack stack=2 frames="java.lang.Object":"wait":"":0,"com.zaxxer.hikari.HikariDataSource":"getConnection":"":9,"app.Job":"run":"":20
stack stack=3 frames="java.lang.Thread":"sleep":"":0,"app.Job":"run":"":22
stack stack=4 frames="java.lang.Thread":"sleep":"":0,"app.Job":"loop":"":30
thread thread=1 name="main"
thread thread=2 name="worker-1"
thread thread=3 name="worker-2"
activity time=0 end=1000000000 thread=1 activity=wait stack=1 resource=1
`)
	for i := range int64(10) { // they take turns
		at := 2_000_000_000 + i*100_000_000
		for thread, stack := range map[int64]int{2 + i%2: 3, 3 - i%2: 2} {
			activity, resource := "sleep", ""
			if stack == 2 {
				activity, resource = "wait", " resource=1"
			}
			fmt.Fprintf(&b, "activity time=%d end=%d thread=%d activity=%s stack=%d%s\n",
				at, at+99_000_000, thread, activity, stack, resource)
		}
	}
	b.WriteString("end\n")
	path := filepath.Join(t.TempDir(), "t.txt")
	golden.OK(t, os.WriteFile(path, []byte(b.String()), 0o600))
	for _, r := range ask[document.Analyze](t, "analyze", path).Resources {
		golden.Equal(t, len(r.Holders), 1, r.Site)
		golden.Within(t, r.Holders[0].Threads, 0.9, 1, r.Holders[0].Site)
	}
}
