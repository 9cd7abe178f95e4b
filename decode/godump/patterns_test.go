package godump

import (
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const (
	reader = `goroutine 19 [sync.RWMutex.RLock]:
sync.runtime_SemacquireRWMutexR(0x16974c17d840?, 0x0?, 0x0?)
	runtime/sema.go:100 +0x25
sync.(*RWMutex).RLock(...)
	sync/rwmutex.go:74
main.(*Cache).Get(0x3226d7016120, {0x4d21b8, 0x1})
	/src/main.go:18 +0x58
main.(*Cache).Sum(0x3226d7016120)
	/src/main.go:25 +0x93
created by main.main in goroutine 1
	/src/main.go:87 +0x225

`
	writer = `goroutine 5 [sync.RWMutex.Lock]:
sync.runtime_SemacquireRWMutex(0x0?, 0x0?, 0x0?)
	runtime/sema.go:105 +0x25
sync.(*RWMutex).Lock(0x0?)
	sync/rwmutex.go:155 +0x6b
main.(*Cache).Put(0x3226d7016120, {0x4d21b8, 0x1}, 0x1)
	/src/main.go:29 +0x45

`
	holder = `goroutine 6 [sleep]:
time.Sleep(0x0?)
	runtime/time.go:300 +0x45
main.(*Cache).Scan(0x3226d7016120)
	/src/main.go:40 +0x45

`
	worker = `goroutine 20 [chan send]:
main.(*Pool).Submit(0x0?, 0x2cf402892048)
	/src/main.go:52 +0x25
main.(*Pool).Do(0x2cf40291a030, 0x4d16a0)
	/src/main.go:57 +0x85
main.outer.func4()
	/src/main.go:63 +0x36
main.(*Pool).run(0x0?)
	/src/main.go:47 +0x35
created by main.NewPool in goroutine 1
	/src/main.go:39 +0x68

`
	free = `goroutine 40 [chan receive]:
main.(*Pool).run(0x2cf40291a030)
	/src/main.go:45 +0x35

`
	// A handler waits for an answer over HTTP, which many threads of the library may give.
	handler = `goroutine 50 [select]:
net/http.(*persistConn).roundTrip(0xc000100000)
	net/http/transport.go:2600 +0x45
main.fetch()
	/src/main.go:70 +0x45
net/http.(*conn).serve(0xc000200000)
	net/http/server.go:2000 +0x45

`
)

// A deadlock is named where stacks have the shape of one, and nowhere else.
func TestPatterns(t *testing.T) {
	again := strings.NewReplacer("goroutine 20", "goroutine 21", "goroutine 50", "goroutine 51")
	for _, c := range []struct{ name, text, want string }{
		{"recursive", reader + writer, "main.(*Cache).Get:18 waits to read behind the writer at " +
			"main.(*Cache).Put:29, and its caller main.(*Cache).Sum:25"},
		{"of functions", strings.NewReplacer("(*Cache).", "", "0x3226d7016120", "0x1").Replace(reader + writer),
			"main.Get:18 waits to read behind the writer at main.Put:29, and its caller main.Sum:25"},
		{"another holds it", reader + writer + holder, ""},
		{"no writer", reader, "a sync.RWMutex taken twice, by its shape: main.(*Cache).Get:18 waits for it, and its " +
			"caller main.(*Cache).Sum:25 may hold it"},
		{"a writer's own", strings.ReplaceAll(writer, "0x1)\n\t/src/main.go:29 +0x45\n", "0x1)\n\t/src/main.go:29 "+
			"+0x45\nmain.(*Cache).Fill(0x3226d7016120)\n\t/src/main.go:33 +0x1\n"), "main.(*Cache).Put:29 waits for " +
			"it, and its caller main.(*Cache).Fill:33 may hold it"},
		{"one of several methods", writer, ""},
		{"held by another", reader + holder, ""},
		{"another object's writer", reader + strings.ReplaceAll(writer, "0x3226d7016120", "0x3226d7019990"),
			"a sync.RWMutex taken twice"},
		{"called from elsewhere", strings.ReplaceAll(reader, "(*Cache).Sum", "(*Shop).Sum") + writer, ""},
		{"pool", worker + again.Replace(worker), "all 2 goroutines of main.(*Pool).run wait for it within a task " +
			"that they run, as at main.outer.func4:63"},
		{"a pool with a free one", worker + again.Replace(worker) + free, ""},
		{"one of many things", worker, ""},
		{"a library's client and server", handler + again.Replace(handler), ""},
	} {
		said := ""
		for _, w := range read(t, []byte(c.text)).stats.Warnings {
			if w.Code == format.CodeLikelyDeadlock {
				said += w.Text
			}
		}
		golden.Holds(golden.Labelled(t, c.name), said, c.want)
		golden.Equal(t, said == "", c.want == "", c.name)
	}
}

// What go-deadlock reports without a dump is an answer, too.
func TestReportsAlone(t *testing.T) {
	s := read(
		t,
		[]byte(
			"POTENTIAL DEADLOCK: Inconsistent locking. saw this ordering in one goroutine:\nhappened before\na.go:1 "+
				"a.F { mu.Lock() } <<<<<\n",
		),
	)
	if !slices.ContainsFunc(
		s.stats.Warnings,
		func(w format.Warning) bool { return w.Text == "go-deadlock reports inconsistent locking" },
	) ||
		len(s.ticks) != 0 {
		t.Errorf("%v", s.stats.Warnings)
	}
}
