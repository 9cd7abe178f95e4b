package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/decode"
	"contend/format"
	"contend/golden"
)

// ofTheFile is what a document says of the file a trace is in.
var ofTheFile = regexp.MustCompile(`(?m)^.*("format"|"bytesRead"|"bytesTotal"|"unreadBytes").*\n`)

// saysOf returns what a command answers for a file, without what differs between two
// files of the same events.
func saysOf(t *testing.T, path string, args ...string) string {
	t.Helper()
	out := strings.ReplaceAll(run(t, append(args, path)...), path, "TRACE")
	return ofTheFile.ReplaceAllString(out, "")
}

// questions are commands that look at a sampled trace from all sides.
var questions = [][]string{
	{"analyze", "--format", "json"},
	{"analyze", "--format", "json", "--by", "class", "--idle"},
	{"analyze", "--format", "json", "--from", "40ms", "--to", "120ms"},
	{"analyze", "--format", "json", "--from", "200ms"},
	{"analyze", "--format", "json", "--class", "1"},
	{"blame", "--format", "json", "--by", "waiter-thread,owner-thread,lock"},
	{"blame", "--format", "json", "--by", "owner-stack", "--root", "--to", "133ms"},
	{"csp", "--format", "json", "--interval", "30ms"},
	{"csp", "--format", "json", "--interval", "700us"},
	{"chains", "--format", "json"},
	{"dump"},
}

// A trace says the same in version 1, in version 2, and as text, whose samples no
// reader folds.
func TestBothVersionsSayWhatTheTextSays(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	dir := t.TempDir()
	as := func(version int, in string) string {
		out := filepath.Join(dir, fmt.Sprintf("%s.%d", filepath.Base(in), version))
		run(t, "convert", "--trace-version", fmt.Sprint(version), in, "-o", out)
		return out
	}
	texts := []string{filepath.Join(dir, "agent.txt")}
	run(t, "convert", "../testdata/agent-small.bin", "-o", filepath.Join(dir, "agent.bin"))
	text := run(t, "dump", filepath.Join(dir, "agent.bin"))
	if err := os.WriteFile(texts[0], []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	periods := map[string]string{"nested": "300us", "reader-writer": "3ms", "deadlock": "3ms", "random": "1ms", "idle-pool": "2ms", "convoy": "200us"}
	for _, scenario := range slices.Sorted(maps.Keys(periods)) {
		path := filepath.Join(dir, scenario+".txt")
		run(t, "simulate", "--text", "--scenario", scenario, "--period", periods[scenario], "--stall", "9ms", "--duration", "300ms", "-o", path)
		texts = append(texts, path)
	}
	for i, path := range texts {
		one, two := as(1, path), as(2, path)
		for j, q := range questions {
			if !golden.IsThorough() && i%2 != j%2 {
				continue // questions take turns over the traces
			}
			want := saysOf(t, path, q...)
			for _, other := range []string{one, two} {
				if got := saysOf(t, other, q...); got != want {
					t.Errorf("contend %v %s says\n%.2000s\nand of the text\n%.2000s", q, filepath.Base(other), got, want)
				}
			}
		}
	}
}

// What is merged of both versions is told apart as before.
func TestVersionsMerge(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"1", "2"} {
		for i, scenario := range []string{"nested", "random"} {
			run(t, "simulate", "--scenario", scenario, "--trace-version", version, "--period", "1ms", "--duration", "500ms", "-o", filepath.Join(dir, version+fmt.Sprint(i)))
		}
	}
	want := ""
	for i, pair := range [][2]string{{"1", "1"}, {"2", "2"}, {"1", "2"}, {"2", "1"}} {
		got := run(t, "blame", "--format", "json", "--by", "input,lock,owner-thread", "a="+filepath.Join(dir, pair[0]+"0"), "b="+filepath.Join(dir, pair[1]+"1"))
		got = ofTheFile.ReplaceAllString(regexp.MustCompile(regexp.QuoteMeta(dir)+`/\d`).ReplaceAllString(got, ""), "")
		if i == 0 {
			want = got
		}
		if got != want {
			t.Errorf("%v: %s\n%s", pair, got, want)
		}
	}
}

// Blocks outside of --from and --to are passed over, be they damaged: what is said is
// what is said of the whole file. What was read is not all that is used: threads and
// instants are counted.
func TestBlocksOutsideAreNotRead(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	dir := t.TempDir()
	text, path := filepath.Join(dir, "t.txt"), filepath.Join(dir, "t.bin")
	run(t, "simulate", "--text", "--scenario", "nested", "--period", "200us", "--duration", "2s", "-o", text)
	src, err := decode.Open([]string{text}, nil, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b bytes.Buffer
	w, err := format.NewWriter(&b, format.WriterOptions{BlockSize: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(copyTrace(w, src), w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	windows := [][]string{{"--from", "800ms", "--to", "1s"}, {"--to", "300ms"}, {"--from", "1.9s"}, {"--from", "1.2s", "--to", "1.2001s"}, {"--from", "5s"}}
	for _, window := range windows {
		for _, q := range questions[:2] {
			if got, want := saysOf(t, path, append(q, window...)...), saysOf(t, text, append(q, window...)...); got != want {
				t.Errorf("contend %v %v says\n%.3000s\nand of the text\n%.3000s", q, window, got, want)
			}
		}
	}

	data, hurt := b.Bytes(), 0
	for at := bytes.LastIndex(data, []byte(format.Marker)); at > 0 && hurt < 3; at = bytes.LastIndex(data[:at], []byte(format.Marker)) {
		if hurt++; hurt > 1 { // not the last one, which has more than instants
			data[at+format.BlockHeaderSize(format.Version)+9] ^= 0x55
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := saysOf(t, path, append(questions[0], windows[0]...)...), saysOf(t, text, append(questions[0], windows[0]...)...); got != want {
		t.Errorf("a damaged block far behind the end: %s", got)
	}
	var out, msg bytes.Buffer
	if code := Main([]string{"analyze", path}, nil, &out, &msg); code != exitDamaged {
		t.Errorf("the damage is not met at all: exit %d", code)
	}
}

// The format does not change unseen: a file of version 2 that was written once is
// read as it was then, and written to the same bytes.
func TestAFileOfVersion2(t *testing.T) {
	const file, text = "../testdata/sampled-v2.bin", "../testdata/sampled-v2.txt"
	want, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, "dump", file); got != string(want) {
		t.Errorf("the file says\n%.2000s", got)
	}
	again := filepath.Join(t.TempDir(), "again")
	run(t, "convert", "--codec", "none", text, "-o", again)
	got, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v; it is written otherwise now: %d bytes for %d", err, len(got), len(want))
	}
}
