package locks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/format"
	"contend/golden"
)

// chain is recorded waits of threads each of which holds the lock that the one
// before waits for, and gives it back when it has the next one's: the chain
// shortens from its end.
func chain(depth int) *format.List {
	l := &format.List{}
	write := func(ev format.Event) { _ = l.Write(&ev) }
	for i := 1; i <= depth+1; i++ {
		write(
			format.Event{
				Kind:   format.KindObject,
				Object: format.ObjectID(i),
				Class:  fmt.Sprintf("Lock%d", i),
				Name:   fmt.Sprintf("lock %d", i),
			},
		)
		until := int64(10 * (2*depth + 1 - i))
		write(
			format.Event{
				Kind:   format.KindTenure,
				Thread: format.ThreadID(i),
				Object: format.ObjectID(i),
				Time:   0,
				End:    until,
			},
		)
		if i <= depth {
			write(
				format.Event{
					Kind:   format.KindWait,
					Thread: format.ThreadID(i),
					Object: format.ObjectID(i + 1),
					Time:   10,
					End:    until - 10,
				},
			)
		}
	}
	return l
}

// The first lock of a chain has as many ends in turn as the chain has locks.
// They are no owners: their number grows with the chain, not with its square.
func TestOwnersOfAChainAreAsManyAsItsLocks(t *testing.T) {
	const depth = analysis.MaxPath
	c := NewOverview(Options{})
	if _, err := pass.Run(chain(depth), analysis.Filter{From: format.NoTime, To: format.NoTime}, c); err != nil {
		t.Fatal(err)
	}
	golden.AtMost(t, len(c.owners.ns), 3*depth, "parts of", depth, "locks")
	ends := map[string]string{}
	for _, l := range c.Locks() {
		for _, o := range l.Owners {
			for _, d := range o.Doing {
				if d.What == blame.Blocked.String() {
					ends[l.Name] = d.Root.Text
				}
			}
		}
	}
	golden.Equal(t, len(ends), depth-1)
	golden.Equal(t, ends["lock 2"], fmt.Sprintf("lock %d", depth+1))
}

// Locks that are told together have all the waiting, at each site and of each
// owner, that they have one by one.
func TestLocksToldTogetherSumToTheSame(t *testing.T) {
	const depth = 60
	c := NewOverview(Options{})
	list := &format.List{}
	for ev, from := (format.Event{}), chain(depth); from.Read(&ev) == nil; {
		if ev.Kind == format.KindObject {
			ev.Class = "Lock"
		}
		_ = list.Write(&ev)
	}
	golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	one, heavy := c.Locks(), map[uint32]bool{}
	for _, l := range one[:7] {
		heavy[l.ID] = true
	}
	out, rest := c.Heaviest(heavy)
	if len(one) != depth || len(out) != 7 || len(rest) == 0 || len(rest) >= depth/2 {
		t.Fatalf("%d locks: %d one by one, the rest in %d", len(one), len(out), len(rest))
	}
	sums := func(locks []Lock) (ns, waits, owners int64, n int) {
		for _, l := range locks {
			ns, n = ns+l.WaitNs, n+max(len(l.Of), 1)
			for _, w := range l.Waiting {
				waits += w.Waits
			}
			for _, o := range l.Owners {
				owners += o.WaitNs
			}
		}
		return ns, waits, owners, n
	}
	ns, waits, owners, n := sums(one)
	if ns2, waits2, owners2, n2 := sums(append(out, rest...)); ns != ns2 || waits != waits2 || owners != owners2 ||
		n != n2 {
		t.Errorf(
			"%d ns of %d waits, owners %d ns, %d locks; together %d of %d, %d, %d",
			ns,
			waits,
			owners,
			n,
			ns2,
			waits2,
			owners2,
			n2,
		)
	}
}

