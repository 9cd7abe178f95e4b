package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// ledger writes a trace of one lock, whose owner sleeps while another thread waits.
func ledger(t *testing.T, path string, number int) string {
	t.Helper()
	at := func(ms int) int64 { return 1_700_000_000e9 + int64(number)*3e9 + int64(ms)*1e6 }
	text := fmt.Sprintf(`contend 1
recording time=%d end=%d
stack stack=1 frames="java.lang.Thread":"sleep":"Thread.java":0,"shop.Ledger":"post":"Ledger.java":12
stack stack=2 frames="shop.Ledger":"read":"Ledger.java":30
object lock=1 class="shop.Ledger" kind=monitor hash=%d
thread thread=1 name="teller"
thread thread=2 name="clerk"
tenure time=%d thread=1 lock=1 stack=1 end=%d
wait time=%d thread=2 lock=1 stack=2 end=%d
end
`, at(0), at(2000), 7919*number+1, at(10), at(1210), at(11), at(1210))
	golden.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// What fails for each of 24 recordings fails for the folder of them: their locks are 24, each with
// a twenty-fourth of the waiting, and one subject.
func TestAFolderOfRecordingsBreaksTheRuleThatEachBreaks(t *testing.T) {
	dir := t.TempDir()
	for i := range 24 {
		ledger(t, filepath.Join(dir, fmt.Sprintf("r%02d.txt", i)), i)
	}
	for _, path := range []string{filepath.Join(dir, "r03.txt"), dir} {
		args := []string{"check", "--rule", "no finding(sleep-while-holding)", path}
		golden.Equal(t, Main(args, nil, io.Discard, io.Discard), exitRules, path)
	}
	a := ask[document.Analyze](t, "analyze", dir)
	golden.Equal(t, len(a.Findings), 1, "findings")
	golden.Equal(t, a.Findings[0].Locks, 24, "locks of the finding")
	screen := run(t, "analyze", dir)
	if !strings.Contains(screen, "is asleep while holding Ledger (24 locks)") {
		t.Errorf("%s", screen)
	}
}

// Pressure by class is that of all its locks, and a phase is theirs together.
func TestPhasesAreOfAllLocksOfAClass(t *testing.T) {
	var text strings.Builder
	text.WriteString("contend 1\nrecording time=0 end=2000000000\n")
	text.WriteString("stack stack=1 frames=\"shop.Ledger\":\"post\":\"Ledger.java\":12\n")
	const n = 40
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, "object lock=%d class=\"shop.Ledger\" kind=monitor hash=%d\n", i, i)
	}
	for i := 1; i <= 2*n; i++ {
		fmt.Fprintf(&text, "thread thread=%d name=\"t%d\"\nthread-start time=0 thread=%d\n", i, i, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, "tenure time=0 thread=%d lock=%d stack=1 end=1200000000\n", 2*i, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, "wait time=1 thread=%d lock=%d stack=1 end=1200000000\n", 2*i-1, i)
	}
	text.WriteString("end\n")
	path := filepath.Join(t.TempDir(), "forty.txt")
	golden.OK(t, os.WriteFile(path, []byte(text.String()), 0o600))
	for _, by := range []string{"lock", "class"} {
		d := ask[document.CSP](t, "csp", "--by", by, path)
		golden.Equal(t, len(d.Phases), 1, "phases", by)
		golden.Equal(t, d.Phases[0].Locks, n, "locks of the phase", by)
		golden.Equal(t, len(d.Intervals[0].Locks), map[string]int{"lock": n, "class": 1}[by], "rows", by)
		sum := 0.0
		for _, l := range d.Intervals[0].Locks {
			sum += l.CSP
		}
		golden.Equal(t, fmt.Sprintf("%.4f", sum), "0.5000", "pressure", by)
	}
	golden.Equal(t, len(ask[document.Analyze](t, "analyze", path).Phases), 1, "phases of analyze")
}

// What one view knows in a range, no other knows better.
func TestNoAnswerIsSurerThanAnother(t *testing.T) {
	const path = "../testdata/lab-striped-jdk17-profile.jfr"
	a := ask[document.Analyze](t, "analyze", path)
	if a.Coverage.Pressure == nil || a.Coverage.Running == nil {
		t.Fatalf("%+v", a.Coverage)
	}
	rule := fmt.Sprintf("csp(total) < %.4f%%", 101*a.Coverage.Pressure.High)
	for _, r := range jsonRules(t, "check", "--rule", rule, "--rule", "csp(*) < 0.1%", path) {
		for _, s := range r.Subjects {
			if s.Range == nil && s.PlusMinus != nil && *s.PlusMinus > s.Value/2 {
				continue // that doubt is the larger one
			}
			if s.Range == nil {
				t.Fatalf("%s: %+v", r.Rule, s)
			}
			if s.Name == "total" && (s.Range.Low > a.Coverage.Pressure.Low || s.Range.High < a.Coverage.Pressure.High) {
				t.Errorf("%+v, where analyze says %+v", s.Range, a.Coverage.Pressure)
			}
		}
	}
	if text := run(t, "csp", path); strings.Contains(text, "% ±") {
		t.Errorf("%s", text)
	}
}

// jsonRules runs a check, whatever its verdict.
func jsonRules(t *testing.T, args ...string) []document.CheckRule {
	t.Helper()
	var out bytes.Buffer
	Main(append(args, "--format", "json"), nil, &out, io.Discard)
	var doc document.Check
	golden.OK(t, json.Unmarshal(out.Bytes(), &doc))
	return doc.Rules
}

// Locks that the input calls by one name have rows, labels and places of their own.
func TestLocksOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	text := `contend 1
thread thread=1 name="a"
thread thread=2 name="b"
object lock=1 class="sync.Mutex" kind=mutex name="sync.Mutex of main.f"
object lock=2 class="sync.Mutex" kind=mutex name="sync.Mutex of main.f"
object lock=3 hash=4096 kind=monitor
object lock=4 hash=4096 kind=monitor
stack stack=1 frames="main":"f":"f.go":10
stack stack=2 frames="main":"f":"f.go":20
wait time=1000 end=3000 thread=1 lock=1 stack=1
wait time=4000 end=5000 thread=2 lock=2 stack=2
wait time=6000 end=8000 thread=1 lock=3 stack=1
wait time=9000 end=10000 thread=2 lock=4 stack=2
end count=12
`
	file := filepath.Join(t.TempDir(), "a.txt")
	golden.OK(t, os.WriteFile(file, []byte(text), 0o600))
	out := run(t, "blame", "--by", "lock", file)
	for _, label := range []string{
		"sync.Mutex at main.f:10 ",
		"sync.Mutex at main.f:20 ",
		"@1000 at main.f:10 ",
		"@1000 at main.f:20 ",
	} {
		if strings.Count(out, label) != 1 {
			t.Errorf("not one %q in\n%s", label, out)
		}
	}
}
