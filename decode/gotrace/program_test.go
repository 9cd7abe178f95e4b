package gotrace

import (
	"bytes"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/golden"
)

// record traces a program of this process.
func record(t testing.TB, program func()) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		t.Skipf("this process is being traced already: %v", err)
	}
	program()
	trace.Stop()
	return buf.Bytes()
}

// seen is what a trace tells.
type seen struct {
	locks    map[format.ObjectID]format.Event
	names    map[format.ThreadID]string
	stacks   map[format.StackID]string // innermost function of this package
	waits    []format.Event
	owned    []owners.Ownership        // as package owners infers them
	activity map[string][]format.Event // by innermost function of this package
}

func read(t testing.TB, data []byte) *seen {
	t.Helper()
	r := golden.Must(NewReader(bytes.NewReader(data), "test", nil))(t)
	s := &seen{
		map[format.ObjectID]format.Event{},
		map[format.ThreadID]string{},
		map[format.StackID]string{},
		nil,
		nil,
		map[string][]format.Event{},
	}
	record, sym := owners.NewRecord(), []*format.Event(nil)
	for {
		ev := &format.Event{}
		if r.Read(ev) != nil {
			s.owned = infer(record, analysis.NewSymbols(sym...))
			return s
		}
		record.AddEvent(ev, ev.End)
		sym = append(sym, ev)
		switch ev.Kind {
		case format.KindThread:
			s.names[ev.Thread] = ev.Name
		case format.KindObject:
			s.locks[ev.Object] = *ev
		case format.KindStack:
			for _, f := range ev.Frames {
				if f.Class == "contend/decode/gotrace" {
					s.stacks[ev.Stack] = f.Method
					break
				}
			}
		case format.KindWait:
			s.waits = append(s.waits, *ev)
		case format.KindActivity:
			s.activity[s.stacks[ev.Stack]] = append(s.activity[s.stacks[ev.Stack]], *ev)
		}
	}
}

func infer(record *owners.Record, sym *analysis.Symbols) (owned []owners.Ownership) {
	tl, done := record.Arrange(sym.Kind).Timelines(sym, nil)
	done()
	tl.Owned.Each(func(o *owners.Ownership) { owned = append(owned, *o) })
	return owned
}

// lock returns the only lock whose name holds text.
func (s *seen) lock(t testing.TB, text string) (found format.Event) {
	t.Helper()
	for _, l := range s.locks {
		if strings.Contains(l.Name, text) {
			if found.Kind != format.KindNone {
				t.Fatalf("several locks of %s: %v", text, s.locks)
			}
			found = l
		}
	}
	if found.Kind == format.KindNone {
		t.Fatalf("no lock of %s: %v", text, s.locks)
	}
	return found
}

const hold = 20 * time.Millisecond

// tenure is one that others wait for, each of them, whenever they get a processor.
type tenure struct {
	held, inLine chan bool
	over         int64 // when the lock is let go of
}

func newTenure() *tenure { return &tenure{held: make(chan bool), inLine: make(chan bool)} }

// holdAlone takes a lock, and keeps it for a while when others have come.
func holdAlone(mu sync.Locker, n *tenure) {
	mu.Lock()
	n.held <- true
	<-n.inLine
	time.Sleep(hold)
	n.over = time.Now().UnixNano()
	mu.Unlock()
}

// stand waits until that many goroutines are blocked in a function of this package, as
// their stacks call it.
func stand(fn, state string, want int) {
	for standing(fn, state) < want {
		time.Sleep(time.Millisecond)
	}
}

func standing(fn, state string) int { return golden.CountGoroutines("["+state, "gotrace."+fn+"(") }

func getInLine(mu sync.Locker) {
	mu.Lock()
	defer mu.Unlock()
}

func waitForWork(c *sync.Cond, ready *bool) {
	c.L.Lock()
	for !*ready {
		c.Wait()
	}
	c.L.Unlock()
}

