package gotrace

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/analysis/owners"
	"contend/decode/gonames"
	"contend/format"
	"contend/golden"
)

// A function that takes one lock and gives back another, which other functions
// read, is no reason to join them.
func TestHalvesOfDifferentLocksStayApart(t *testing.T) {
	at := func(fn, method string) *gonames.Use {
		return &gonames.Use{Class: "sync.RWMutex", Method: method, At: format.Frame{Class: "shop", Method: fn}}
	}
	for name, c := range map[string]struct {
		joins [][2]*gonames.Use // what wakes what
		one   bool
	}{
		"one lock": {[][2]*gonames.Use{{at("get", "RLock"), at("put", "Unlock")},
			{at("put", "Lock"), at("get", "RUnlock")}}, true},
		"two taken together": {[][2]*gonames.Use{{at("getX", "RLock"), at("put", "Unlock")},
			{at("put", "Lock"), at("getY", "RUnlock")}}, false},
		"readers of two writers": {[][2]*gonames.Use{{at("get", "RLock"), at("put", "Unlock")},
			{at("put", "Lock"), at("get", "RUnlock")}, {at("set", "Lock"), at("get", "RUnlock")},
			{at("get", "RLock"), at("set", "Unlock")}}, true},
	} {
		var s sites
		var all []site
		for _, j := range c.joins {
			a, b := s.siteOf(j[0], 0, format.NoStack), s.siteOf(j[1], 0, format.NoStack)
			s.join(a, b)
			all = append(all, a, b)
		}
		s.joinHalves()
		roots := []site{}
		for _, x := range all {
			roots = append(roots, s.find(x))
		}
		slices.Sort(roots)
		golden.Equal(t, len(slices.Compact(roots)) == 1, c.one, name, "locks")
	}
}

// Readers that wait for a writer are woken together and share the lock.
func TestReadersWaitForTheWriter(t *testing.T) {
	n := newTenure()
	data := record(t, func() {
		var mu sync.RWMutex
		var wg sync.WaitGroup
		wg.Go(func() { holdAlone(&mu, n) })
		<-n.held
		for range 3 {
			wg.Go(func() { getInLine(mu.RLocker()) })
		}
		stand("getInLine", "sync.RWMutex.RLock", 3)
		close(n.inLine)
		wg.Wait()
	})
	s := read(t, data)
	l := s.lock(t, "getInLine")
	golden.Equal(t, l.Class, "sync.RWMutex")
	golden.Equal(t, l.LockKind, format.KindReadWriteLock)
	checkHeld(t, s, l.Object, n, 3)
	for _, w := range s.waits {
		if w.Object == l.Object && w.Mode != format.Shared {
			t.Errorf("%+v is a reader", w)
		}
	}
}

// With one writer, the lock that readers take looks like another than the one
// the writer takes; two locks that are taken together stay two.
func TestAnRWMutexIsOneLock(t *testing.T) {
	var mu sync.RWMutex
	data := record(t, func() {
		var wg sync.WaitGroup
		stop := make(chan bool)
		for range 3 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						lookUp(&mu)
					}
				}
			})
		}
		for range 20 {
			refresh(&mu)
		}
		close(stop)
		wg.Wait()
	})
	s := read(t, data)
	read, written := s.lock(t, "lookUp"), s.lock(t, "refresh")
	golden.Equal(t, read.Object, written.Object, "readers wait for", read.Name, "the writer for", written.Name)
}

//go:noinline
func lookUp(mu *sync.RWMutex) {
	mu.RLock()
	time.Sleep(time.Millisecond)
	mu.RUnlock()
}

//go:noinline
func refresh(mu *sync.RWMutex) {
	mu.Lock()
	time.Sleep(2 * time.Millisecond)
	mu.Unlock()
}

// held is a tenure as the program itself logged it.
type held struct {
	goroutine  string // "#12"
	shard      int
	start, end int64
}

// shard is one of several locks that are taken at one place.
type shard struct{ mu sync.Mutex }

func (s *shard) use(d time.Duration) (start, end int64) {
	s.mu.Lock()
	start = time.Now().UnixNano()
	time.Sleep(d)
	end = time.Now().UnixNano()
	s.mu.Unlock()
	return start, end
}

// shards runs goroutines that use locks at random, as often however busy the machine
// is, and logs who held which.
func shards(count int) (log []held) {
	locks := make([]shard, count)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			me := goroutineID()
			var own []held
			for range 12 * count {
				i := rng.IntN(count)
				start, end := locks[i].use(time.Duration(rng.IntN(2000)) * time.Microsecond)
				own = append(own, held{me, i, start, end})
			}
			mu.Lock()
			defer mu.Unlock()
			log = append(log, own...)
		})
	}
	wg.Wait()
	return log
}

// goroutineID reads "#12" out of "goroutine 12 [running]".
func goroutineID() string {
	var buf [32]byte
	n := runtime.Stack(buf[:], false)
	return "#" + strings.Fields(string(buf[:n]))[1]
}

