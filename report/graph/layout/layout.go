// Package layout places the boxes of a directed graph in layers, and routes
// the arrows between them. The work is done by dagre, the library Mermaid
// draws with; it is embedded, and runs only when a picture is asked for.
package layout

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// dagre.min.js is dist/dagre.min.js of the npm package @dagrejs/dagre 3.1.3,
// unchanged; dagre.LICENSE is its licence (MIT).
//
//go:embed dagre.min.js
var dagre string

// clone is the one thing of a browser the library asks for. It clones the
// options of the graph, which are plain.
const clone = `globalThis.structuredClone = v => Object.assign({}, v)`

// place is all the program there is around the library. Boxes and arrows come
// as numbers only: no text of a trace is ever near an interpreter.
const place = `(function (boxes, arrows) {
	const g = new dagre.Graph({ multigraph: true });
	g.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 60, edgesep: 16, marginx: 16, marginy: 16 });
	boxes.forEach((b, i) => g.setNode(String(i), { width: b[0], height: b[1] }));
	arrows.forEach((a, i) => g.setEdge(String(a[0]), String(a[1]), { width: a[2], height: a[3], labelpos: "c" }, String(i)));
	dagre.layout(g);
	const flat = [g.graph().width, g.graph().height];
	boxes.forEach((b, i) => { const n = g.node(String(i)); flat.push(n.x, n.y); });
	arrows.forEach((a, i) => {
		const e = g.edge(String(a[0]), String(a[1]), String(i));
		flat.push(e.x, e.y, e.points.length);
		e.points.forEach(p => flat.push(p.x, p.y));
	});
	return flat;
})`

// Point is a place in the picture, in pixels from the upper left corner.
type Point struct{ X, Y float64 }

// Size is the room something takes.
type Size struct{ W, H float64 }

// Arrow leads from a box to a box, given by their indexes, and carries a label.
type Arrow struct {
	From, To int
	Label    Size
}

// Route is where an arrow runs: its bends, from border to border, and the
// middle of its label.
type Route struct {
	Label Point
	Bends []Point
}

// Placed is a finished layout: the middles of the boxes and the routes of the
// arrows, in the order in which they were given.
type Placed struct {
	Size   Size
	Boxes  []Point
	Routes []Route
}

// MaxArrows bounds a layout: nobody can read more, and the time it takes grows
// faster than their number. As many among half as many boxes take 1.5 s.
const MaxArrows = 150

// ErrTooMany says that a graph has more than MaxArrows arrows.
var ErrTooMany = errors.New("too many edges for a picture")

// Place lays a graph out. The same graph gives the same picture, and none has
// no size.
func Place(boxes []Size, arrows []Arrow) (*Placed, error) {
	if len(arrows) > MaxArrows {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(arrows), MaxArrows)
	}
	if len(boxes) == 0 {
		return &Placed{}, nil // the library would make its height minus infinity
	}
	vm := goja.New()
	var f goja.Value
	var err error
	for _, program := range []string{clone, dagre, place} {
		if f, err = vm.RunString(program); err != nil {
			return nil, fmt.Errorf("layout: %w", err)
		}
	}
	call, _ := goja.AssertFunction(f)
	result, err := call(goja.Undefined(), vm.ToValue(boxRows(boxes)), vm.ToValue(arrowRows(arrows)))
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	var flat []float64
	if err := vm.ExportTo(result, &flat); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	return read(flat, len(boxes), len(arrows))
}

func boxRows(boxes []Size) [][]float64 {
	rows := make([][]float64, len(boxes))
	for i, b := range boxes {
		rows[i] = []float64{b.W, b.H}
	}
	return rows
}

func arrowRows(arrows []Arrow) [][]float64 {
	rows := make([][]float64, len(arrows))
	for i, a := range arrows {
		rows[i] = []float64{float64(a.From), float64(a.To), a.Label.W, a.Label.H}
	}
	return rows
}

// errShape says that the library returned something else than was agreed.
var errShape = errors.New("layout: result has another shape")

// read takes the numbers apart in the order in which place put them together.
func read(flat []float64, boxes, arrows int) (*Placed, error) {
	next := func() (p Point) {
		if len(flat) >= 2 {
			p = Point{flat[0], flat[1]}
			flat = flat[2:]
		}
		return p
	}
	if len(flat) < 2+2*boxes+3*arrows {
		return nil, errShape
	}
	size := next()
	out := &Placed{Size: Size{size.X, size.Y}}
	for range boxes {
		out.Boxes = append(out.Boxes, next())
	}
	for range arrows {
		r := Route{Label: next()}
		if len(flat) == 0 || int(flat[0]) < 0 || 2*int(flat[0]) > len(flat)-1 {
			return nil, errShape
		}
		n := int(flat[0])
		flat = flat[1:]
		for range n {
			r.Bends = append(r.Bends, next())
		}
		out.Routes = append(out.Routes, r)
	}
	return out, nil
}
