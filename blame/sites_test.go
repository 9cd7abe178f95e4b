package blame

import (
	"regexp"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/golden"
)

func frame(class, method string, line int) format.Frame {
	return format.Frame{Class: class, Method: method, Line: line}
}

const (
	takeReport = format.StackID(iota + 1)
	takeAudit
	asleep
	nested
	library
	barrier
	other
	bare
	flushing
	giving
)

const (
	ledger = format.ObjectID(iota + 1)
	audit
	second // another lock of the class of audit
	queue  // of the class of ledger; nobody is seen taking it
)

// trace is of a program whose locks are taken at Shop.report:10 (and once more
// at :30) and at Audit.write:5, for the last of which the JDK's own lock is used.
func trace(t *testing.T, app *regexp.Regexp) *Sites {
	run := frame("Shop", "run", 99)
	park := []format.Frame{
		frame("jdk.internal.misc.Unsafe", "park", 0),
		frame("java.util.concurrent.locks.ReentrantLock", "lock", 322),
	}
	l := &format.List{}
	write := func(ev format.Event) {
		golden.OK(t, l.Write(&ev))
	}
	for id, frames := range map[format.StackID][]format.Frame{
		takeReport: {frame("Shop", "report", 10), run},
		takeAudit:  append(slices.Clone(park), frame("Audit", "write", 5), run),
		asleep:     {frame("java.lang.Thread", "sleep", 0), frame("Shop", "nap", 3), frame("Shop", "report", 14), run},
		nested:     {frame("Disk", "sync", 1), frame("Audit", "write", 8), frame("Shop", "report", 35), run},
		library: append(slices.Clone(park), frame("com.zaxxer.hikari.pool.HikariPool", "getConnection", 7),
			frame("Shop$Dao", "load", 12), run),
		barrier:  {frame("java.util.Hashtable", "get", 300), frame("java.lang.Thread", "run", 840)},
		other:    {frame("Shop", "report", 30), run},
		bare:     {frame("java.lang.Thread", "run", 840)},
		flushing: {frame("Disk", "sync", 1), frame("Queue", "flush", 24), frame("Shop", "report", 35), run},
		giving: {frame("java.lang.Object", "notify", 65), frame("Queue", "flush", 27),
			frame("Shop", "report", 35), run},
	} {
		write(format.Event{Kind: format.KindStack, Stack: id, Frames: frames})
	}
	write(format.Event{Kind: format.KindThread, Thread: 1, Name: "a"})
	write(format.Event{Kind: format.KindObject, Object: ledger, Class: "Ledger", Stack: library})
	write(
		format.Event{
			Kind:   format.KindObject,
			Object: audit,
			Class:  "java.util.concurrent.locks.ReentrantLock$NonfairSync",
		},
	)
	write(format.Event{Kind: format.KindObject, Object: queue, Class: "Ledger"})
	write(
		format.Event{
			Kind:   format.KindObject,
			Object: second,
			Class:  "java.util.concurrent.locks.ReentrantLock$NonfairSync",
		},
	)
	for at, w := range []analysis.Acquisition{{Stack: takeReport, Lock: ledger}, {Stack: other, Lock: ledger},
		{Stack: takeAudit, Lock: audit}} {
		write(
			format.Event{
				Kind:   format.KindWait,
				Thread: 1,
				Object: w.Lock,
				Stack:  w.Stack,
				Time:   int64(10 * at),
				End:    int64(10*at + 5),
			},
		)
	}
	write(format.Event{Kind: format.KindRelease, Thread: 1, Object: queue, Stack: giving, Time: 40})
	tr := golden.Must(pass.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}))(t)
	s := NewSites(app)
	s.Begin(tr.Symbols)
	return s
}

