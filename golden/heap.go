package golden

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// heapPercent is the garbage that tests leave, in per cent of the live heap. They work on a
// few megabytes, hundreds of times: collecting these as often as GOGC=100 does takes a
// quarter to a half of their time.
const heapPercent = 400

// Main is the TestMain of a package whose tests analyse or decode much.
func Main(m *testing.M) {
	RaiseGOGC()
	os.Exit(m.Run())
}

// RaiseGOGC parses flags, and sets GOGC for this process and its children, unless it is set
// already or benchmarks run.
func RaiseGOGC() {
	flag.Parse()
	if os.Getenv("GOGC") != "" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	os.Setenv("GOGC", strconv.Itoa(heapPercent))
	debug.SetGCPercent(heapPercent)
}
