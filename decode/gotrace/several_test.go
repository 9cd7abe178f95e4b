package gotrace

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/analysis/owners"
	"contend/format"
)

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
				if o.Lock == w.Object && o.Holder.Kind == owners.Thread && id(o.Holder.Thread) == h.goroutine {
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
		if share < 0.8 || (count == 1) != (locks == 1) {
			t.Error("not told apart")
		}
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

// story is a lock's history, a point a word: 20-A releases, 30=A has acquired.
func story(text string) (points []point) {
	for word := range strings.FieldsSeq(text) {
		var p point
		var sign, name byte
		if n, _ := fmt.Sscanf(word, "%d%c%c", &p.at, &sign, &name); n < 3 {
			panic(word)
		}
		p.what = map[byte]what{'-': released, '=': acquired}[sign]
		p.thread = format.ThreadID(name)
		points = append(points, p)
	}
	return points
}

func TestSeveralAreBetrayedByBrokenTenures(t *testing.T) {
	one, two := "", ""
	for i := range 20 {
		at := 100 * i
		one += fmt.Sprintf("%d=A %d-A %d=B %d-B ", at, at+10, at+20, at+30)
		two += fmt.Sprintf("%d=A %d=B %d-A %d-B ", at, at+10, at+20, at+30)
	}
	if several(story(one)) || !several(story(two)) {
		t.Errorf("one is several: %v; two are: %v", several(story(one)), several(story(two)))
	}
}
