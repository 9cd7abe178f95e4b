package golden

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// heapPercent is how much garbage tests leave for each part that is alive. They work on a few
// megabytes, hundreds of times: to collect them as often as a heap that small asks for takes a
// quarter to a half of their time.
const heapPercent = 400

// Main runs the tests of a package that analyzes or decodes much, as its TestMain.
func Main(m *testing.M) {
	LeaveGarbage()
	os.Exit(m.Run())
}

// LeaveGarbage has the heap of this program, and of those it starts, collected less often,
// unless GOGC says how often, or benchmarks are run.
func LeaveGarbage() {
	flag.Parse()
	if os.Getenv("GOGC") != "" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	os.Setenv("GOGC", strconv.Itoa(heapPercent))
	debug.SetGCPercent(heapPercent)
}
