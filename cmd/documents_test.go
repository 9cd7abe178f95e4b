package cmd

import (
	"bytes"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/blame/findings"
	"contend/golden"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// documentCommands answer with small documents, which hold between them every
// key there is. D is testdata/documents, where absent.txt, exact.txt, workers.txt, counts.txt, inferred.txt, idle.txt,
// moved.txt, reacquired.txt, starved.txt and turns.txt are
// written by hand, damaged.bin has events of exact.txt in blocks of 150 bytes, one of
// them damaged, and the others are what
//
//	contend simulate --scenario nested --threads 3 --duration 1200ms --stall 35ms --text
//
// writes, the second with --seed 2 --slow archive --slow-by 100.
var documentCommands = map[string]string{
	"analyze":            "analyze D/exact.txt",
	"analyze-absent":     "analyze D/absent.txt",
	"analyze-asleep":     "analyze D/asleep.txt",
	"analyze-counts":     "analyze D/counts.txt",
	"analyze-idle":       "analyze --idle D/idle.txt",
	"analyze-in":         "analyze decode/profile/testdata/mutex.pprof",
	"analyze-inferred":   "analyze D/inferred.txt",
	"analyze-moved":      "analyze D/moved.txt",
	"analyze-reacquired": "analyze D/reacquired.txt",
	"analyze-sampled":    "analyze D/sampled-1.txt",
	"analyze-starved":    "analyze D/starved.txt",
	"analyze-together":   "analyze D/together.txt",
	"blame":              "blame --root --by owner-stack,waiter-stack --top 1 D/sampled-1.txt",
	"chains":             "chains --top 1 D/exact.txt",
	"check":              "check --rule-file D/check.rules --baseline D/sampled-1.txt D/sampled-2.txt",
	"csp":                "csp --metrics --interval 500ms D/exact.txt",
	"csp-turns":          "csp --interval 100ms D/turns.txt",
	"csp-sampled":        "csp --interval 600ms D/sampled-1.txt",
	"diff":               "diff --operations 100,120 --top 1 D/sampled-1.txt D/sampled-2.txt",
	"graph":              "graph --by thread D/exact.txt",
	"graph-top":          "graph --by thread --top 1 D/exact.txt",
	"hist":               "hist --by class --class Vault --expected-interval 50ms D/exact.txt",
	"hist-over-time":     "hist --interval 100ms D/exact.txt",
	"hist-sampled":       "hist D/sampled-1.txt",
	"analyze-dumps":      "analyze D/dumps.txt",
	"threads":            "threads D/dumps.txt",
	"analyze-workers":    "analyze D/workers.txt",
	"verify":             "verify D/damaged.bin",
	"verify-text":        "verify D/counts.txt",
	"whatif":             "whatif --top 1 D/inferred.txt",
	"whatif-sampled":     "whatif --split sim.Lock1=4 D/sampled-1.txt",
	"why":                "why D/inferred.txt",
}

// TestDocuments compares JSON with what it was before and holds it to the
// schema that ships. Every key of the schema has a value in one document at
// least, so that who renames one has to change this test.
func TestDocuments(t *testing.T) {
	golden.SkipIfShort(t)
	t.Chdir("..")
	schema := golden.Must(jsonschema.NewCompiler().Compile("report/document/schema.json"))(t)
	missing := schemaKeys(t, "report/document/schema.json")
	for _, of := range []string{"Blame", "Graph"} { // 260,000 rows have them: report/document makes one
		delete(missing, "/$defs/"+of+" otherNs")
	}
	// locks in twenty dumps have it: report/document makes one
	delete(missing, "/$defs/Owner sharePlusMinus")
	// recordings with thresholds have it: see TestNoAnswerIsSurerThanAnother
	delete(missing, "/$defs/CheckSubject range")
	for name, command := range documentCommands {
		command = strings.ReplaceAll(command, " D/", " testdata/documents/") + " --format json"
		var out, msg bytes.Buffer
		if code := Main(strings.Fields(command), nil, &out, &msg); code != exitOK && code != exitRules &&
			code != exitDamaged {
			t.Fatalf("%s: exit %d: %s", command, code, &msg)
		}
		golden.Check(t, "json/"+name+".txt", "$ contend "+command+"\n"+rounded(out.String()))
		doc, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		of := schemaOf(t, schema, doc)
		if err := of.Validate(doc); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		strike(missing, of, doc)
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("no document has a value for %s", key)
	}
	if files, err := os.ReadDir("golden/json"); err != nil || len(files) != len(documentCommands) {
		t.Errorf("golden/json holds %d documents of %d commands: %v", len(files), len(documentCommands), err)
	}
}

// schemaOf is the part of the schema that is for a document.
func schemaOf(t *testing.T, schema *jsonschema.Schema, doc any) *jsonschema.Schema {
	t.Helper()
	for _, s := range schema.OneOf {
		if s.Ref.Properties["schema"].Validate(doc.(map[string]any)["schema"]) == nil {
			return s.Ref
		}
	}
	t.Fatal("the schema knows no such document")
	return nil
}

// schemaKeys are the keys of a schema, by the place of the object they belong to.
func schemaKeys(t *testing.T, path string) map[string]bool {
	t.Helper()
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	readTruth(t, path, &schema)
	keys := map[string]bool{}
	for name, def := range schema.Defs {
		for key := range def.Properties {
			keys["/$defs/"+name+" "+key] = true
		}
	}
	return keys
}

// strike takes what a document has a value for off the keys.
func strike(keys map[string]bool, s *jsonschema.Schema, doc any) {
	for s.Ref != nil {
		s = s.Ref
	}
	switch doc := doc.(type) {
	case map[string]any:
		_, place, _ := strings.Cut(s.Location, "#")
		for key, value := range doc {
			of := s.Properties[key]
			if of == nil {
				of, _ = s.AdditionalProperties.(*jsonschema.Schema)
			}
			if of == nil || value == nil {
				continue // Validate says so, or no value
			}
			delete(keys, place+" "+key)
			strike(keys, of, value)
		}
	case []any:
		if of := s.Items2020; of != nil {
			for _, value := range doc {
				strike(keys, of, value)
			}
		}
	}
}

// manyDigits is a number whose last digits differ from processor to processor.
var manyDigits = regexp.MustCompile(`-?\b\d+\.\d{7,}(e[+-]?\d+)?`)

func rounded(text string) string {
	return manyDigits.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil:
			return s
		case math.Abs(v) < 1e-9: // what rounding leaves of a difference
			return "0"
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	})
}

