package golden

import (
	"runtime"
	"slices"
	"strings"
	"time"
)

// WaitForGoroutines polls for up to a minute until at most that many goroutines exist, and
// returns their number.
func WaitForGoroutines(want int) int {
	for range 6000 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// CountGoroutines counts the goroutines whose stacks, as runtime.Stack writes them, contain
// all of the texts.
func CountGoroutines(texts ...string) (n int) {
	stacks := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(g, text) }) {
			n++
		}
	}
	return n
}
