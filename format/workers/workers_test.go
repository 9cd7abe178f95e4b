package workers

import (
	"strings"
	"testing"
)

// A panic of one function reaches whoever waits, once all others are done, and says
// where it was.
func TestPanicsReachWhoWaits(t *testing.T) {
	var g Group
	done := make(chan bool, 2)
	g.Go(func() { done <- true })
	g.Go(func() { defer func() { done <- true }(); _ = []int{}[len(done)+3] })
	failed := Try(g.Wait)
	if failed == nil || len(done) != 2 || !strings.HasPrefix(failed.Error(), "internal error: index out of range [") || strings.Contains(failed.Error(), "\n") {
		t.Fatalf("%v with %d done", failed, len(done))
	}
	if again := Try(func() { panic(failed) }); again != failed || !strings.Contains(failed.Error(), "workers_test.go:") {
		t.Errorf("passed on it is %v", again)
	}
	if failed := Try(func() {}); failed != nil {
		t.Error(failed)
	}
}