// TestDrawings compares what people look at with what was looked at before.
func TestDrawings(t *testing.T) {
	golden.SkipIfShort(t)
	t.Setenv("COLUMNS", "80")
	t.Chdir("..")
	for name, command := range map[string]string{
		"graph.dot.txt":     `graph --operation Truth\.(\w+) --top 8 --format dot testdata/truth-8threads.jfr`,
		"graph.mermaid.txt": `graph --operation Truth\.(\w+) --top 8 --format mermaid testdata/truth-8threads.jfr`,
		"graph.table.txt":   `graph --by group testdata/phases.jfr`,
		"csp.svg.txt":       `csp --interval 500ms --top 3 --format svg testdata/phases.jfr`,
	} {
		golden.Check(t, name, "$ contend "+command+"\n"+run(t, strings.Fields(command)...))
	}
}

// TestDocsShowWhatCommandsPrint runs every "$ contend" line of the README and
// of the pages beside the rooms, in the root folder, and compares what follows
// it; -update rewrites it.
func TestDocsShowWhatCommandsPrint(t *testing.T) {
	golden.SkipIfShort(t)
	t.Chdir("..")
	t.Setenv("COLUMNS", "80")
	for _, doc := range []string{"README.md", "cmd/README.md", "decode/README.md"} {
		t.Run(doc, func(t *testing.T) { checkDoc(t, doc) })
	}
}