func TestOwnersAreNamedWhereTheyTookTheLock(t *testing.T) {
	s := trace(t, nil)
	for _, c := range []struct {
		name  string
		stack format.StackID
		lock  format.ObjectID
		site  string
		from  string
	}{
		{"the stack took the lock itself", takeReport, ledger, "Shop.report:10", "Shop.run:99"},
		{"asleep further in", asleep, ledger, "Shop.report:10", "Shop.run:99"},
		{"behind the second of two places", nested, ledger, "Shop.report:30", "Shop.run:99"},
		{"the same stack, owning the inner lock", nested, audit, "Audit.write:5", "Shop.report:35 < Shop.run:99"},
		{"a lock of the same class", nested, second, "Audit.write:5", "Shop.report:35 < Shop.run:99"},
		{"where it is given back, before what takes another of its class", flushing, queue, "Queue.flush:27",
			"Shop.report:35 < Shop.run:99"},
		{"given back elsewhere", flushing, ledger, "Shop.report:30", "Shop.run:99"},
		{"nothing is known: the innermost of the program", library, audit, "Shop$Dao.load:12", "Shop.run:99"},
		{"nothing of the program", barrier, ledger, "java.util.Hashtable.get:300", ""},
		{"nothing but the runtime", bare, ledger, "java.lang.Thread.run:840", ""},
		{"no stack", format.NoStack, ledger, analysis.UnknownStack, analysis.UnknownStack},
	} {
		golden.Equal(t, s.Names().Value(s.Owner(c.stack, c.lock)), c.site, c.name)
		golden.Equal(t, s.Names().Value(s.Callers(c.stack, c.lock)), c.from, c.name, "called by")
	}
	if got := s.Taking(nested, ledger); len(got) != 2 || got[0] != frame("Shop", "report", 30) {
		t.Errorf("%v", got)
	}
	golden.Equal(t, s.sym.Frames(nested)[2].Line, 35, "the stack itself has changed")
}

// The lock's owner took that lock, and may wait for the next of the chain; the root took the
// last one.
func TestOwnersAreAskedForTheirLocks(t *testing.T) {
	var r Resolver
	r.Begin(trace(t, nil).sym)
	by := []Column{{Key: ByOwnerSite}, {Key: ByOwnerSite, Root: true}, {Key: ByOwnerBlockedOn}}
	ids, owner := make([]uint32, len(by)), analysis.Owner{Stack: nested}
	r.Find(
		ids,
		by,
		ledger,
		&analysis.Waiter{},
		&analysis.Share{
			Direct: owner,
			Root:   owner,
			Last:   audit,
			Path:   analysis.PathOf(analysis.Hop{Lock: second}, analysis.Hop{Lock: audit}),
		},
	)
	for i, want := range []string{"Shop.report:30", "Audit.write:5", r.sym.LockName(second)} {
		got, _ := r.Text(by[i].Key, ids[i])
		golden.Equal(t, got, want, by[i].Key)
	}
}

func TestSitesOfWaitersAndLocks(t *testing.T) {
	s := trace(t, nil)
	for id, want := range map[format.StackID]string{takeAudit: "Audit.write:5", library: "Shop$Dao.load:12",
		asleep: "Shop.nap:3"} {
		golden.Equal(t, s.Names().Value(s.Waiter(id)), want)
	}
	for lock, want := range map[format.ObjectID]string{ledger: "Shop$Dao.load:12",
		audit: "[first acquirer] Audit.write:5", queue: UnknownSite} {
		if got := s.Names().Value(s.Created(lock)); got != want || Made(got) != (lock == ledger) {
			t.Errorf("made at %s, want %s", got, want)
		}
	}
}

func TestAppSaysWhatIsOwn(t *testing.T) {
	s := trace(t, regexp.MustCompile(`^com\.zaxxer\.`))
	golden.Equal(t, s.Names().Value(s.Waiter(library)), "com.zaxxer.hikari.pool.HikariPool.getConnection:7")
}

func TestOwnCode(t *testing.T) {
	for class, own := range map[string]bool{
		"Shop": true, "com.example.Shop": true, "main": true, "example.com/shop": true, "shop/internal/db": true,
		"org.hsqldb.Session":          true,
		"org.apache.derby.impl.Store": true, "timer": true, "javafish.Pond": true,
		"java.util.Hashtable": false, "net/http": false, "sync": false, "runtime": false, "kotlin.Lazy": false,
		"com.zaxxer.hikari.HikariPool": false, "Shop$$Lambda": false, "[task]": false,
		"golang.org/x/sync/errgroup": false,
	} {
		golden.Equal(t, ownByDefault(format.Frame{Class: class, Method: "m"}), own, class)
	}
}
