package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/analysis"
	"contend/blame/locks"
	"contend/golden"
	"contend/report/document"
	"contend/report/table"
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
	return golden.Must(simulation())(t)
}

func simulateAll() (paths []string, err error) {
	for _, scenario := range []string{"nested", "reader-writer", "deadlock", "random", "fork-join"} {
		for _, exact := range []string{"--exact", "--text"} {
			path := filepath.Join(sharedDir, scenario+exact)
			if code := Main([]string{"simulate", "--scenario", scenario, exact, "--duration", "1s", "-o", path}, nil,
				os.Stdout, os.Stderr); code != exitOK {
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
		return strings.HasPrefix(arg, "../testdata/") || strings.HasPrefix(arg, "../../shared/") ||
			strings.HasPrefix(arg, sharedDir)
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

// few are what the laws are held on under -short, for the race detector: an
// input of each decoder, so that each one's goroutines run.
var few = []string{
	"../testdata/phases.jfr",
	"../testdata/truth-8threads-jdk25.jfr",
	goTrace,
	"../testdata/truth-jdk25-1.json",
}

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
		return strings.HasPrefix(name, "lab-") && name != "lab-rw-jdk25-d1s.jfr" ||
			strings.HasPrefix(name, "truth-light") ||
			strings.HasSuffix(name, "-dumps50ms.jfr")
	})
}

// ask runs a command and decodes its JSON.
func ask[T any](t *testing.T, args ...string) *T {
	t.Helper()
	return golden.Must(decoded[T](args...))(t)
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
	return p.ExactNs + p.SampledNs + p.InferredNs + p.UnknownNs
}

// roots are both ways to blame. Files take turns where one of the two is asked
// for: that both sum to the same is keysKeepTheTotal's.
var roots = []string{"--root=false", "--root"}

// A law is what holds of the waiting in every recording, whoever sums it: what it wants
// to see of an analysis, and what must be true when that has ended.
type law struct {
	name  string
	wants []analysis.Visitor
	holds func(t *testing.T, p *shared)
}

// shared is one analysis of a recording, at which all laws look: to read and to analyze one
// takes longer than to sum what is found, and each command does it again.
type shared struct {
	*result
	path    string
	turn    int // of this recording, where they take turns
	want    *document.Analyze
	sums    *locks.Collector
	written int // documents so far
}

func TestTotalsAreOneNumber(t *testing.T) {
	t.Parallel()
	whole := varied(t)
	for i, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			laws := []law{locksSum(), blamesSum(t, i), pressureSums(i), lastOwnerIsRecorded(), monitorsAsRecorded()}
			if at := slices.Index(whole, path); at >= 0 {
				laws = append(laws, chainsSum(), lengthsSum(t, at))
				if !testing.Short() {
					laws = append(
						laws,
						keysKeepTheTotal(t),
						graphsSum(t, at),
						drawingsSum(at),
						flamesSum(t, at),
						profilesSum(t),
					)
				}
			}
			p := passOver(t, path, i, laws)
			for _, l := range laws {
				t.Run(l.name, func(t *testing.T) { l.holds(t, p) })
			}
		})
	}
}

// passOver analyzes a recording.
func passOver(t *testing.T, path string, turn int, laws []law) *shared {
	t.Helper()
	p := &shared{path: path, turn: turn, want: analyzed(t, path), sums: locks.New(true)}
	visitors := []analysis.Visitor{p.sums}
	for _, l := range laws {
		visitors = append(visitors, l.wants...)
	}
	var err error
	o := traceOptions{paths: []string{path}}
	if p.result, err = o.named(&env{msg: io.Discard}, nil, visitors...); err != nil {
		t.Fatal(err)
	}
	return p
}

// says returns a document as its command writes it. The command itself is asked in turn,
// for one document in eight over the recordings: it says the very same.
func (p *shared) says(t *testing.T, doc any, command ...string) string {
	t.Helper()
	var text bytes.Buffer
	golden.OK(t, document.Write(&text, doc))
	if p.written++; (p.written+p.turn)%8 == 0 {
		if a := jsonOf(append(command, p.path)...); a.code != exitOK || !bytes.Equal(a.text, text.Bytes()) {
			t.Errorf(
				"%q: exit %d: %s%.2000s\nand in one pass with others\n%.2000s",
				command,
				a.code,
				a.said,
				a.text,
				&text,
			)
		}
	}
	return text.String()
}

// inForm returns an answer in a form of its command.
func inForm[D any](t *testing.T, all outputs[D], form string, answer D, how table.Options) string {
	t.Helper()
	var text bytes.Buffer
	golden.OK(t, all[slices.Index(all.names(), form)].write(&text, answer, how))
	return text.String()
}