func checkDoc(t *testing.T, doc string) {
	text := golden.Must(os.ReadFile(doc))(t)
	var want []string
	ran := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		want = append(want, lines[i])
		args, ok := strings.CutPrefix(lines[i], "$ contend ")
		if !ok {
			continue
		}
		ran++
		want = append(want, printed(t, strings.Fields(args))...)
		for i++; i < len(lines) && lines[i] != "```" && !strings.HasPrefix(lines[i], "$ "); i++ {
		}
		if strings.HasPrefix(lines[i], "$ ") {
			want = append(want, "")
		}
		i--
	}
	if ran == 0 {
		t.Fatal("runs no command")
	}
	rewritten := strings.Join(want, "\n")
	if golden.Update() {
		golden.OK(t, os.WriteFile(doc, []byte(rewritten), 0o644))
		return
	}
	golden.Same(t, string(text), rewritten, "differs from what the commands print", doc)
}

// printed returns the lines a command prints.
func printed(t *testing.T, args []string) (lines []string) {
	t.Helper()
	var out, msg bytes.Buffer
	if code := Main(args, nil, &out, &msg); code != exitOK || msg.Len() > 0 {
		t.Fatalf("contend %s: exit %d, %s", strings.Join(args, " "), code, msg.String())
	}
	for _, l := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return lines
}

// The table of findings in the documents is that of the registry; -update writes
// it.
func TestReadmeNamesEveryFinding(t *testing.T) {
	const begin, end = "<!-- findings -->\n", "<!-- end -->"
	var b strings.Builder
	b.WriteString("| name | found where | rests on |\n| --- | --- | --- |\n")
	for k := range findings.Kinds() {
		f := findings.Kind(k)
		b.WriteString("| " + f.String() + " | " + f.Title() + " | " + f.Basis() + " |\n")
	}
	data := golden.Must(os.ReadFile("README.md"))(t)
	before, rest, ok := strings.Cut(string(data), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("README.md has no table of findings")
	}
	if got == b.String() {
		return
	}
	if !golden.Update() {
		t.Fatalf("the table is\n%s\nwant\n%s", got, b.String())
	}
	golden.OK(t, os.WriteFile("README.md", []byte(before+begin+b.String()+end+after), 0o644))
}

// Links between the pages lead to files and headings that are there.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages, links := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		pages++
		text := read(t, path)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, heading, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			} else if heading != "" && !headings(read(t, target))[heading] {
				t.Errorf("%s links to %s: there is no such heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil || pages < 6 || links < 5 {
		t.Errorf("%d pages with %d links, %v", pages, links, err)
	}
}

// headings are the anchors of a page's headings, as forges make them.
func headings(text string) map[string]bool {
	out := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ",
				"-")] = true
		}
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := golden.Must(os.ReadFile(path))(t)
	return string(text)
}

// Each code of a warning has a row in the table of codes, and no row is left over.
func TestTheTableOfCodesIsComplete(t *testing.T) {
	source := golden.Must(os.ReadFile("../format/codes.go"))(t)
	page := string(golden.Must(os.ReadFile("../report/README.md"))(t))
	_, table, _ := strings.Cut(page, "| code | meaning |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var codes, rows []string
	for _, m := range regexp.MustCompile(`= "(.+)"`).FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, m[1])
	}
	for row := range strings.Lines(table) {
		rows = append(rows, strings.Split(row, " ")[1])
	}
	slices.Sort(codes)
	slices.Sort(rows)
	golden.Same(t, rows, codes)
}

// The map of report's packages has each of them, and no other.
func TestTheMapOfPackagesIsComplete(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "../report/README.md"), "| package | reads | writes | does not |\n")
	var rows, dirs []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)`").FindAllStringSubmatch(table, -1) {
		rows = append(rows, m[1])
	}
	for name := range allowed {
		if dir, ok := strings.CutPrefix(name, "contend/report/"); ok {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(rows)
	slices.Sort(dirs)
	golden.Same(t, rows, dirs)
}
