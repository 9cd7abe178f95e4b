package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// cycles returns the members of each deadlock, in order of names.
func cycles(a *document.Analyze) (list [][]string) {
	for _, d := range a.Deadlocks {
		var names []string
		for _, m := range d.Cycle {
			names = append(names, m.Thread)
		}
		slices.Sort(names)
		list = append(list, names)
	}
	slices.SortFunc(list, func(a, b []string) int { return slices.Compare(a, b) })
	return list
}

// dumpTruth is what an independent script counted in a dump.
type dumpTruth struct {
	Cycles [][]string `json:"wait_for_cycles"`
	Locks  []struct {
		Class   string   `json:"lock_class"`
		Address string   `json:"lock"`
		Kind    string   `json:"kind"`
		Waiters []string `json:"waiters"`
	} `json:"locks"`
}

func TestPublicDumps(t *testing.T) {
	paths, _ := filepath.Glob("../../shared/fixtures/public/threaddump/*.truth.json")
	if len(paths) == 0 {
		t.Skip("the public thread dumps are not here")
	}
	for _, path := range paths {
		var want dumpTruth
		readTruth(t, path, &want)
		slices.SortFunc(want.Cycles, func(a, b []string) int { return slices.Compare(a, b) })
		a := ask[document.Analyze](t, "analyze", strings.TrimSuffix(path, ".truth.json")+".txt")
		if got := cycles(a); !slices.EqualFunc(got, want.Cycles, slices.Equal) {
			t.Errorf("%s: cycles %v, want %v", path, got, want.Cycles)
		}
		for _, l := range want.Locks {
			address := strings.TrimLeft(strings.TrimPrefix(l.Address, "0x"), "0")
			i := slices.IndexFunc(a.Locks, func(x document.Lock) bool { return x.Lock == l.Class+"@"+address })
			if l.Kind == "monitor_enter" && (i < 0 || a.Locks[i].Waiters != len(l.Waiters)) {
				t.Errorf("%s: %s: waiters %v are not reported", path, l.Class, l.Waiters)
			}
			if l.Kind == "object_wait" && i >= 0 {
				t.Errorf("%s: %s: a thread that waits to be notified is no contention", path, l.Class)
			}
		}
	}
}

// Eight dumps are few, but they name the operations that hold the locks.
func TestASeriesNamesTheOwnersOperations(t *testing.T) {
	const path = "../testdata/truth-series-8dumps-jdk17.txt"
	l := logged{Class: "Truth$InventoryLock", Sites: []string{"exportReport", "checkout", "refund", "nestedTransfer"}}
	o := l.answer(ask[owned](t, "blame", "--by", "class,owner-stack", path))
	golden.Equal(t, len(o.by), len(l.Sites))
	golden.Equal(t, o.unknown, 0)
	a := ask[document.Analyze](t, "analyze", path)
	golden.Within(t, a.Trace.DurationNs, 2e9, 3e9)
	golden.Equal(t, len(a.Deadlocks), 0)
}

// What the JVM itself found is found, however the dump was taken: without -l
// nothing but its report names the owners of java.util.concurrent locks.
func TestDeadlocksOfEveryDialect(t *testing.T) {
	clerks, tellers := []string{"clerk-1", "clerk-2"}, []string{"teller-1", "teller-2"}
	for name, want := range map[string][][]string{
		"jstack17.txt":            {clerks, tellers},
		"jhsdb17.txt":             {clerks, tellers},
		"jhsdb17-mixed.txt":       {clerks, tellers},
		"deadlock-report17.txt":   {clerks, tellers},
		"deadlock-report-cut.txt": {clerks},
		"springboot.txt":          {clerks, tellers},
		"springboot.json":         {clerks, tellers},
		"springboot1.json":        {clerks, tellers},
		"intellij.txt":            {clerks},
		"android-art.txt":         {{"main", "worker-2"}},
		"android-dalvik.txt":      nil,
		"jenkins.txt":             nil,
		// of monitors and of java.util.concurrent
		"hotspot17-mixed-cycle.txt": {{"holds-R", "holds-S", "holds-monitor"}},
	} {
		path := dialect(t, name)
		if got := cycles(ask[document.Analyze](t, "analyze", path)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: cycles %v, want %v", name, got, want)
		}
		var out, msg bytes.Buffer
		code := Main([]string{"check", "--rule", "no deadlock", path}, nil, &out, &msg)
		if code == exitOK && want != nil || code != exitOK && code != exitRules || code == exitRules && want == nil {
			t.Errorf("%s: check exits with %d: %s%s", name, code, out.String(), msg.String())
		}
	}
}

// dialect writes the dump of a case of decode/threaddump to a file.
func dialect(t *testing.T, name string) string {
	t.Helper()
	text := golden.Must(os.ReadFile("../decode/threaddump/testdata/dialects/" + name))(t)
	_, dump, _ := bytes.Cut(text, []byte("-- dump --\n"))
	path := filepath.Join(t.TempDir(), name)
	golden.OK(t, os.WriteFile(path, dump, 0o600))
	return path
}