func idleAround(done <-chan bool, wg *sync.WaitGroup) {
	select {
	case <-done:
	case <-time.After(time.Hour):
	}
	wg.Done()
}

func TestMutexOwnerAndIdleness(t *testing.T) {
	n := newTenure()
	data := record(t, func() {
		var mu sync.Mutex
		var wg sync.WaitGroup
		cond, ready := sync.NewCond(&sync.Mutex{}), false
		done := make(chan bool)
		wg.Add(1)
		go idleAround(done, &wg)
		wg.Go(func() { waitForWork(cond, &ready) })
		wg.Go(func() { holdAlone(&mu, n) })
		<-n.held
		wg.Go(func() { getInLine(&mu) })
		wg.Go(func() { getInLine(&mu) })
		stand("getInLine", "sync.Mutex.Lock", 2)
		close(n.inLine)
		stand("waitForWork", "sync.Cond.Wait", 1)
		stand("idleAround", "select", 1)
		cond.L.Lock()
		ready = true
		cond.L.Unlock()
		cond.Broadcast()
		close(done)
		wg.Wait()
	})
	s := read(t, data)
	l := s.lock(t, "getInLine")
	golden.Equal(t, l.Class, "sync.Mutex")
	golden.Equal(t, l.LockKind, format.KindMutex)
	checkHeld(t, s, l.Object, n, 2)
	for fn, want := range map[string]format.Activity{"waitForWork": format.ActivityWait,
		"idleAround": format.ActivityPark, "holdAlone": format.ActivitySleep} {
		found := false
		for _, a := range s.activity[fn] {
			found = found || a.Activity == want && a.End > a.Time
		}
		if !found {
			t.Errorf("%s: %v", fn, s.activity[fn])
		}
	}
}

// checkHeld checks that the lock's waits were for the holder, nearly all of the
// time it had the lock.
func checkHeld(t *testing.T, s *seen, lock format.ObjectID, by *tenure, waits int) {
	t.Helper()
	var held []owners.Ownership // one after another: asleep, and awake
	for _, o := range s.owned {
		if o.Lock == lock && s.stacks[o.Owner.Stack] == "holdAlone" {
			held = append(held, o)
		}
	}
	n := 0
	for _, w := range s.waits {
		if w.Object != lock {
			continue
		}
		n++
		owned := int64(0)
		for _, o := range held {
			owned += max(min(w.End, o.End)-max(w.Time, o.Start), 0)
		}
		if held := min(w.End, by.over) - w.Time; held < int64(hold) || float64(owned) < 0.8*float64(held) {
			t.Errorf("wait of %d ns, held for %d of them, owned for %d", w.End-w.Time, held, owned)
		}
		if s.stacks[w.Stack] != "getInLine" || !strings.Contains(s.names[w.Thread], "gotrace.") {
			t.Errorf("%s in %s", s.names[w.Thread], s.stacks[w.Stack])
		}
	}
	golden.Equal(t, n, waits)
}

// lockBoth takes one lock, and never gets the other.
func lockBoth(first, second *sync.Mutex, ready *sync.WaitGroup) {
	first.Lock()
	ready.Done()
	ready.Wait()
	second.Lock()
	panic("reached")
}

// A goroutine that never gets its lock waits to the end of the trace.
func TestDeadlockWaitsToTheEnd(t *testing.T) {
	var a, b sync.Mutex
	earlier := standing("lockBoth", "sync.Mutex.Lock") // those of an earlier run of this test still wait
	data := record(t, func() {
		var ready sync.WaitGroup
		ready.Add(2)
		go lockBoth(&a, &b, &ready)
		go lockBoth(&b, &a, &ready)
		stand("lockBoth", "sync.Mutex.Lock", earlier+2)
		time.Sleep(hold)
	})
	s := read(t, data)
	n := 0
	for _, w := range s.waits {
		if w.End-w.Time > int64(hold)/2 {
			n++
		}
	}
	if n < 2 { // or more, with those of an earlier run
		t.Errorf("%d goroutines wait to the end: %v", n, s.waits)
	}
}