// Of more classes than are told, those of the most waiting are: the others are one sum.
func TestTooManyClassesAreOneSum(t *testing.T) {
	const more, heavy = 100, 50
	var list format.List
	for i := range heavy + maxGroups + more {
		id := format.ObjectID(i + 1)
		_ = list.Write(&format.Event{Kind: format.KindObject, Object: id, Class: fmt.Sprint("Lock", i)})
		_ = list.Write(
			&format.Event{
				Kind:   format.KindWait,
				Thread: 1,
				Object: id,
				Time:   10_000 * int64(i),
				End:    10_000*int64(i) + int64(i) + 1,
			},
		)
	}
	c := NewOverview(Options{})
	golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	ids := map[uint32]bool{}
	for _, l := range c.Locks()[:heavy] {
		ids[l.ID] = true
	}
	out, rest := c.Heaviest(ids)
	last := rest[len(rest)-1]
	want := int64(more * (more + 1) / 2) // of the shortest
	if len(out) != heavy || len(rest) != maxGroups+1 || len(last.Of) != more || last.WaitNs != want ||
		last.Owners != nil ||
		last.Waiting != nil ||
		rest[maxGroups-1].WaitNs != more+1 {
		t.Errorf(
			"%d and %d; the last of %d locks, %d ns, want %d",
			len(out),
			len(rest),
			len(last.Of),
			last.WaitNs,
			want,
		)
	}
}

func frames(methods ...string) (list []format.Frame) {
	for _, m := range methods {
		dot := strings.LastIndexByte(m, '.')
		list = append(list, format.Frame{Class: m[:max(dot, 0)], Method: m[dot+1:], Line: 7})
	}
	return list
}

