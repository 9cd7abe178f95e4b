package golden

import (
	"runtime"
	"slices"
	"strings"
	"time"
)

// Settled waits, a minute at most, until no more than so many goroutines are left, and
// returns how many are.
func Settled(want int) int {
	for range 6000 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// Standing counts the goroutines whose stacks, as runtime.Stack writes them, hold all of
// some texts: the state and a function, say.
func Standing(texts ...string) (n int) {
	stacks := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(g, text) }) {
			n++
		}
	}
	return n
}
