package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const threadsHead = `
## Thread by thread

Programs with 2 to 40 locks of one class, each with owners of its own. Distances are those of shares of the waiting
by waiter and owner thread (threads), and by these and the acquisition site (both), with hand-off and unknown as owners
of their own; previous: by threads, if each wait is charged to the previous owner that is recorded with it, as other
tools show it.

| recording | locks | threads | both | previous | overclaimed |
| --- | --- | --- | --- | --- | --- |
`

// threadAccuracy sums how far owner threads are from the log. previous is negative where none are recorded.
type threadAccuracy struct {
	n                             int
	threads, both, previous, over float64
}

// whoLogged is what a program logged of a class of locks, by waiter thread, owner thread and site.
type whoLogged struct {
	Class     string
	Instances int
	Waits     float64
	Sites     []string
	Who       map[string]float64 // by these three, with tabs between them
}

// threadRows judges the recordings of testdata/many, and adds their rows to the table.
func threadRows(t *testing.T, text *strings.Builder) {
	t.Helper()
	truths, _ := filepath.Glob("../testdata/many/*.truth.json")
	if len(truths) < 12 {
		t.Fatalf("%d logs in testdata/many", len(truths))
	}
	means := map[string]*threadAccuracy{}
	for _, path := range truths {
		name := strings.TrimSuffix(filepath.Base(path), ".truth.json")
		a, locks := threadsOf(t, path)
		fmt.Fprintf(text, "| many/%s | %d | %s |\n", name, locks, a.cells())
		kind := name[strings.LastIndexByte(name, '-')+1:]
		if means[kind] == nil {
			means[kind] = &threadAccuracy{}
		}
		m := means[kind]
		m.n++
		m.threads, m.both, m.previous, m.over = m.threads+a.threads, m.both+a.both, m.previous+a.previous, m.over+a.over
		if a.previous >= 0 && a.threads > a.previous+accuracySlack {
			t.Errorf("%s: %.2f by threads, previous owners alone %.2f", name, a.threads, a.previous)
		}
	}
	for _, kind := range []string{"all", "profile", "record"} {
		m := means[kind]
		n := float64(m.n)
		mean := threadAccuracy{1, m.threads / n, m.both / n, m.previous / n, m.over / n}
		fmt.Fprintf(text, "| mean of many/, %s | %d | %s |\n", kind, m.n, mean.cells())
	}
}

func (a *threadAccuracy) cells() string {
	previous := "–"
	if a.previous >= 0 {
		previous = fmt.Sprintf("%.2f", a.previous)
	}
	return fmt.Sprintf("%.2f | %.2f | %s | %.2f", a.threads, a.both, previous, a.over)
}

// threadsOf judges one recording.
func threadsOf(t *testing.T, path string) (a threadAccuracy, locks int) {
	t.Helper()
	var truth struct{ Locks []whoLogged }
	readTruth(t, path, &truth)
	if len(truth.Locks) != 1 {
		t.Fatalf("%s: %d classes of locks", path, len(truth.Locks))
	}
	l := &truth.Locks[0]
	base := strings.TrimSuffix(path, ".truth.json")
	recordings, _ := filepath.Glob(base + ".*.gz")
	if len(recordings) != 1 {
		t.Fatalf("%s: recordings %v", path, recordings)
	}
	blame := ask[owned](t, "blame", "--by", "class,waiter-thread,owner-thread,owner-stack", recordings[0])
	both, total, right := map[string]float64{}, 0.0, 0.0
	sites := logged{Sites: l.Sites}
	for _, r := range blame.Rows {
		if r.Keys[0] != l.Class {
			continue
		}
		site := "[unknown]"
		if r.Keys[2] == "[handoff]" {
			site = r.Keys[2]
		} else if s := sites.site(r.Stack); s != "" {
			site = s
		}
		both[strings.Join([]string{r.Keys[1], r.Keys[2], site}, "\t")] += r.ThreadNs
		total += r.ThreadNs
		right += r.RightNs
	}
	a = threadAccuracy{
		n:        1,
		threads:  pairDistance(byThreads(both), byThreads(l.Who)),
		both:     pairDistance(both, l.Who),
		previous: -1,
	}
	a.over = max(0, right/max(1, total)-(1-a.both))
	if alone := previousOwners(t, recordings[0], l.Class); len(alone) > 0 {
		a.previous = pairDistance(alone, byThreads(l.Who))
	}
	return a, l.Instances
}

// byThreads leaves out the site.
func byThreads(both map[string]float64) map[string]float64 {
	by := map[string]float64{}
	for key, ns := range both {
		by[key[:strings.LastIndexByte(key, '\t')]] += ns
	}
	return by
}

// previousOwners charges each wait for locks of a class to the previous owner that is recorded with it.
func previousOwners(t *testing.T, path, class string) map[string]float64 {
	t.Helper()
	names, ofClass, by := map[format.ThreadID]string{}, map[format.ObjectID]bool{}, map[string]float64{}
	var waits []format.Event
	eachEvent(t, path, func(ev *format.Event) {
		switch ev.Kind {
		case format.KindThread:
			names[ev.Thread] = ev.Name
		case format.KindObject:
			ofClass[ev.Object] = ev.Class == class
		case format.KindWait:
			waits = append(waits, *ev)
		}
	})
	for i := range waits {
		if w := &waits[i]; ofClass[w.Object] && w.Owner != format.NoThread {
			by[names[w.Thread]+"\t"+names[w.Owner]] += float64(w.End - w.Time)
		}
	}
	if golden.IsThorough() && strings.Contains(path, "-all.") && len(by) == 0 {
		t.Errorf("%s: no previous owners", path)
	}
	return by
}
