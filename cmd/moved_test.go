package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// testdata/Moves.java says how many locks it has at each place, and collections
// moved them all: those that can be followed are one row each, and no two
// become one. The amount of waiting stays what it was.
func TestMovedLocksAreOneRow(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	for path, want := range map[string]struct {
		ns    int64 // of waiting, by the recorded events
		batch int   // locks of the batches that were recorded: a collection may lie in the life of one
	}{"../testdata/moved-locks-jdk17.jfr.gz": {28_296_666_971, 19}, "../testdata/moved-locks-jdk25.jfr.gz": {26_250_024_496, 19}} {
		b := ask[document.Blame](t, "blame", "--by", "lock,waiter-method", "--top", "0", path)
		locks, of, total := map[string]int{}, map[string]string{}, int64(0)
		for _, r := range b.Rows {
			lock, method := r.Keys[0], strings.TrimPrefix(r.Keys[1], "Moves$")
			place, _, _ := strings.Cut(method, ".")
			if before, met := of[lock]; !met || before != place {
				locks[place]++
			}
			of[lock] = place
			total += r.ThreadNs
		}
		if locks["One"] != 1 || locks["Table"] != 1 {
			t.Errorf("%s: one lock each, but One has %d and Table %d", path, locks["One"], locks["Table"])
		}
		if locks["Switch"] < 2 || locks["Stripes"] < 16 || locks["Batches"] < want.batch || locks["Hot"] < 4 {
			t.Errorf("%s: different locks became one: %v", path, locks)
		}
		if total != want.ns || b.Total.WaitNs != want.ns {
			t.Errorf("%s: %d ns of waiting, %d in rows, want %d", path, b.Total.WaitNs, total, want.ns)
		}
		addresses := 0
		for _, l := range ask[document.Analyze](t, "analyze", path).Locks {
			addresses = max(addresses, l.Moved)
		}
		if addresses < 2 {
			t.Errorf("%s: no lock tells its addresses", path)
		}
		said := ""
		for _, w := range b.Coverage.Warnings {
			if w.Code == "joined-locks" {
				said = w.Text
			}
		}
		if !strings.Contains(said, "garbage collections moved") {
			t.Errorf("%s: not said what was joined: %+v", path, b.Coverage.Warnings)
		}
	}
}