// The stacks are those of recordings and dumps of JDK 17 and 25 and of Go 1.26.
func TestPlace(t *testing.T) {
	const park, await = "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks." +
		"AbstractQueuedSynchronizer$ConditionObject.await"
	const run, thread = "java.util.concurrent.ThreadPoolExecutor.runWorker", "java.lang.Thread.run"
	for _, c := range []struct {
		frames     []format.Frame
		what, site string
		loop       bool
	}{
		{frames(park, await, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow", "shop.Checkout.run",
			run, thread), "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow:7", false},
		{frames(park, await, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Task.run", run, thread),
			"java.util.concurrent.ArrayBlockingQueue.take", "shop.Task.run:7", false},
		{frames(park, await, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Mailer.loop", thread),
			"java.util.concurrent.ArrayBlockingQueue.take", "shop.Mailer.loop:7", true},
		{frames(park, await, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool$$Lambda/0x12.get",
			"shop.Pool.borrow", "shop.Checkout.run",
			thread), "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow:7", false},
		{frames(park, await, "java.util.concurrent.LinkedBlockingQueue.take",
			"java.util.concurrent.ThreadPoolExecutor.getTask", run,
			thread), "java.util.concurrent.ThreadPoolExecutor.getTask", "", false},
		{frames("java.lang.Object.wait0", "java.lang.Object.wait", "shop.Page.latch", "shop.Page.read", thread),
			"java.lang.Object.wait", "shop.Page.latch:7", false},
		{frames(park, "java.util.concurrent.CountDownLatch.await", "com.sun.paint.Renderer.factory",
			"com.sun.paint.Toolkit.start", "java.lang.Thread.runWith", thread),
			"java.util.concurrent.CountDownLatch.await", "com.sun.paint.Renderer.factory:7", false},
		{frames("golang.org/x/sync/semaphore.(*Weighted).Acquire", "main.begin", "main.run"),
			"golang.org/x/sync/semaphore.(*Weighted).Acquire", "main.begin:7", false},
		{frames(park, await, "org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking",
			"org.apache.http.pool.AbstractConnPool$2.get",
			"org.apache.http.impl.conn.PoolingHttpClientConnectionManager$1.get",
			"org.apache.http.impl.execchain.MainClientExec.execute",
			"org.apache.http.impl.client.CloseableHttpClient.execute", "shop.Fetch.run", thread),
			"org.apache.http.impl.client.CloseableHttpClient.execute", "shop.Fetch.run:7", false},
		{frames(park, "com.zaxxer.hikari.util.ConcurrentBag.borrow", "com.zaxxer.hikari.HikariDataSource.getConnection",
			"org.springframework.jdbc.DataSourceUtils.fetch", "shop.Repo.find", thread),
			"com.zaxxer.hikari.HikariDataSource.getConnection", "shop.Repo.find:7", false},
		{frames("runtime.chanrecv1", "main.(*pool).get", "main.serve"), "[chan receive]", "main.(*pool).get:7", false},
		{frames("runtime.selectgo", "main.work"), "[select]", "main.work:7", true},
		{frames("[chan receive]", "main.work"), "[chan receive]", "main.work:7", true},
		{frames("sync.runtime_Semacquire", "sync.(*WaitGroup).Wait", "main.run", "main.main"),
			"sync.(*WaitGroup).Wait", "main.run:7", false},
		{frames("java.lang.Object.wait", "java.lang.UNIXProcess.waitFor",
			"sun.reflect.NativeMethodAccessorImpl.invoke", "java.lang.reflect.Method.invoke", "shop.Script.call",
			"shop.Main.main"), "java.lang.UNIXProcess.waitFor", "shop.Script.call:7", false},
		{nil, "", "", false},
	} {
		if what, site, loop := Place(c.frames); what != c.what || site != c.site || loop != c.loop {
			t.Errorf("%v: %q at %q, %v; want %q at %q, %v", c.frames, what, site, loop, c.what, c.site, c.loop)
		}
	}
}

// What may have nothing to do comes after what surely waits, however long it is.
func TestRowsOfOnePlaceAreOne(t *testing.T) {
	stack := func(id format.StackID, methods ...string) *format.Event {
		return &format.Event{Kind: format.KindStack, Stack: id, Frames: frames(methods...)}
	}
	c := &Resources{}
	c.Begin(analysis.NewSymbols(stack(1, "java.util.concurrent.LinkedBlockingQueue.take", "shop.Mailer.run"),
		stack(2, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow", "shop.A.run"),
		stack(3, "java.util.concurrent.ArrayBlockingQueue.take", "shop.Pool.borrow", "shop.B.run")), 0)
	for _, a := range []analysis.NonLockWait{
		{Thread: 1, Stack: 1, Resource: true, Ns: 1000, Waits: 1, LongestNs: 1000},
		{Thread: 2, Stack: 2, Resource: true, Ns: 30, Waits: 2, LongestNs: 20},
		{Thread: 2, Stack: 3, Resource: true, Ns: 50, Waits: 1, LongestNs: 60},
		{Thread: 3, Stack: 3, Resource: true, Ns: 10, Waits: 1, LongestNs: 10},
		{Thread: 1, Activity: format.ActivitySleep, Ns: 5, Waits: 1, LongestNs: 5},
	} {
		c.NonLockWait(&a)
	}
	got := c.Resources()
	if len(got) != 2 || got[0].Site != "shop.Pool.borrow:7" || got[0].Waited.WaitNs != 90 || got[0].Waited.Waits != 4 ||
		got[0].Waited.Waiters != 2 ||
		got[0].MaxNs != 60 ||
		got[0].Stack[2].Class != "shop.B" ||
		!got[1].Loop {
		t.Errorf("%+v", got)
	}
	want := []Callers{{[]string{"shop.B.run"}, 60}, {[]string{"shop.A.run"}, 30}}
	if !slices.EqualFunc(
		got[0].Callers,
		want,
		func(a, b Callers) bool { return a.WaitNs == b.WaitNs && slices.Equal(a.Sites, b.Sites) },
	) ||
		len(got[1].Callers) != 0 {
		t.Errorf("called by %+v and %+v, want %+v", got[0].Callers, got[1].Callers, want)
	}
	if all, idle := c.Total(true), c.Total(false); all != (NonLockWait{1090, 5, 3}) || idle != (NonLockWait{5, 1, 1}) ||
		c.Idle()[0].What != "[asleep]" {
		t.Errorf("%+v, idle %+v in %+v", all, idle, c.Idle())
	}
}

// Callers are told apart by the nearest of them; the platform's frames between are none.
func TestCallersAreTheProgramsOwn(t *testing.T) {
	sum := callers{}
	at := func(ns int64, behind ...string) {
		sum.addStack(frames(append([]string{"java.lang.Object.wait", "shop.Pool.borrow"}, behind...)...), ns)
	}
	at(
		1,
		"shop.Cart.save",
		"java.util.ArrayList.forEach",
		"shop.Shop.pay",
		"shop.Http.handle",
		"shop.Server.one",
		"java.lang.Thread.run",
	)
	at(2, "shop.Cart.save", "shop.Shop.pay", "shop.Http.handle", "shop.Server.other")
	at(4, "java.lang.Thread.run")
	if got := sum.list(); len(got) != 1 || got[0].WaitNs != 3 ||
		strings.Join(got[0].Sites, " ") != "shop.Cart.save shop.Shop.pay shop.Http.handle" {
		t.Errorf("%+v", got)
	}
}
