package human

import (
	"testing"
	"time"
)

func TestSome(t *testing.T) {
	for n, want := range map[int]string{0: "0 waits are", 1: "1 wait is", 7: "7 waits are"} {
		if got := Some(n, "wait is", "waits are"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Counts and durations in a sentence are written as tables write them.
func TestSay(t *testing.T) {
	if got, want := Say("%v of %v in %v, %.1f %% of %s", 2483, int64(1e6), 5315*time.Millisecond, 12.34,
		"all"), "2,483 of 1,000,000 in 5.32 s, 12.3 % of all"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Some(12345, "thread", "threads"); got != "12,345 threads" {
		t.Error(got)
	}
}
