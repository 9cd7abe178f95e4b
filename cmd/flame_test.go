package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"contend/blame/stacks"
	"contend/golden"
	"contend/report/document"
	"contend/report/pprof"

	"github.com/google/pprof/profile"
)

// flameOf writes a flame graph and returns its path.
func flameOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if code := Main(append([]string{"flame", "-o", path}, args...), nil, os.Stdout, os.Stderr); code != exitOK {
		t.Fatalf("flame %v: exit %d", args, code)
	}
	return path
}

// flamesSum: each view as each file holds all waiting, over the files.
func flamesSum(t *testing.T, i int) law {
	l, views := law{name: "Flame graphs"}, []stacks.View{stacks.Blame, stacks.Blocked, stacks.Chain}
	for _, view := range views {
		b := stacks.New(view, nil)
		b.Shown = true
		l.wants = append(l.wants, b)
	}
	l.holds = func(t *testing.T, p *shared) {
		draw := func(j int, name string) (path string) {
			o := flameOptions{
				view: choice{written: written{text: stacks.Views[views[j]]}, words: stacks.Views[:], at: int(views[j])},
				out:  outputOptions{file: filepath.Join(t.TempDir(), name), forms: flameOutputs},
			}
			golden.OK(t, cmp.Or(o.form(), o.write(&env{msg: io.Discard}, l.wants[j].(*stacks.Builder), nil, p.result)))
			return o.out.file
		}
		wellFormed(t, draw(i%3, "f.svg"))
		for j, view := range views {
			f := flames[(i+j)%3]
			golden.Equal(t, f.sum(t, draw(j, f.name)), p.want.Total.WaitNs, stacks.Views[view], "as", f.name)
		}
	}
	return l
}

// flames are the files a flame graph is written to that hold the waiting to the
// nanosecond, and how to sum it.
var flames = []struct {
	name string
	sum  func(t *testing.T, path string) int64
}{
	{"f.folded", foldedSum}, {"f.json", speedscopeSum},
	{"f.html", func(t *testing.T, path string) int64 { return pageTree(t, path).Value }},
}

func speedscopeSum(t *testing.T, path string) (sum int64) {
	t.Helper()
	text := golden.Must(os.ReadFile(path))(t)
	var doc struct{ Profiles []struct{ Weights []int64 } }
	unmarshal(t, string(text), &doc)
	for _, w := range doc.Profiles[0].Weights {
		sum += w
	}
	return sum
}

func foldedSum(t *testing.T, path string) (sum int64) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0 // nothing waited: no first byte, no file
	}
	golden.OK(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		sum += golden.Must(strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64))(t)
	}
	return sum
}

// treeNode is what a page draws.
type treeNode struct {
	Name     string
	Value    int64
	Base     int64
	Role     string
	Children []*treeNode
}

func pageTree(t *testing.T, path string) *treeNode {
	t.Helper()
	text := golden.Must(os.ReadFile(path))(t)
	_, rest, found := strings.Cut(string(text), `id="data">`)
	data, _, closed := strings.Cut(rest, "</script>")
	var doc struct{ Tree *treeNode }
	if !found || !closed || json.Unmarshal([]byte(data), &doc) != nil {
		t.Fatalf("%s holds no tree", path)
	}
	var check func(n *treeNode)
	check = func(n *treeNode) {
		sum := int64(0)
		for _, c := range n.Children {
			sum += c.Value
			check(c)
		}
		golden.AtMost(t, sum, n.Value, n.Name, "children of")
	}
	check(doc.Tree)
	return doc.Tree
}

