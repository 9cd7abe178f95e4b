package format

import "testing"

func TestSome(t *testing.T) {
	for n, want := range map[int]string{0: "0 waits are", 1: "1 wait is", 7: "7 waits are"} {
		if got := Some(n, "wait is", "waits are"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
