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
	"contend/report/document"
)

// accuracyTable holds the distances of testdata's recordings from the logs of their
// programs; 'go test ./cmd -run TestAccuracy -update' writes it.
const accuracyTable = "../testdata/ACCURACY.md"

const accuracyHead = `# How far contend is from programs that logged their own locks

Written by ` + "`go test ./cmd -run TestAccuracy -update`" + `; the test holds every number to it.
An agent logged each acquisition and release of the programs in real/, the others log their own.
It covers locks with at least 200 waits and 0.2 s of waiting (30 waits of 10 ms with the JDK's profile settings).

- all: total variation distance between contend's and the log's shares of the waiting, by acquisition
  site, with hand-off and unknown as sites of their own; 0 is right, 1 is all wrong
- named: the same without hand-off and unknown
- first right: locks whose largest site is the log's largest
- overclaimed: the share of the waiting expected to be right, above 1 - ` + "`all`" + `

| recording | locks | all | named | first right | overclaimed |
| --- | --- | --- | --- | --- | --- |
`

// accuracy sums how far answers about locks are from the log.
type accuracy struct {
	locks, first     int
	all, named, over float64
}

func (a *accuracy) merge(b accuracy) {
	a.locks, a.first, a.all, a.named, a.over = a.locks+b.locks, a.first+b.first, a.all+b.all, a.named+
		b.named, a.over+b.over
}

// row renders means.
func (a accuracy) row(name string) string {
	n := float64(a.locks)
	return fmt.Sprintf("| %s | %d | %.2f | %.2f | %d | %.2f |", name, a.locks, a.all/n, a.named/n, a.first, a.over/n)
}

// TestAccuracy holds the owners that contend infers to what the programs logged.
func TestAccuracy(t *testing.T) {
	golden.ParallelUnlessShort(t)
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
			kinds[kind].merge(a)
		}
	}
	for _, kind := range []string{"all", "profile", "record"} {
		text.WriteString(kinds[kind].row("mean of real/, "+kind) + "\n")
		holdMean(t, kind, kinds[kind])
	}
	text.WriteString(threadsHead)
	threadRows(t, &text)
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
		"all":     {all: .10, over: .02},
		"profile": {all: .22, over: .04},
		"record":  {all: .23, over: .02},
	}[kind]
	if n := float64(a.locks); a.all/n > most.all || a.over/n > most.over {
		t.Errorf(
			"real recordings, %s: %s; want at most %.2f, overclaimed %.2f",
			kind,
			a.row("mean"),
			most.all,
			most.over,
		)
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
	golden.Equal(t, len(rows), len(want), "in", accuracyTable)
	for name, r := range rows {
		w, ok := want[name]
		far := !ok ||
			slices.ContainsFunc([]int{0, 1, 2, 4}, func(i int) bool { return math.Abs(r[i]-w[i]) > accuracySlack })
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
		a.merge(locks[i].compare(blame))
	}
	return a, true
}

// logged is what a program logged of one class of locks.
type logged struct {
	Class     string
	Waits     float64
	WaitNs    float64
	HandoffNs float64
	BlockedBy map[string]float64 // ns of waiting by acquisition site or operation: Method or Class.Method
	Sites     []string           // all that take the lock; nil: those of BlockedBy
}

// owned is blame by class and owner-stack.
type owned struct {
	Rows []struct {
		Keys     []string
		Stack    document.Stack
		ThreadNs float64
		RightNs  float64 `json:"expectedRightNs"`
	}
}

// ownerSums are what contend says of a class of locks, in ns of waiting.
type ownerSums struct {
	by                             map[string]float64
	total, unknown, handoff, right float64
}

// answer sums blame by the sites of the log.
func (l *logged) answer(b *owned) ownerSums {
	a := ownerSums{by: map[string]float64{}}
	for _, r := range b.Rows {
		if r.Keys[0] != l.Class {
			continue
		}
		a.total += r.ThreadNs
		a.right += r.RightNs
		switch site := l.site(r.Stack); {
		case r.Keys[1] == "[handoff]":
			a.handoff += r.ThreadNs
		case site != "":
			a.by[site] += r.ThreadNs
		default:
			a.unknown += r.ThreadNs
		}
	}
	return a
}

// site returns the innermost frame that takes the lock by the log, "" for none.
func (l *logged) site(s document.Stack) string {
	for _, f := range s {
		for _, name := range []string{f.Class + "." + f.Method, f.Method} {
			if _, ok := l.BlockedBy[name]; ok || slices.Contains(l.Sites, name) {
				return name
			}
		}
	}
	return ""
}

// compare judges the answer for one class of locks.
func (l *logged) compare(b *owned) accuracy {
	a := l.answer(b)
	got, want := with(a.by, a.handoff, a.unknown), with(l.BlockedBy, l.HandoffNs, 0)
	r := accuracy{locks: 1, named: pairDistance(a.by, l.BlockedBy), all: pairDistance(got, want)}
	r.over = max(0, a.right/max(1, a.total)-(1-r.all))
	if first(a.by) == first(l.BlockedBy) {
		r.first = 1
	}
	return r
}

// with returns a distribution with hand-off and unknown as sites of their own.
func with(by map[string]float64, handoff, unknown float64) map[string]float64 {
	all := map[string]float64{"[handoff]": handoff, "[unknown]": unknown}
	for k, v := range by {
		all[k] = v
	}
	return all
}

// first returns the largest.
func first(by map[string]float64) (name string) {
	for k, v := range by {
		if v > by[name] {
			name = k
		}
	}
	return name
}

// pairDistance is the total variation distance of two distributions, 1 where one
// of them is empty.
func pairDistance(a, b map[string]float64) (d float64) {
	ta, tb := sum(a), sum(b)
	if ta == 0 || tb == 0 {
		return math.Min(1, ta+tb)
	}
	for k, v := range a {
		d += math.Abs(v/ta-b[k]/tb) / 2
	}
	for k, v := range b {
		if _, both := a[k]; !both {
			d += v / tb / 2
		}
	}
	return d
}

func sum(m map[string]float64) (total float64) {
	for _, v := range m {
		total += v
	}
	return total
}
