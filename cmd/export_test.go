package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
	"contend/report/document/facts"

	"github.com/parquet-go/parquet-go"
)

// exportTo runs export and returns its exit code and what it says.
func exportTo(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out, msg bytes.Buffer
	code = Main(append([]string{"export"}, args...), nil, &out, &msg)
	return code, out.String() + msg.String()
}

// tableRows reads all rows of a table.
func tableRows[R any](t *testing.T, dir, name string) (rows []R) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, name, "*.parquet"))
	for _, file := range files {
		rows = append(rows, golden.Must(parquet.ReadFile[R](file))(t)...)
	}
	return rows
}

// recordingsOf lists recordings of every kind that export reads.
func recordingsOf(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"../testdata/*.jfr", "../testdata/*.bin", "../testdata/*.trace",
		"../testdata/*.txt", "../testdata/documents/*.txt"} {
		found, _ := filepath.Glob(pattern)
		names = append(names, found...)
	}
	if len(names) < 30 {
		t.Fatalf("%d recordings", len(names))
	}
	return names
}

// The rows of each recording add up to what analyze says, and its percentiles
// are those of hist, to the resolution of both.
func TestFactsAgreeWithTheOtherCommands(t *testing.T) {
	golden.ParallelUnlessShort(t)
	dir := t.TempDir()
	names := recordingsOf(t)
	if !golden.IsThorough() {
		names = names[:6]
	}
	if code, said := exportTo(t, append([]string{"-o", dir}, names...)...); code != exitOK {
		t.Fatalf("exit %d: %s", code, said)
	}
	sums := map[string]*facts.Recording{}
	add := func(name string, wait, waits, wall, running int64) {
		if sums[name] == nil {
			sums[name] = &facts.Recording{}
		}
		s := sums[name]
		s.WaitNs, s.Waits, s.WallNs, s.RunningNs = s.WaitNs+wait, s.Waits+waits, s.WallNs+wall, s.RunningNs+running
	}
	for _, r := range tableRows[facts.Wait](t, dir, "waits") {
		add("waits "+r.Recording, r.WaitNs, r.Waits, 0, 0)
	}
	for _, r := range tableRows[facts.Interval](t, dir, "intervals") {
		add("intervals "+r.Recording, r.WaitNs, r.Waits, r.WallNs, r.RunningNs)
	}
	for _, r := range tableRows[facts.Lock](t, dir, "locks") {
		add("locks "+r.Recording, r.WaitNs, r.Waits, 0, 0)
	}
	lengths := map[string][]facts.Length{}
	for _, r := range tableRows[facts.Length](t, dir, "lengths") {
		lengths[r.Recording] = append(lengths[r.Recording], r)
	}
	all := tableRows[facts.Recording](t, dir, "recordings")
	if len(all) != len(names) {
		t.Fatalf("%d rows of %d recordings", len(all), len(names))
	}
	for i, r := range all {
		if r.Recording != names[i] || r.Error != "" {
			t.Errorf("row %d is %s (%s), want %s", i, r.Recording, r.Error, names[i])
			continue
		}
		var doc document.Analyze
		documentOf(t, &doc, "analyze", r.Recording)
		want := facts.Recording{
			WaitNs:    doc.Total.WaitNs,
			Waits:     doc.Total.Waits,
			WallNs:    doc.Total.WallNs,
			RunningNs: doc.Total.RunningNs,
		}
		add("recordings "+r.Recording, r.WaitNs, r.Waits, r.WallNs, r.RunningNs)
		for _, of := range []string{"waits", "intervals", "locks", "recordings"} {
			got := facts.Recording{}
			if s := sums[of+" "+r.Recording]; s != nil {
				got = *s
			}
			if of == "waits" || of == "locks" {
				got.WallNs, got.RunningNs = want.WallNs, want.RunningNs
			}
			if got.WaitNs != want.WaitNs || got.Waits != want.Waits || got.WallNs != want.WallNs ||
				got.RunningNs != want.RunningNs {
				t.Errorf(
					"%s: %s sum to %d ns in %d waits, %d on the clock, running %d; analyze says %d, %d, %d, %d",
					r.Recording,
					of,
					got.WaitNs,
					got.Waits,
					got.WallNs,
					got.RunningNs,
					want.WaitNs,
					want.Waits,
					want.WallNs,
					want.RunningNs,
				)
			}
		}
		if r.Unit == "ns" {
			checkPercentiles(t, r.Recording, lengths[r.Recording])
		}
	}
}

