// bench-trace FILE MEGABYTES records goroutines that use three locks and a
// channel, for two minutes at most.
package main

import (
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

var (
	outer, inner sync.Mutex
	table        sync.RWMutex
	sink         int
)

func main() {
	out, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	megabytes, _ := strconv.Atoi(os.Args[2])
	if err := trace.Start(out); err != nil {
		panic(err)
	}
	items := make(chan int)
	for range 6 {
		go nest()
		go read()
		go write(items)
	}
	go func() {
		for range items {
			work(200)
		}
	}()
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
		if info, err := out.Stat(); err != nil || info.Size() > int64(megabytes)*1e6 {
			break
		}
	}
	trace.Stop()
}

func nest() {
	for {
		outer.Lock()
		work(2000)
		inner.Lock()
		sink += work(500)
		inner.Unlock()
		outer.Unlock()
		work(1000)
	}
}

func read() {
	for {
		table.RLock()
		work(300)
		table.RUnlock()
		inner.Lock()
		sink += work(1500)
		inner.Unlock()
	}
}

func write(items chan int) {
	for {
		items <- work(10)
		table.Lock()
		work(400)
		table.Unlock()
	}
}

func work(n int) (sum int) {
	for i := range n {
		sum += i * i
	}
	return sum
}
