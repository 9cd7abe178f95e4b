package flame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// Caption is what stands over a graph.
type Caption struct {
	Title, Summary string
	Of             string // what the weights count, as "threads seen waiting"; "" where they are nanoseconds
	Width          string // what widths are, of a trace that measures time
}

// amount writes a weight.
func (c *Caption) amount(n int64) string {
	if c.Of != "" {
		return fmt.Sprintf("%d %s", n, c.Of)
	}
	return text.Seconds(n)
}

// node is one frame with everything outside of it in common.
type node struct {
	name     string
	role     string // "" of the root
	ns       int64
	wallNs   int64
	known    analysis.Known
	base     int64 // the same node's ns in the trace compared with
	children []*node
	index    map[[2]string]*node // by role and name
}

// nobody is the role of a frame that stands for no thread's: a pseudo owner.
const nobody = "nobody"

// roles are those of frames, in the order of legends, with their meanings.
var roles = []struct{ name, means string }{
	{"waiter", "waiter"},
	{"lock", "lock"},
	{"owner", "owner"},
	{nobody, "no thread: hand-off, unknown"},
}

// shownRole is what a node is drawn as.
func (n *node) shownRole() string {
	if n.role == "owner" && strings.HasPrefix(n.name, "[") {
		return nobody
	}
	return n.role
}

// label is a node's name without package and path, which is what frames have room for.
func (n *node) label() string {
	if what, of, ok := strings.Cut(n.name, " "); ok && n.role == "lock" {
		return what + " " + text.Plain{}.Class(of)
	}
	return text.Plain{}.Name(n.name)
}

// legend returns the roles of a tree's nodes.
func (n *node) legend() []struct{ Name, Means string } {
	some := map[string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		some[n.shownRole()] = true
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(n)
	var list []struct{ Name, Means string }
	for _, r := range roles {
		if some[r.name] {
			list = append(list, struct{ Name, Means string }{r.name, r.means})
		}
	}
	return list
}

// build merges samples into a tree, outermost frames at its root.
func build(p *document.Profile) *node {
	root := &node{name: "all"}
	ends := map[*node][]*analysis.Union{} // of the samples that end in a node
	for s := range p.Samples() {
		if s.DelayNs == 0 {
			continue
		}
		at := root
		at.addSample(s)
		for _, f := range slices.Backward(s.Frames) {
			at = at.child(f)
			at.addSample(s)
		}
		ends[at] = append(ends[at], s.Wall())
	}
	root.finish(ends)
	return root
}

func (n *node) addSample(s document.Sample) {
	n.ns += s.DelayNs
	n.known.AddWaiting(s.Key.Owner.Prov, s.DelayNs)
}

// child is the node of a frame. Its name is made safe: folded stacks may be printed to a
// terminal.
func (n *node) child(f document.SampleFrame) *node {
	return n.named(text.Sanitize(analysis.StackText([]format.Frame{f.Frame})), string(f.Role))
}

func (n *node) named(name, role string) *node {
	key := [2]string{role, name}
	if c := n.index[key]; c != nil {
		return c
	}
	if n.index == nil {
		n.index = map[[2]string]*node{}
	}
	c := &node{name: name, role: role}
	n.index[key] = c
	n.children = append(n.children, c)
	return c
}

// finish puts the widest children first, names breaking ties, and measures
// wall-time. It returns the union of the node's waits.
func (n *node) finish(ends map[*node][]*analysis.Union) *analysis.Union {
	parts := ends[n]
	for _, c := range n.children {
		parts = append(parts, c.finish(ends))
	}
	slices.SortFunc(
		n.children,
		func(a, b *node) int { return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.name, b.name)) },
	)
	wall := analysis.UnionOf(parts)
	n.wallNs = min(wall.Len(), n.ns)
	return wall
}

// compare notes in each node what it was in another tree; nodes that are only
// there appear with no width of their own.
func (n *node) compare(base *node) {
	n.base = base.ns
	for _, b := range base.children {
		n.named(b.name, b.role).compare(b)
	}
}

// self is what ends in the node itself.
func (n *node) self() int64 {
	ns := n.ns
	for _, c := range n.children {
		ns -= c.ns
	}
	return ns
}

// sure is the share of a node's waiting whose owner is expected to be right.
func (n *node) sure() float64 {
	if n.ns == 0 {
		return 0
	}
	return float64(n.known.Right()) / float64(n.ns)
}