func wellFormed(t *testing.T, path string) {
	t.Helper()
	f := golden.Must(os.Open(path))(t)
	defer f.Close()
	for dec := xml.NewDecoder(f); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// A trace compared with itself shows no change; what is only in the base is
// there with no width.
func TestDifferences(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const a, b = "../testdata/truth-8threads.jfr", "../testdata/xalan-8threads.jfr"
	same := pageTree(t, flameOf(t, "d.html", "--diff", a, a))
	var check func(n *treeNode)
	check = func(n *treeNode) {
		golden.Equal(t, n.Base, n.Value, n.Name, "before")
		for _, c := range n.Children {
			check(c)
		}
	}
	check(same)
	other := pageTree(t, flameOf(t, "d.html", "--diff", b, a))
	golden.Equal(t, other.Base, ask[document.Analyze](t, "analyze", b).Total.WaitNs)
	golden.Equal(t, other.Value, same.Value)
	newer := pageTree(
		t,
		flameOf(t, "d.html", "--diff", a, "../testdata/truth-8threads-jdk25.jfr"),
	) // whose threads run through one method more
	held := slices.DeleteFunc(
		slices.Clone(newer.Children),
		func(n *treeNode) bool { return strings.HasPrefix(n.Name, "[") },
	)
	for at, found := held, ""; !strings.HasSuffix(found, "exportReport"); {
		if len(at) == 0 || at[0].Base == 0 || at[0].Value == 0 {
			t.Fatalf("below %q the other JDK's stacks are others: %+v", found, at)
		}
		found, at = at[0].Name, at[0].Children
	}
}

// exported writes a view of a recording as a profile.
func exported(t *testing.T, path, view string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), view+".pb.gz")
	if code := Main([]string{"pprof", "--view", view, path, "-o", out}, nil, os.Stdout, os.Stderr); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	return out
}

// pprofPath is where go tool pprof is: go takes longer to find it than it runs.
var pprofPath = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

