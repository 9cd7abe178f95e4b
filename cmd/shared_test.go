package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"
)

// What many tests read and none changes is made once. The folder is removed
// when all have run.
var (
	sharedDir  string
	simulation = sync.OnceValues(simulateAll)
	documents  sync.Map // functions that return an answer, by arguments
	reports    sync.Map // functions that return the path of a page, by arguments
	atTheEnd   []func() // stop what runs beside the tests
)

// simulated returns a trace of each kind of run.
func simulated(t *testing.T) []string {
	t.Helper()
	paths := golden.Must(simulation())(t)
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

// jsonAnswer is what a command prints as JSON, its exit code, and what it says beside.
type jsonAnswer struct {
	text []byte
	code int
	said string
}

// jsonOf returns what a command answers. Of recordings that stay as they are it is asked
// once, however many tests ask; each decodes it for itself.
func jsonOf(args ...string) jsonAnswer {
	args = append(slices.Clone(args), "--format", "json", "--top", "0")
	ask := func() jsonAnswer {
		var out, msg bytes.Buffer
		code := Main(args, nil, &out, &msg)
		return jsonAnswer{out.Bytes(), code, msg.String()}
	}
	if !ofWhatStays(args) {
		return ask()
	}
	once, _ := documents.LoadOrStore(strings.Join(args, "\x00"), sync.OnceValue(ask))
	return once.(func() jsonAnswer)()
}

// ofWhatStays reports whether no file that is named is one that a test may write.
func ofWhatStays(args []string) bool {
	stays := func(arg string) bool {
		return strings.HasPrefix(arg, "../testdata/") || strings.HasPrefix(arg, "../../shared/") || strings.HasPrefix(arg, sharedDir)
	}
	other := func(arg string) bool { return strings.ContainsAny(arg, `/\`) && !stays(arg) }
	return slices.ContainsFunc(args, stays) && !slices.ContainsFunc(args, other)
}

// analyzed returns what analyze says of a recording.
func analyzed(t *testing.T, path string) *document.Analyze {
	t.Helper()
	return ask[document.Analyze](t, "analyze", path)
}

// answered is analyzed for one that may be damaged, or refused: no document then.
func answered(t *testing.T, path string) (doc *document.Analyze, code int) {
	t.Helper()
	a := jsonOf("analyze", path)
	if len(a.text) == 0 {
		return nil, a.code
	}
	doc = new(document.Analyze)
	unmarshal(t, string(a.text), doc)
	return doc, a.code
}

// patience is how long a busy machine may take for what takes a moment.
const patience = 3 * time.Minute

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
	text := golden.Must(os.ReadFile(path))(t)
	unmarshal(t, string(text), truth)
}
