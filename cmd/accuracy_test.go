package cmd

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
)

// accuracyTable holds the distances of testdata's recordings from the logs of their
// programs; 'go test ./cmd -run TestAccuracy -update' writes it.
const accuracyTable = "../testdata/ACCURACY.md"

const accuracyHead = `# How far contend is from programs that logged their own locks

Written by ` + "`go test ./cmd -run TestAccuracy -update`" + `; the test holds every number to it.
An agent logged each acquisition and release of the programs in real/, the others log themselves.
Judged are locks with 200 waits and 0.2 s of waiting, 30 waits of 10 ms with the JDK's profile settings.

- all: total variation distance between contend's and the log's shares of the waiting, by acquisition
  site, with hand-off and unknown as sites of their own; 0 is right, 1 is all wrong
- named: the same among named sites alone
- first right: locks whose largest site is the log's largest
- overclaimed: how much more of the waiting is said to be right than ` + "`all`" + ` allows

| recording | locks | all | named | first right | overclaimed |
| --- | --- | --- | --- | --- | --- |
`

// accuracy sums how far answers about locks are from the log.
type accuracy struct {
	locks, first     int
	all, named, over float64
}

func (a *accuracy) add(b accuracy) {
	a.locks, a.first, a.all, a.named, a.over = a.locks+b.locks, a.first+b.first, a.all+b.all, a.named+b.named, a.over+b.over
}

// row renders means.
func (a accuracy) row(name string) string {
	n := float64(a.locks)
	return fmt.Sprintf("| %s | %d | %.2f | %.2f | %d | %.2f |", name, a.locks, a.all/n, a.named/n, a.first, a.over/n)
}

// TestAccuracy holds the owners that contend infers to what the programs logged.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	truths, _ := filepath.Glob("../testdata/real/*.truth.json")
	own, _ := filepath.Glob("../testdata/[lt][ar][bu]*.truth.json") // lab-*, truth-*
	if len(truths) < 12 || len(own) < 6 {
		t.Fatalf("%d and %d logs in testdata", len(truths), len(own))
	}
	var text strings.Builder
	text.WriteString(accuracyHead)
	kinds := map[string]*accuracy{}
	for _, path := range append(truths, own...) {
		name := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, "../testdata/")), ".truth.json")
		a, judged := accuracyOf(t, path)
		if !judged {
			continue
		}
		text.WriteString(a.row(name) + "\n")
		if kind := name[strings.LastIndexByte(name, '-')+1:]; strings.HasPrefix(name, "real/") {
			if kinds[kind] == nil {
				kinds[kind] = &accuracy{}
			}
			kinds[kind].add(a)
		}
	}
	for _, kind := range []string{"all", "profile", "record"} {
		text.WriteString(kinds[kind].row("mean of real/, "+kind) + "\n")
		holdMean(t, kind, kinds[kind])
	}
	if golden.Update() {
		golden.OK(t, os.WriteFile(accuracyTable, []byte(text.String()), 0o644))
		return
	}
	holdTable(t, text.String())
}

// holdMean bounds the mean distance of a kind of real recordings.
func holdMean(t *testing.T, kind string, a *accuracy) {
	t.Helper()
	most := map[string]accuracy{
		"all":     {all: .15, over: .04},
		"profile": {all: .35, over: .11},
		"record":  {all: .25, over: .05},
	}[kind]
	if n := float64(a.locks); a.all/n > most.all || a.over/n > most.over {
		t.Errorf("real recordings, %s: %s; want at most %.2f, overclaimed %.2f", kind, a.row("mean"), most.all, most.over)
	}
}

// accuracySlack is how far a number may be from the table's: processors that round
// differently divide a few gaps differently.
const accuracySlack = .02

// holdTable compares with the table row by row.
func holdTable(t *testing.T, got string) {
	t.Helper()
	text := golden.Must(os.ReadFile(accuracyTable))(t)
	want := numbersOf(string(text))
	rows := numbersOf(got)
	if len(rows) != len(want) {
		t.Errorf("%d recordings, %d in %s", len(rows), len(want), accuracyTable)
	}
	for name, r := range rows {
		w, ok := want[name]
		far := !ok || slices.ContainsFunc([]int{0, 1, 2, 4}, func(i int) bool { return math.Abs(r[i]-w[i]) > accuracySlack })
		if far || math.Abs(r[3]-w[3]) > 1 {
			t.Errorf("%s: %v, the table says %v; if that is right, write it with -update", name, r, w)
		}
	}
}

// numbersOf reads the numbers of a table back: locks, all, named, first right, overclaimed.
func numbersOf(text string) map[string][5]float64 {
	rows := map[string][5]float64{}
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		cells := strings.Split(strings.Trim(s.Text(), "| "), " | ")
		var r [5]float64
		if len(cells) != 6 {
			continue
		}
		if n, _ := fmt.Sscan(strings.Join(cells[1:], " "), &r[0], &r[1], &r[2], &r[3], &r[4]); n == 5 {
			rows[cells[0]] = r
		}
	}
	return rows
}

// accuracyOf compares one recording with its log; judged is false where no lock has
// enough waits.
func accuracyOf(t *testing.T, path string) (a accuracy, judged bool) {
	t.Helper()
	var truth struct{ Locks []logged }
	readTruth(t, path, &truth)
	least := 200.
	if strings.Contains(path, "profile") {
		least = 30
	}
	locks := slices.DeleteFunc(truth.Locks, func(l logged) bool { return l.Waits < least || l.WaitNs < 2e8 })
	if len(locks) == 0 {
		return a, false
	}
	recordings, _ := filepath.Glob(strings.TrimSuffix(path, "truth.json") + "*r*")
	recordings = slices.DeleteFunc(recordings, func(r string) bool { return r == path })
	if len(recordings) != 1 {
		t.Fatalf("%s: recordings %v", path, recordings)
	}
	blame := ask[owned](t, "blame", "--by", "class,owner-stack", recordings[0])
	for i := range locks {
		a.add(locks[i].compare(blame))
	}
	return a, true
}
