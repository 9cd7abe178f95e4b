package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
)

// A copy hides what the input hides: no gate passes a trace that was converted
// and fails the one it was made of.
func TestACopyKeepsTheDoubts(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"virtual-jdk25.jfr", "moved-locks-jdk25.jfr.gz", "truth-jdk25-1.json", "go126-debug2-dump.txt", "truth-series-8dumps-jdk17.txt", "lab-virtual-exact-jdk25.jfr"} {
		file := filepath.Join("../testdata", name)
		copies := []string{filepath.Join(dir, name+".bin"), filepath.Join(dir, name+".again.bin"), filepath.Join(dir, name+".text")}
		for i, args := range [][]string{{"convert", file, "-o", copies[0]}, {"convert", copies[0], "-o", copies[1]}, {"dump", file, "-o", copies[2]}} {
			var msg strings.Builder
			if code := Main(args, nil, &msg, &msg); code != exitOK {
				t.Fatalf("%s: copy %d: exit %d: %s", name, i, code, &msg)
			}
		}
		want := verdictsOf(t, file)
		for _, path := range copies {
			if got := verdictsOf(t, path); got != want {
				t.Errorf("%s: %s, its copy %s: %s", name, want, filepath.Base(path), got)
			}
		}
	}
}

// What was cut off stays cut off in a copy, which is whole itself.
func TestACopyOfADamagedTraceDecidesNothing(t *testing.T) {
	t.Parallel()
	half, whole := cutFile(t, "../testdata/xalan-8threads.jfr", 150000), filepath.Join(t.TempDir(), "copy.bin")
	var msg strings.Builder
	if code := Main([]string{"convert", half, "-o", whole}, nil, &msg, &msg); code != exitDamaged {
		t.Fatalf("exit %d: %s", code, &msg)
	}
	if got := verdictsOf(t, whole); strings.Contains(got, "o") {
		t.Errorf("%s: something is ok", got)
	}
}

// cutFile returns a copy of the first bytes of a file.
func cutFile(t *testing.T, path string, n int) string {
	t.Helper()
	data := golden.Must(os.ReadFile(path))(t)
	cut := filepath.Join(t.TempDir(), filepath.Base(path))
	golden.OK(t, os.WriteFile(cut, data[:n], 0o644))
	return cut
}
