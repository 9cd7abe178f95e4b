package flame

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/report/document"
)

// Folded writes one stack a line, outermost frame first, with its waiting in
// nanoseconds: what flamegraph.pl and its relatives read.
func Folded(w io.Writer, of *document.Profile) error {
	out := bufio.NewWriter(w)
	build(of).each(nil, func(names []string, ns int64) {
		for i := range names {
			names[i] = folding.Replace(names[i])
		}
		fmt.Fprintf(out, "%s %d\n", strings.Join(names, ";"), ns)
	})
	return out.Flush()
}

// folding keeps what separates frames and lines out of names.
var folding = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// each calls f for each stack that ends in the tree, outermost frame first, with its waiting.
func (n *node) each(path []string, f func(names []string, ns int64)) {
	if self := n.self(); self > 0 {
		f(slices.Clone(path), self)
	}
	for _, c := range n.children {
		c.each(append(path, c.name), f)
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
func Speedscope(w io.Writer, of *document.Profile, c Caption) error {
	root := build(of)
	p := sampled{
		Type:     "sampled",
		Name:     c.Title,
		Unit:     "nanoseconds",
		EndValue: root.ns,
		Samples:  [][]int{},
		Weights:  []int64{},
	}
	if c.Of != "" {
		p.Unit = "none"
	}
	index, frames := map[string]int{}, []frame{}
	root.each(nil, func(names []string, ns int64) {
		stack := make([]int, len(names))
		for j, name := range names {
			i, ok := index[name]
			if !ok {
				i = len(frames)
				index[name] = i
				frames = append(frames, frame{name})
			}
			stack[j] = i
		}
		p.Samples, p.Weights = append(p.Samples, stack), append(p.Weights, ns)
	})
	doc := speedscope{
		Schema:   "https://www.speedscope.app/file-format-schema.json",
		Profiles: []sampled{p},
		Name:     c.Title,
		Exporter: "contend",
	}
	doc.Shared.Frames = frames
	return json.NewEncoder(w).Encode(doc)
}