// right returns the share of the waiting of which the trace names the owner
// that the program logged, of the waiting that any owner logged covers.
func right(s *seen, log []held) float64 {
	id := func(t format.ThreadID) string { return s.names[t][strings.LastIndexByte(s.names[t], '#'):] }
	good, all := int64(0), int64(0)
	for _, w := range s.waits {
		if s.stacks[w.Stack] != "(*shard).use" {
			continue
		}
		wanted := -1 // the shard is the one got first after the wait
		first := int64(1<<63 - 1)
		for _, h := range log {
			if h.goroutine == id(w.Thread) && h.start >= w.End-50e3 && h.start < first {
				first, wanted = h.start, h.shard
			}
		}
		for _, h := range log {
			lo, hi := max(h.start, w.Time), min(h.end, w.End)
			if h.shard != wanted || lo >= hi {
				continue
			}
			all += hi - lo
			for _, o := range s.owned {
				if o.Lock == w.Object && o.Owner.Kind == owners.Thread && id(o.Owner.Thread) == h.goroutine {
					good += max(0, min(hi, o.End)-max(lo, o.Start))
				}
			}
		}
	}
	return float64(good) / float64(max(all, 1))
}

// One lock is one; several that are taken at the same place are told apart
// well enough to name the goroutine that held the one waited for.
func TestSeveralLocksAtOnePlace(t *testing.T) {
	for _, count := range []int{1, 4} {
		locks, share := toldApart(t, count)
		t.Logf("%d locks: %d told apart, %.3f of the waiting charged to the right goroutine", count, locks, share)
		golden.AtLeast(t, share, 0.8)
		golden.Equal(t, count == 1, locks == 1)
	}
}

// toldApart records so many locks, and returns as how many they are read, and the
// share of the waiting that is right.
func toldApart(t *testing.T, count int) (locks int, share float64) {
	var log []held
	data := record(t, func() { log = shards(count) })
	s := read(t, data)
	for _, l := range s.locks {
		if strings.Contains(l.Name, "(*shard).use") {
			locks++
		}
	}
	return locks, right(s, log)
}

// story is a lock's history, a point a word: 20-A releases, 30=A has acquired. The goroutine that
// acquires then, or that the release wakes, has been queued for some time.
func story(text string, queued int64) (waits []*wait, points []point) {
	for word := range strings.FieldsSeq(text) {
		p := point{wait: int32(len(points))}
		var sign, name byte
		if n, _ := fmt.Sscanf(word, "%d%c%c", &p.at, &sign, &name); n < 3 {
			panic(word)
		}
		p.what = map[byte]what{'-': released, '=': acquired}[sign]
		p.thread = format.ThreadID(name)
		points = append(points, p)
		waits = append(waits, &wait{start: p.at - queued})
	}
	return waits, points
}

// Between acquiring a lock and releasing it a goroutine may release it unseen while nobody is
// queued, and so another one may release it, too. While one is queued it may not.
func TestSeveralAreBetrayedByBrokenTenures(t *testing.T) {
	one, two := "", ""
	for i := range 20 {
		at := 100 * i
		one += fmt.Sprintf("%d=A %d-A %d=B %d-B ", at, at+10, at+20, at+30)
		two += fmt.Sprintf("%d=A %d=B %d-A %d-B ", at, at+10, at+20, at+30)
	}
	golden.Equal(t, new(Reader).several(story(one, 50)), false)
	golden.Equal(t, new(Reader).several(story(two, 50)), true)
	golden.Equal(t, new(Reader).several(story(two, 5)), false)
}

// A mutex wakes no goroutine while another one is awake and competes for it.
func TestSeveralAreBetrayedByTwoAwake(t *testing.T) {
	woken := func(gap int64) (waits []*wait) {
		for i := range int64(40) {
			w := &wait{start: gap * i, woken: gap*i + 50, end: gap*i + 60, waker: 1, kind: format.KindMutex}
			waits = append(waits, w)
		}
		return waits
	}
	golden.Equal(t, new(Reader).several(woken(20), nil), false)
	golden.Equal(t, new(Reader).several(woken(5), nil), true)
}

// A writer that waits for the others' turn and then for the readers waits once.
func TestAWriterThatWaitsTwiceWaitsOnce(t *testing.T) {
	var mu sync.RWMutex
	data := record(t, func() {
		var wg sync.WaitGroup
		held := make(chan bool)
		wg.Go(func() { holdRead(&mu, held) })
		<-held
		wg.Go(func() { refresh(&mu) }) // waits for the reader
		stand("refresh", "sync.RWMutex.Lock", 1)
		wg.Go(func() { lookUp(&mu) }) // waits for this writer
		stand("lookUp", "sync.RWMutex.RLock", 1)
		wg.Go(func() { rewrite(&mu) }) // waits for it, too, and then for the second reader
		stand("rewrite", "sync.Mutex.Lock", 1)
		held <- true
		wg.Wait()
	})
	s, n := read(t, data), 0
	for _, w := range s.waits {
		if s.stacks[w.Stack] == "rewrite" {
			n++
		}
	}
	golden.Equal(t, n, 1, "waits of rewrite")
}

