package cmd

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
)

// Two threads that exclude each other all the time have a pressure of 50 %, as the README
// says, whoever recorded them and however many threads are idle beside. They sleep 8 ms
// inside, and by their own log waited for 49.8 % of the time.
func TestTwoThreadsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	recordings, err := filepath.Glob("../testdata/pressure/pingpong-*.bin")
	if err != nil || len(recordings) != 4 {
		t.Fatalf("%d recordings: %v", len(recordings), err)
	}
	for _, path := range recordings {
		var out, msg strings.Builder
		if code := Main([]string{"csp", "--format", "json", "--interval", "1000s", path}, strings.NewReader(""), &out, &msg); code != 0 {
			t.Fatalf("%s: exit %d: %s", path, code, msg.String())
		}
		var doc struct {
			Total struct{ WaitNs, RunningNs float64 }
		}
		golden.OK(t, json.Unmarshal([]byte(out.String()), &doc))
		if csp := doc.Total.WaitNs / doc.Total.RunningNs; math.Abs(csp-0.498) > 0.01 {
			t.Errorf("%s: pressure %.3f, want 0.498", path, csp)
		}
	}
}
