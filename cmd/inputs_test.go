package cmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// few are what the laws are held on under -short, for the race detector: an
// input of each decoder, so that each one's goroutines run.
var few = []string{"../testdata/phases.jfr", "../testdata/truth-8threads-jdk25.jfr", goTrace, "../testdata/truth-jdk25-1.json"}

// recordings are all inputs the laws are held on.
func recordings(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		return append(slices.Clone(few), simulated(t)[2:4]...)
	}
	paths, _ := filepath.Glob("../testdata/*.jfr")
	if len(paths) < 9 {
		t.Fatalf("%d recordings in testdata", len(paths))
	}
	paths = append(paths, goTrace)
	public, _ := filepath.Glob("../../shared/fixtures/public/jfr/*.jfr*")
	goPublic, _ := filepath.Glob("../../shared/fixtures/public/gotrace/*.trace")
	if public = append(public, goPublic...); len(public) == 0 {
		t.Log("skipped: the public recordings are not here")
	}
	dumps, _ := filepath.Glob("../testdata/truth-*-*dumps-*.txt")
	lone, _ := filepath.Glob("../testdata/deadlock-*.txt")
	other, _ := filepath.Glob("../testdata/truth-jdk25-?.json")
	if len(dumps)+len(lone)+len(other) < 4 {
		t.Fatalf("%d thread dumps in testdata", len(dumps)+len(lone)+len(other))
	}
	return slices.Concat(paths, dumps, lone, other, public, simulated(t))
}

// varied are the inputs that what follows from the sums is held on: renderings,
// cuts and other keys. The recordings of the lab, and those of one program under
// other settings, differ in how owners are inferred and not in how that is
// summed: one of each will do. But in .ci/run, an input of each decoder stands
// for them, since the sums themselves are held on all of them.
func varied(t *testing.T) []string {
	t.Helper()
	if !golden.IsThorough() {
		return append(slices.Clone(few), simulated(t)[2:4]...)
	}
	return slices.DeleteFunc(recordings(t), func(path string) bool {
		name := filepath.Base(path)
		return strings.HasPrefix(name, "lab-") && name != "lab-rw-jdk25-d1s.jfr" || strings.HasPrefix(name, "truth-light") || strings.HasSuffix(name, "-dumps50ms.jfr")
	})
}

// ask runs a command and decodes its JSON.
func ask[T any](t *testing.T, args ...string) *T {
	t.Helper()
	doc := golden.Must(decoded[T](args...))(t)
	return doc
}

// decoded is ask outside of a test.
func decoded[T any](args ...string) (*T, error) {
	a := jsonOf(args...)
	if a.code != exitOK {
		return nil, fmt.Errorf("contend %v: exit %d: %s", args, a.code, a.said)
	}
	doc := new(T)
	return doc, json.Unmarshal(a.text, doc)
}

func sumBlame(b *document.Blame) (ns int64) {
	for _, r := range b.Rows {
		ns += r.ThreadNs
	}
	return ns
}

func sumProvenance(p document.Provenance) int64 {
	return p.ExactNs + p.SampledNs + p.InferredNs + p.EstimatedNs + p.ThreadOnlyNs + p.UnknownNs
}

// roots are both ways to blame. Files take turns where one of the two is asked
// for: that both sum to the same is keysKeepTheTotal's.
var roots = []string{"--root=false", "--root"}
