package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"contend/report/document"
)

// What many tests read and none changes is made once. The folder is removed
// when all have run.
var (
	sharedDir  string
	simulation = sync.OnceValues(simulateAll)
	analyses   sync.Map // functions that return a document, by path
	reports    sync.Map // functions that return the path of a page, by arguments
	atTheEnd   []func() // stop what runs beside the tests
)

// simulated returns a trace of each kind of run.
func simulated(t *testing.T) []string {
	t.Helper()
	paths, err := simulation()
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func simulateAll() (paths []string, err error) {
	for _, scenario := range []string{"nested", "reader-writer", "deadlock", "random", "fork-join"} {
		for _, exact := range []string{"--exact", "--text"} {
			path := filepath.Join(sharedDir, scenario+exact)
			if code := Main([]string{"simulate", "--scenario", scenario, exact, "--duration", "1s", "-o", path}, nil, os.Stdout, os.Stderr); code != exitOK {
				return nil, fmt.Errorf("simulate %s: exit %d", scenario, code)
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// analyzed returns what analyze says of a recording that stays as it is.
func analyzed(t *testing.T, path string) *document.Analyze {
	t.Helper()
	once, _ := analyses.LoadOrStore(path, sync.OnceValues(func() (*document.Analyze, error) { return decoded[document.Analyze]("analyze", path) }))
	doc, err := once.(func() (*document.Analyze, error))()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// readTruth reads what a program logged of its own locks.
func readTruth(t *testing.T, path string, truth any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, string(text), truth)
}