//go:noinline
func holdRead(mu *sync.RWMutex, held chan bool) {
	mu.RLock()
	held <- true
	<-held
	mu.RUnlock()
}

//go:noinline
func rewrite(mu *sync.RWMutex) {
	mu.Lock()
	time.Sleep(time.Millisecond)
	mu.Unlock()
}

// guarded is locked by with, for whoever calls it.
type guarded struct{ mu sync.Mutex }

//go:noinline
func (g *guarded) with(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	do()
}

//go:noinline
func rename(g *guarded) { g.with(func() { time.Sleep(time.Millisecond) }) }

//go:noinline
func reroute(g *guarded) { g.with(func() { time.Sleep(time.Millisecond) }) }

// Locks that one function acquires for different callers are told apart by these.
func TestLocksOfCallersAreSeveral(t *testing.T) {
	var names, routes guarded
	data := record(t, func() {
		repeat(3, 15, func() { rename(&names) }, func() { reroute(&routes) })
	})
	s := read(t, data)
	a, b := s.lock(t, "rename"), s.lock(t, "reroute")
	golden.Equal(t, a.Object != b.Object, true, a.Name, b.Name)
}

// repeat runs each function so many times in so many goroutines.
func repeat(goroutines, times int, fns ...func()) {
	var wg sync.WaitGroup
	for _, fn := range fns {
		for range goroutines {
			wg.Go(func() {
				for range times {
					fn()
				}
			})
		}
	}
	wg.Wait()
}

//go:noinline
func transfer(account, ledger *sync.Mutex) {
	account.Lock()
	defer account.Unlock()
	ledger.Lock()
	defer ledger.Unlock()
	time.Sleep(time.Millisecond)
}

//go:noinline
func deposit(account *sync.Mutex) {
	account.Lock()
	time.Sleep(time.Millisecond)
	account.Unlock()
}

//go:noinline
func closeBooks(ledger *sync.Mutex) {
	ledger.Lock()
	time.Sleep(time.Millisecond)
	ledger.Unlock()
}

// Two locks that one function releases at its end stay two.
func TestTwoDeferredReleasesAreTwo(t *testing.T) {
	var account, ledger sync.Mutex
	data := record(t, func() {
		repeat(
			2,
			15,
			func() { transfer(&account, &ledger) },
			func() { deposit(&account) },
			func() { closeBooks(&ledger) },
		)
	})
	s := read(t, data)
	a, b := s.lock(t, "deposit"), s.lock(t, "closeBooks")
	golden.Equal(t, a.Object != b.Object, true, a.Name, b.Name)
}

// A goroutine that was seen outside of the function that acquires and releases a lock has released it.
func TestWhoLeavesReleases(t *testing.T) {
	frame := func(method string, line int) format.Frame {
		return format.Frame{Class: "app", Method: method, Line: line}
	}
	lock := format.Frame{Class: "sync", Method: "(*Mutex).Lock"}
	loop, region := frame("loop", 9), format.Frame{Class: format.RegionClass, Method: "load"}
	for _, c := range []struct {
		what string
		now  []format.Frame
		want bool
	}{
		{"sleeps inside", []format.Frame{frame("sleep", 1), frame("save", 7), loop}, true},
		{"in a region", []format.Frame{frame("save", 7), loop, region}, true},
		{"sleeps outside", []format.Frame{frame("sleep", 1), loop}, false},
		{"called elsewhere", []format.Frame{frame("save", 7), frame("loop", 12)}, false},
		{"another function", []format.Frame{frame("load", 7), loop}, false},
	} {
		var s stacks
		s.init(nil)
		s.byID = append(s.byID, stack{frames: []format.Frame{lock, frame("save", 5), loop}}, stack{frames: c.now})
		golden.Equal(t, s.within(1, 2), c.want, c.what)
	}
}

// Programs of several locks, each acquired at several call sites, logged their own waits: each lock is one, with
// all of its waits. In bank a function releases two of them at its end, in registry one function acquires two for
// its callers, and two are read-write locks.
func TestLocksAreCountedAsTheirProgramDid(t *testing.T) {
	for _, program := range []string{"bank", "registry"} {
		var truth struct {
			Locks []struct {
				Lock, AcquiredIn string
				Waits, WaitNs    int64
			}
		}
		path := "../../testdata/gotrace/" + program
		golden.OK(t, json.Unmarshal(golden.Must(os.ReadFile(path+".truth.json"))(t), &truth))
		s := read(t, golden.Must(os.ReadFile(path+".trace"))(t))
		golden.Equal(t, len(s.locks), len(truth.Locks), program)
		for _, want := range truth.Locks {
			lock, long, ns := s.lock(t, "."+want.AcquiredIn), int64(0), int64(0)
			for _, w := range s.waits {
				if w.Object != lock.Object {
					continue
				}
				if ns += w.End - w.Time; w.End-w.Time > 100e3 {
					long++
				}
			}
			golden.Within(golden.Labelled(t, want.Lock), float64(ns)/float64(want.WaitNs), 0.98, 1.001)
			golden.Within(golden.Labelled(t, want.Lock), float64(long)/float64(want.Waits), 0.97, 1.03)
		}
	}
}
