package gotrace

import (
	"slices"
	"sync"
	"testing"
	"time"

	"contend/decode/rules"
	"contend/format"
)

// A function that takes one lock and gives back another, which other functions
// read, is no reason to join them.
func TestHalvesOfDifferentLocksStayApart(t *testing.T) {
	at := func(fn, method string) *rules.GoUse {
		return &rules.GoUse{Class: "sync.RWMutex", Method: method, At: format.Frame{Class: "shop", Method: fn}}
	}
	for name, c := range map[string]struct {
		joins [][2]*rules.GoUse // what wakes what
		one   bool
	}{
		"one lock":               {[][2]*rules.GoUse{{at("get", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("get", "RUnlock")}}, true},
		"two taken together":     {[][2]*rules.GoUse{{at("getX", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("getY", "RUnlock")}}, false},
		"readers of two writers": {[][2]*rules.GoUse{{at("get", "RLock"), at("put", "Unlock")}, {at("put", "Lock"), at("get", "RUnlock")}, {at("set", "Lock"), at("get", "RUnlock")}, {at("get", "RLock"), at("set", "Unlock")}}, true},
	} {
		var s sites
		var all []site
		for _, j := range c.joins {
			a, b := s.of(j[0]), s.of(j[1])
			s.join(a, b)
			all = append(all, a, b)
		}
		s.joinHalves()
		roots := []site{}
		for _, x := range all {
			roots = append(roots, s.find(x))
		}
		slices.Sort(roots)
		if got := len(slices.Compact(roots)); (got == 1) != c.one {
			t.Errorf("%s: %d locks", name, got)
		}
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
	if l.Class != "sync.RWMutex" || l.LockKind != format.KindReadWriteLock {
		t.Errorf("%+v", l)
	}
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
	if read.Object != written.Object {
		t.Errorf("readers wait for %q, the writer for %q", read.Name, written.Name)
	}
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
