package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// Recordings of several JVMs in one file say what they say as several files:
// nobody runs between them, nor in the other's time.
func TestRecordingsInOneFile(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	const dir = "../testdata/"
	for _, names := range [][]string{
		{"truth-8threads.jfr", "phases.jfr"},
		{"hsqldb-6clients.jfr", "phases.jfr"}, // two seconds between their beginnings
		{"xalan-8threads.jfr", "truth-8threads-jdk25.jfr", "derby-8clients.jfr"},
	} {
		var paths []string
		var all []byte
		for _, name := range names {
			data := golden.Must(os.ReadFile(dir + name))(t)
			paths, all = append(paths, dir+name), append(all, data...)
		}
		file := filepath.Join(t.TempDir(), "all.jfr")
		golden.OK(t, os.WriteFile(file, all, 0o600))
		apart, joined := ask[document.Analyze](t, append([]string{"analyze"}, paths...)...), ask[document.Analyze](t, "analyze", file)
		if got, want := joined.Total, apart.Total; got != want || joined.Trace.Threads != apart.Trace.Threads {
			t.Errorf("%v: %d threads, %+v; apart %d, %+v", names, joined.Trace.Threads, got, apart.Trace.Threads, want)
		}
		var sum int64
		for _, path := range paths {
			sum += ask[document.Analyze](t, "analyze", path).Total.RunningNs
		}
		if joined.Total.RunningNs < sum*9/10 || joined.Total.RunningNs > sum*11/10 {
			t.Errorf("%v: %d ns running, the recordings by themselves %d", names, joined.Total.RunningNs, sum)
		}
	}
}
