package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected outputs under golden/")

// Update reports whether the expected outputs are being rewritten.
func Update() bool { return *update }

// Check compares got with the file golden/NAME, or writes it under -update.
func Check(t *testing.T, name, got string) {
	t.Helper()
	path := Path(name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("golden/%s differs (-want +got):\n%s", name, diff)
	}
}

// Path returns the path of golden/NAME: in a folder above the test's own, since a program
// built with -trimpath does not know the path of its sources.
func Path(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "golden", "golden.go")); err == nil {
			return filepath.Join(at, "golden", name)
		}
	}
	panic("no golden folder above " + dir)
}