// documentOf decodes the document of a command.
func documentOf(t *testing.T, doc any, args ...string) {
	t.Helper()
	a := jsonOf(args...)
	if a.code != exitOK && a.code != exitDamaged {
		t.Fatalf("%q: exit %d", args, a.code)
	}
	unmarshal(t, string(a.text), doc)
}

func checkPercentiles(t *testing.T, name string, rows []facts.Length) {
	t.Helper()
	var doc document.Hist
	documentOf(t, &doc, "hist", "--by", "class", name)
	for bound, want := range map[string]*document.Lengths{"exact": doc.Total.Exact, "at_least": doc.Total.AtLeast,
		"at_most": doc.Total.AtMost} {
		sum := map[int64]int64{}
		total := int64(0)
		for _, r := range rows {
			if r.Bound == bound {
				sum[r.LeNs] += r.N
				total += r.N
			}
		}
		if want == nil {
			golden.AtMost(t, total, 0, name, "lengths", bound, "hist has none")
			continue
		}
		golden.Equal(t, total, want.Count, name, "lengths", bound)
		for q, ns := range map[int64]int64{50: want.P50Ns, 90: want.P90Ns, 99: want.P99Ns} {
			// The bucket that holds a length ends less than a thousandth above it.
			golden.Within(t, percentile(sum, total, q), ns, ns+ns/1000, name, bound)
		}
	}
}

// percentile is what the query of that name computes.
func percentile(n map[int64]int64, total, q int64) int64 {
	var les []int64
	for le := range n {
		les = append(les, le)
	}
	slices.Sort(les)
	below := int64(0)
	for _, le := range les {
		if below += n[le]; below*100 >= total*q {
			return le
		}
	}
	return 0
}

// rowsOf returns all rows of a folder as text, in order.
func rowsOf(t *testing.T, dir string) (rows []string) {
	t.Helper()
	add := func(row any) { rows = append(rows, fmt.Sprintf("%T%+v", row, row)) }
	for _, r := range tableRows[facts.Recording](t, dir, "recordings") {
		add(r)
	}
	for _, r := range tableRows[facts.Interval](t, dir, "intervals") {
		add(r)
	}
	for _, r := range tableRows[facts.Lock](t, dir, "locks") {
		add(r)
	}
	for _, r := range tableRows[facts.Length](t, dir, "lengths") {
		add(r)
	}
	for _, r := range tableRows[facts.Wait](t, dir, "waits") {
		add(r)
	}
	slices.Sort(rows)
	return rows
}

// One process, two and seven give the same rows; the same input gives the same
// bytes, however many are analysed at a time, and again when it is repeated.
func TestShardsAddUpToTheWhole(t *testing.T) {
	golden.ParallelUnlessShort(t)
	day := fleet(t, 23)
	whole := t.TempDir()
	if code, said := exportTo(t, day, "-o", whole); code != exitOK {
		t.Fatalf("exit %d: %s", code, said)
	}
	want := rowsOf(t, whole)
	for _, n := range []int{2, 7} {
		dir := t.TempDir()
		for i := range n {
			if code, said := exportTo(t, day, "-o", dir, "--shard", fmt.Sprintf("%d/%d", i, n)); code != exitOK {
				t.Fatalf("%d/%d: exit %d: %s", i, n, code, said)
			}
		}
		golden.Same(t, rowsOf(t, dir), want, n, "shards give", "rows, one process", len(want))
		files, _ := filepath.Glob(filepath.Join(dir, "waits", "*.parquet"))
		golden.AtLeast(t, len(files), 2, n, "shards write", "files")
		if n == 2 {
			before := bytesOf(t, dir)
			for i := range n {
				exportTo(t, day, "-o", dir, "--jobs", "3", "--shard", fmt.Sprintf("%d/%d", i, n))
			}
			golden.Equal(t, bytesOf(t, dir), before, "repeated, the files are others")
		}
	}
}

// fleet writes recordings of a few seconds, as many hosts would.
func fleet(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		name := filepath.Join(dir, "service=shop", fmt.Sprintf("host=h%d", i%5), fmt.Sprintf("%04d.bin", i))
		golden.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		var msg bytes.Buffer
		if code := Main([]string{"simulate", "--duration", "300ms", "--threads", "4", "--seed", fmt.Sprint(i),
			"--exact", "-o", name}, nil, &msg, &msg); code != exitOK {
			t.Fatal(msg.String())
		}
	}
	return dir
}

// bytesOf returns all files of a folder, with their names.
func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", strings.TrimPrefix(path, dir), data)
		return err
	})
	golden.OK(t, err)
	return b.String()
}
