package flame

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"contend/analysis"
	"contend/report/document"
	"contend/report/look"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.js
var script string

// scripts are what draws the graph, in order.
var scripts = func() (all []string) {
	for _, name := range look.FlameScripts {
		all = append(all, look.Library(name))
	}
	return append(all, script)
}()

// style is what the page has besides the look of all pages. Frames have pale colours
// of their own, in light and in dark: a name must be read on the largest change, too.
const style = `#chart { color: #222; color-scheme: light; }
#bar { display: flex; gap: 10px; align-items: center; margin: 8px 0; flex-wrap: wrap; }
#details { min-height: 2.6em; overflow-wrap: anywhere; }
.key { display: inline-block; width: 12px; height: 12px; vertical-align: -1px; margin-right: 3px; }
footer { color: var(--dim); font-size: 12px; margin-top: 10px; }
.key.grew { background: #eb6e6e; }
.key.shrank { background: #7896f5; }
.key.waiter { background: rgb(66,133,244); }
.key.lock { background: rgb(120,120,120); }
.key.owner { background: rgb(234,124,36); }
.key.nobody { background: rgb(150,110,180); }`

var page = template.Must(
	template.New("page").
		Funcs(look.Page{Style: style, Scripts: scripts}.Funcs()).
		Funcs(template.FuncMap{"scripts": func() (all []template.JS) {
			for _, text := range scripts {
				all = append(all, template.JS(text))
			}
			return all
		}}).
		Parse(pageText),
)

// maxFrames is how many frames a page draws: one with many more would take
// long to open. The narrowest of the others are drawn as one.
const maxFrames = 50_000

// datum is a node as the page's script reads it.
type datum struct {
	Name     string   `json:"name"`
	Label    string   `json:"label,omitempty"` // a shorter name to write into the frame
	Value    int64    `json:"value"`
	Wall     int64    `json:"wall"`
	Base     int64    `json:"base,omitempty"`
	Role     string   `json:"role,omitempty"`
	Sure     float64  `json:"sure"`
	Known    string   `json:"known,omitempty"`
	Children []*datum `json:"children,omitempty"`
}

// HTML writes one page that needs nothing else. base, if not nil, is what to
// compare with; the names of both are stable then.
func HTML(w io.Writer, of, base *document.Profile, c Caption) error {
	root := build(of)
	if base != nil {
		root.compare(build(base))
	}
	least, hidden := root.least(maxFrames), 0
	doc := struct {
		Diff bool   `json:"diff"`
		Of   string `json:"of,omitempty"` // what values count; none where they are nanoseconds
		Tree *datum `json:"tree"`
	}{base != nil, c.Of, root.datum(least, &hidden)}
	text, err := json.Marshal(doc) // escapes what would end the script element
	if err != nil {
		return err
	}
	note := "Widths are " + cmp.Or(
		c.Of,
		c.Width,
		"waiting thread-time",
	) + "; the frames of one call chain are stacked, its innermost on top."
	if hidden > 0 {
		note += fmt.Sprintf(
			" %d frames narrower than %.2g %% are drawn as one with their neighbours.",
			hidden,
			100*float64(least)/float64(max(root.width(), 1)),
		)
	}
	return page.Execute(
		w,
		map[string]any{
			"Title":   c.Title,
			"Summary": c.Summary,
			"Diff":    base != nil,
			"Roles":   root.legend(),
			"Note":    note,
			"Data":    template.JS(text),
		},
	)
}

// least returns the width from which on a tree has at most so many frames; it
// is 0 when it has no more. No frame is wider than the one it stands on, so
// those that are left are a tree.
func (n *node) least(most int) int64 {
	var widths []int64
	var walk func(n *node)
	walk = func(n *node) {
		widths = append(widths, n.width())
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(n)
	if len(widths) <= most {
		return 0
	}
	slices.Sort(widths)
	return widths[len(widths)-most-1] + 1
}

// width is what decides whether a frame is drawn: of two traces the larger.
func (n *node) width() int64 { return max(n.ns, n.base) }

func (n *node) datum(least int64, hidden *int) *datum {
	d := &datum{
		Name:  n.name,
		Value: n.ns,
		Wall:  n.wallNs,
		Base:  n.base,
		Role:  n.shownRole(),
		Sure:  n.sure(),
		Known: n.provenance(),
	}
	if short := n.label(); short != n.name {
		d.Label = short
	}
	rest := &datum{Sure: 1}
	count := 0
	for _, c := range n.children {
		if c.width() >= least {
			d.Children = append(d.Children, c.datum(least, hidden))
			continue
		}
		count++
		rest.Value += c.ns
		rest.Base += c.base
	}
	if count > 0 && rest.Value > 0 {
		*hidden += count
		rest.Name, rest.Role = fmt.Sprintf("(%d narrow frames)", count), d.Role
		d.Children = append(d.Children, rest)
	}
	return d
}

// provenance says how the owners of a node's waiting are known.
func (n *node) provenance() string {
	var parts []string
	k := &n.known
	for _, p := range []struct {
		name string
		ns   int64
	}{
		{"recorded", k[analysis.ByTenure] + k[analysis.BySample]},
		{"inferred", k[analysis.ByInference]},
		{"unknown", k[analysis.ByNothing]},
	} {
		if p.ns > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", p.name, 100*float64(p.ns)/float64(n.ns)))
		}
	}
	if k[analysis.ByInference] > 0 {
		parts = append(parts, fmt.Sprintf("expected right %.0f %%", 100*n.sure()))
	}
	return strings.Join(parts, ", ")
}