// tool runs go tool pprof.
func tool(t *testing.T, args ...string) string {
	t.Helper()
	path := golden.Must(pprofPath())(t)
	out, err := exec.Command(path, append([]string{"-symbolize=none"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("go tool pprof %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// profilesSum: the values of a profile are all waiting there is. And none says that taking a
// lock, or giving it back, is the cause of waiting for it.
func profilesSum(t *testing.T) law {
	l, views := law{name: "Profiles"}, []stacks.View{stacks.Blame, stacks.Blocked, stacks.Chain, stacks.Site}
	for _, view := range views {
		l.wants = append(l.wants, stacks.New(view, nil))
	}
	l.holds = func(t *testing.T, p *shared) {
		for j, view := range views {
			var out bytes.Buffer
			golden.OK(
				t,
				pprof.Write(&out, document.NewProfile(l.wants[j].(*stacks.Builder)), p.stats.Unit, pprof.AllLabels),
			)
			made := golden.Must(profile.Parse(&out))(t)
			got := map[string]int64{}
			for _, s := range made.Sample {
				for i, v := range made.SampleType {
					got[v.Type] += s.Value[i]
				}
				leaf := s.Location[0].Line[0].Function.Name
				if owners := view == stacks.Site || view == stacks.Blame; owners && len(s.Location) > 1 &&
					(strings.HasSuffix(leaf, "Unsafe.park") || strings.HasPrefix(leaf, "sync.") ||
						strings.Contains(leaf, "concurrent.locks.")) {
					t.Errorf("%s: %s", stacks.Views[view], leaf)
				}
			}
			if counts := len(got) == 1 && got["threads"] == p.want.Total.WaitNs; !counts &&
				(got["contentions"] != p.want.Total.Waits || got["delay"] != p.want.Total.WaitNs) {
				t.Errorf("%s: %v, want %+v", stacks.Views[view], got, p.want.Total)
			}
		}
	}
	return l
}

var totalLine = regexp.MustCompile(`% of (\d+)ns total`)

func TestGoToolPprofReadsProfiles(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const path = "../testdata/truth-8threads-dumps50ms.jfr"
	want := analyzed(t, path).Total.WaitNs
	for view, first := range map[string]string{"blame": "Truth.exportReport", "blocked": "Truth.checkout"} {
		out := exported(t, path, view)
		top := tool(t, "-top", "-cum", "-unit=ns", "-nodecount=50", out)
		if m := totalLine.FindStringSubmatch(top); m == nil || m[1] != fmt.Sprint(want) {
			t.Errorf("%s: total is not %d:\n%.300s", view, want, top)
		}
		// Below what every thread runs through.
		for _, line := range strings.Split(top, "\n") {
			if f := strings.Fields(line); len(f) == 6 && strings.HasPrefix(f[5], "Truth.") &&
				!strings.HasPrefix(f[5], "Truth.lambda") &&
				!strings.HasPrefix(f[5], "Truth.sleep") {
				golden.Equal(t, f[5], first, view)
				break
			}
		}
		tags := tool(t, "-tags", out)
		golden.Holds(
			golden.Labelled(t, view),
			tags,
			"lock:",
			"class:",
			"owner_thread:",
			"owner_group:",
			"waiter_thread:",
			"waiter_group:",
			"waiter_method:",
			"provenance:",
		)
		golden.Holds(golden.Labelled(t, view), tool(t, "-peek", "exportReport", out), "Truth.exportReport")
		focused := tool(t, "-top", "-unit=ns", "-tagfocus", "class=Ledger", out)
		golden.Holds(golden.Labelled(t, view), focused, "Truth.nestedTransfer")
		if diff := tool(t, "-top", "-diff_base", out, out); !strings.Contains(diff, "0, 0% of") &&
			!strings.Contains(diff, "Showing nodes accounting for 0") {
			t.Errorf("%s against itself: %s", view, diff)
		}
	}
	chain := tool(t, "-top", "-cum", "-unit=ns", exported(t, path, "chain"))
	golden.Holds(t, chain, "lock Truth$InventoryLock at Truth.exportReport:17")
}

// A store of profiles must not make a series of every thread and address: with
// fewer labels the sums are the same, and nothing differs from run to run.
func TestLabelsThatAStoreCanKeep(t *testing.T) {
	golden.SkipIfShort(t)
	address := regexp.MustCompile(`0x[0-9a-f]{4}|@[0-9a-f]{4}`)
	for _, view := range []string{"site", "chain"} {
		path := "../testdata/lab-convoy-jdk25-d1s.jfr"
		all := profileOf(t, exported(t, path, view))
		for labels, most := range map[string]int{"stable": 7, "none": 0} {
			out := filepath.Join(t.TempDir(), "p.pb.gz")
			if code := Main([]string{"pprof", "--view", view, "--labels", labels, path, "-o", out}, nil, os.Stdout,
				os.Stderr); code != exitOK {
				t.Fatalf("exit %d", code)
			}
			p := profileOf(t, out)
			var was, is int64
			for _, s := range all.Sample {
				was += s.Value[1]
			}
			for _, s := range p.Sample {
				is += s.Value[1]
				if len(s.Label) > most || s.Label["owner_thread"] != nil || s.Label["lock"] != nil {
					t.Errorf("%s, %s: labels %v", view, labels, s.Label)
				}
				if most > 0 && (s.Label["class"] == nil || s.Label["owner_group"] == nil) {
					t.Errorf("%s, %s: labels %v", view, labels, s.Label)
				}
				for name, values := range s.Label {
					if address.MatchString(values[0]) {
						t.Errorf("%s is %s", name, values[0])
					}
				}
			}
			if was != is || len(p.Sample) >= len(all.Sample) {
				t.Errorf(
					"%s, %s: %d ns in %d samples, with all labels %d in %d",
					view,
					labels,
					is,
					len(p.Sample),
					was,
					len(all.Sample),
				)
			}
			for _, f := range p.Function {
				if address.MatchString(f.Name) {
					t.Errorf("a frame is called %s", f.Name)
				}
			}
		}
	}
	golden.Equal(t, Main([]string{"pprof", "--labels", "some", "x"}, nil, os.Stdout, os.Stderr), exitUsage)
}
