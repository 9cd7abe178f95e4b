package cmd

import (
	"bufio"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/blame/stacks"
	"contend/golden"
	"contend/report/document"
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
	l, views := law{name: "Flame graphs"}, []viewOption{{"blame"}, {"blocked"}, {"chain"}}
	for _, v := range views {
		view := golden.Must(v.get())(t)
		b := stacks.New(view, nil)
		b.Shown = true
		l.wants = append(l.wants, b)
	}
	l.holds = func(t *testing.T, p *pass) {
		draw := func(j int, name string) (path string) {
			o := flameOptions{view: views[j], out: outputOptions{file: filepath.Join(t.TempDir(), name), forms: flameOutputs}}
			golden.OK(t, cmp.Or(o.form(), o.write(&env{msg: io.Discard}, l.wants[j].(*stacks.Builder), nil, p.result)))
			return o.out.file
		}
		wellFormed(t, draw(i%3, "f.svg"))
		for j, view := range views {
			f := flames[(i+j)%3]
			if got := f.sum(t, draw(j, f.name)); got != p.want.Total.WaitNs {
				t.Errorf("%s as %s: %d ns, want %d", view.name, f.name, got, p.want.Total.WaitNs)
			}
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
		n := golden.Must(strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64))(t)
		sum += n
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
		if sum > n.Value {
			t.Errorf("%s: children of %d ns in %d", n.Name, sum, n.Value)
		}
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
	t.Parallel()
	golden.Unhurried(t)
	const a, b = "../testdata/truth-8threads.jfr", "../testdata/xalan-8threads.jfr"
	same := pageTree(t, flameOf(t, "d.html", "--diff", a, a))
	var check func(n *treeNode)
	check = func(n *treeNode) {
		if n.Base != n.Value {
			t.Errorf("%s: %d ns, before %d", n.Name, n.Value, n.Base)
		}
		for _, c := range n.Children {
			check(c)
		}
	}
	check(same)
	other := pageTree(t, flameOf(t, "d.html", "--diff", b, a))
	if other.Base != ask[document.Analyze](t, "analyze", b).Total.WaitNs || other.Value != same.Value {
		t.Errorf("%d ns, before %d", other.Value, other.Base)
	}
	newer := pageTree(t, flameOf(t, "d.html", "--diff", a, "../testdata/truth-8threads-jdk25.jfr")) // whose threads run through one method more
	held := slices.DeleteFunc(slices.Clone(newer.Children), func(n *treeNode) bool { return strings.HasPrefix(n.Name, "[") })
	for at, found := held, ""; !strings.HasSuffix(found, "exportReport"); {
		if len(at) == 0 || at[0].Base == 0 || at[0].Value == 0 {
			t.Fatalf("below %q the other JDK's stacks are others: %+v", found, at)
		}
		found, at = at[0].Name, at[0].Children
	}
}
