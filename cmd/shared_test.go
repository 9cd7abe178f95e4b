package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"contend/report/document"
)

// What many tests read and none changes is made once. The folder is removed
// when all have run.
var (
	sharedDir  string
	simulation = sync.OnceValues(simulateAll)
	analyses   sync.Map // functions that return an answer, by path
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
	doc, code := answered(t, path)
	if code != exitOK {
		t.Fatalf("contend analyze %s: exit %d", path, code)
	}
	return doc
}

// answered is analyzed for one that may be damaged, or refused: no document then.
func answered(t *testing.T, path string) (*document.Analyze, int) {
	t.Helper()
	type answer struct {
		doc  *document.Analyze
		code int
	}
	once, _ := analyses.LoadOrStore(path, sync.OnceValues(func() (a answer, err error) {
		var out bytes.Buffer
		if a.code = Main([]string{"analyze", "--format", "json", "--top", "0", path}, nil, &out, io.Discard); out.Len() == 0 {
			return a, nil
		}
		a.doc = new(document.Analyze)
		return a, json.Unmarshal(out.Bytes(), a.doc)
	}))
	a, err := once.(func() (answer, error))()
	if err != nil {
		t.Fatal(err)
	}
	return a.doc, a.code
}

// comes reports whether something comes true in the time a busy machine may take for it.
func comes(done func() bool) bool {
	for begun := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			return false
		}
	}
	return true
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
