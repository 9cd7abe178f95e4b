package flame

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"contend/blame/stacks"
)

// Folded writes one stack a line, outermost frame first, with its waiting in
// nanoseconds: what flamegraph.pl and its relatives read.
func Folded(w io.Writer, b *stacks.Builder) error {
	out := bufio.NewWriter(w)
	build(b).fold(out, nil)
	return out.Flush()
}

// folding keeps what separates frames and lines out of names.
var folding = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

func (n *node) fold(out *bufio.Writer, path []string) {
	if self := n.self(); self > 0 {
		fmt.Fprintf(out, "%s %d\n", strings.Join(path, ";"), self)
	}
	for _, c := range n.children {
		c.fold(out, append(path, folding.Replace(c.name)))
	}
}

// The speedscope file format, https://www.speedscope.app/file-format-schema.json.
type (
	speedscope struct {
		Schema string `json:"$schema"`
		Shared struct {
			Frames []frame `json:"frames"`
		} `json:"shared"`
		Profiles []sampled `json:"profiles"`
		Name     string    `json:"name"`
		Exporter string    `json:"exporter"`
	}
	frame struct {
		Name string `json:"name"`
	}
	sampled struct {
		Type       string  `json:"type"`
		Name       string  `json:"name"`
		Unit       string  `json:"unit"`
		StartValue int64   `json:"startValue"`
		EndValue   int64   `json:"endValue"`
		Samples    [][]int `json:"samples"`
		Weights    []int64 `json:"weights"`
	}
)

// Speedscope writes a file for speedscope.
func Speedscope(w io.Writer, b *stacks.Builder, c Caption) error {
	root := build(b)
	p := sampled{Type: "sampled", Name: c.Title, Unit: "nanoseconds", EndValue: root.ns, Samples: [][]int{}, Weights: []int64{}}
	if c.Of != "" {
		p.Unit = "none"
	}
	index, frames := map[string]int{}, []frame{}
	var walk func(n *node, path []int)
	walk = func(n *node, path []int) {
		if self := n.self(); self > 0 {
			p.Samples = append(p.Samples, append([]int{}, path...))
			p.Weights = append(p.Weights, self)
		}
		for _, c := range n.children {
			i, ok := index[c.name]
			if !ok {
				i = len(frames)
				index[c.name] = i
				frames = append(frames, frame{c.name})
			}
			walk(c, append(path, i))
		}
	}
	walk(root, nil)
	doc := speedscope{Schema: "https://www.speedscope.app/file-format-schema.json", Profiles: []sampled{p}, Name: c.Title, Exporter: "contend"}
	doc.Shared.Frames = frames
	return json.NewEncoder(w).Encode(doc)
}
