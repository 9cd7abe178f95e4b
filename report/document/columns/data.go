package columns

import (
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// data is the document. Times are nanoseconds; instants count from the start of the trace.
type data struct {
	Schema  string            `json:"schema"`
	Command []string          `json:"command"` // names of the traces, and the flags that selected
	Analyze *document.Analyze `json:"analyze"`
	Cube    *table            `json:"cube"`
	Longest []wait            `json:"longest"`
	Lanes   *lanes            `json:"lanes,omitempty"`
	Pauses  []pauses          `json:"pauses"`
	Base    *data             `json:"base,omitempty"` // the other recording of a comparison
	Diff    *document.Diff    `json:"diff,omitempty"`
	Whys    []*document.Why   `json:"whys"`
}

// table is a cube: rows, their cells row by row, and the names of their ids.
type table struct {
	StartNs   int64   `json:"startNs"`
	BinNs     int64   `json:"binNs"`
	Bins      int     `json:"bins"`
	RunningNs []int64 `json:"runningNs"`
	OtherNs   int64   `json:"otherNs"`
	// the intervals that were recorded, since StartNs, and the share of their waiting that is known: averages over a
	// part of the time are over these
	Recorded [][3]float64 `json:"recorded"`

	Rows  [cube.Dims][]int32 `json:"rows"` // by dimension, in the order of Dims
	Dims  [cube.Dims]string  `json:"dims"`
	Sites siteColumns        `json:"sites"`
	Cells cells              `json:"cells"`

	Locks   []lock   `json:"locks"`
	Classes []class  `json:"classes"`
	Places  []string `json:"places"`
	Groups  []string `json:"groups"`
	Known   []string `json:"known"`
	Stacks  stacks   `json:"stacks"`
}

// cells are the waiting of rows by bin of time. Count is the number of cells of each row.
type cells struct {
	Count []int32 `json:"count"`
	Bin   []int32 `json:"bin"`
	Waits []int32 `json:"waits"`
	Ns    []int64 `json:"ns"`
}

// stacks are a tree: a stack is the number of its innermost frame's node, and a node has the number
// of its caller's, -1 for none.
type stacks struct {
	Caller []int32  `json:"caller"`
	Frame  []int32  `json:"frame"`
	Names  []string `json:"names"`  // of methods
	Method []int32  `json:"method"` // of each frame, an index of Names
	Line   []int32  `json:"line"`
	Sort   []int8   `json:"sort"` // of each frame: program, runtime or pseudo owner
}

// The sorts of frames.
const (
	ofProgram int8 = iota
	ofRuntime      // the lock or the runtime itself
	ofNobody       // a pseudo owner
)

// tableOf converts a finished cube.
func tableOf(content *Content) (*table, *numbering) {
	c := content.Cube
	t := &table{
		StartNs:   c.Start,
		BinNs:     c.BinNs,
		RunningNs: append([]int64{}, c.RunningNs...),
		OtherNs:   c.OtherNs,
		Dims:      cube.Names,
		Bins:      len(c.RunningNs),
		Recorded:  [][3]float64{},
		Groups:    []string{},
		Known:     []string{},
		Locks:     []lock{},
		Places:    []string{},
		Classes:   []class{},
	}
	for _, in := range content.Trace.Recorded {
		t.Recorded = append(t.Recorded, [3]float64{float64(in.Start - c.Start), float64(in.End - c.Start), in.Known})
	}
	n := newNumbering(content, t)
	for d := range t.Rows {
		t.Rows[d] = make([]int32, 0, len(c.Rows))
	}
	t.Cells = cells{Count: []int32{}, Bin: []int32{}, Waits: []int32{}, Ns: []int64{}}
	for _, w := range content.Analyze.Awaited() {
		if w.Of != nil {
			n.resources[cube.Place{What: w.Of.What, Site: w.Of.Site}] = &w
		}
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if place, ok := c.Resource(r.Key[cube.Lock]); ok && n.resources[place] == nil {
			continue
		}
		for d := range cube.Dims {
			t.Rows[d] = append(t.Rows[d], n.id(d, r.Key[d]))
		}
		n.addSites(r.Key)
		row := len(t.Rows[cube.Lock]) - 1
		lock := t.Rows[cube.Lock][row]
		if t.Locks[lock].Resource {
			n.unowned(row)
		}
		n.waited[lock] += r.Ns
		t.Cells.addRow(r.Cells)
		if last := len(r.Cells) - 1; last >= 0 {
			t.Bins = max(t.Bins, int(r.Cells[last].Bin)+1)
		}
	}
	return t, n
}

// unowned sets the owner of a row about a resource to [no owner].
func (n *numbering) unowned(row int) {
	t := n.table
	nobody, group := n.stack(nil, noOwner), int32(slices.Index(t.Groups, noOwner))
	if group < 0 {
		group = int32(len(t.Groups))
		t.Groups = append(t.Groups, noOwner)
	}
	for _, d := range []cube.Dim{cube.OwnerStack, cube.RootStack} {
		t.Rows[d][row] = nobody
	}
	for _, d := range []cube.Dim{cube.OwnerGroup, cube.RootGroup} {
		t.Rows[d][row] = group
	}
	t.Sites.OwnerSite[row], t.Sites.RootSite[row] = n.name(noOwner), n.name(noOwner)
}

// noOwner stands for the owner in rows about pools, queues and the like.
const noOwner = "[no owner]"

func (c *cells) addRow(row []cube.Cell) {
	c.Count = append(c.Count, int32(len(row)))
	for _, cell := range row {
		c.Bin = append(c.Bin, cell.Bin)
		c.Waits = append(c.Waits, cell.Waits)
		c.Ns = append(c.Ns, cell.Ns)
	}
}

// numbering gives ids of the trace dense numbers, and fills the tables of their names.
type numbering struct {
	cube   *cube.Cube
	sites  *blame.Sites
	table  *table
	dense  [cube.Dims]map[uint32]int32
	nodes  format.Interner[[2]int32] // caller and frame
	frames format.Interner[frame]
	names  format.Interner[string]

	content   *Content
	plain     text.Plain
	classes   format.Interner[string]
	shown     map[string]bool                  // their names
	objects   []format.ObjectID                // of the table's locks
	waited    []int64                          // waiting by lock
	resources map[cube.Place]*document.Awaited // on the page
}

type frame struct {
	method int32
	line   int32
	sort   int8
}

func newNumbering(content *Content, t *table) *numbering {
	n := &numbering{
		content:   content,
		shown:     map[string]bool{},
		resources: map[cube.Place]*document.Awaited{},
		plain:     text.PlainOf(content.Analyze),
		cube:      content.Cube,
		sites:     blame.NewSites(content.App),
		table:     t,
	}
	t.Stacks = stacks{
		Caller: []int32{},
		Frame:  []int32{},
		Names:  []string{},
		Method: []int32{},
		Line:   []int32{},
		Sort:   []int8{},
	}
	t.Sites = siteColumns{
		WaiterSite: []int32{},
		OwnerSite:  []int32{},
		OwnerTook:  []int32{},
		RootSite:   []int32{},
		RootTook:   []int32{},
	}
	n.sites.Begin(content.Trace.Symbols)
	locks := map[uint32]int32{}
	groups := map[uint32]int32{}
	stacks := map[uint32]int32{}
	names := map[uint32]int32{}
	n.dense = [cube.Dims]map[uint32]int32{
		cube.Lock:        locks,
		cube.WaiterGroup: groups,
		cube.WaiterStack: {},
		cube.OwnerGroup:  groups,
		cube.OwnerStack:  stacks,
		cube.OwnerDoing:  names,
		cube.BlockedOn:   {},
		cube.RootGroup:   groups,
		cube.RootStack:   stacks,
		cube.RootDoing:   names,
		cube.RootLock:    locks,
		cube.Provenance:  {},
	}
	return n
}

// id returns the number of an id. Some dimensions share numbers: groups of waiters and owners, the
// facts about direct owners and about those at the end of a chain, and locks.
func (n *numbering) id(d cube.Dim, id uint32) int32 {
	dense, ok := n.dense[d][id]
	if !ok {
		dense = n.define(d, id)
		n.dense[d][id] = dense
	}
	return dense
}

func (n *numbering) define(d cube.Dim, id uint32) int32 {
	text, frames := n.cube.Text(d, id)
	t := n.table
	switch d {
	case cube.Lock, cube.RootLock:
		return n.lock(id, text)
	case cube.BlockedOn:
		if id == cube.Other || id == uint32(format.NoObject) || blame.Pseudo(id) {
			return -1
		}
		return n.id(cube.Lock, id)
	case cube.OwnerDoing, cube.RootDoing:
		return n.name(text)
	case cube.WaiterGroup, cube.OwnerGroup, cube.RootGroup:
		t.Groups = append(t.Groups, text)
		return int32(len(t.Groups) - 1)
	case cube.Provenance:
		t.Known = append(t.Known, text)
		return int32(len(t.Known) - 1)
	}
	return n.stack(frames, text)
}

// stack returns the node of a stack. A stack without frames is the node of a text.
func (n *numbering) stack(frames []format.Frame, text string) int32 {
	if len(frames) == 0 {
		return n.node(-1, n.frame(text, 0, ofNobody))
	}
	node := int32(-1)
	for i := len(frames) - 1; i >= 0; i-- {
		node = n.node(node, n.frameOf(frames[i]))
	}
	return node
}

// node returns the number of a frame called by another one.
func (n *numbering) node(caller, frame int32) int32 {
	i, added := n.nodes.Intern([2]int32{caller, frame})
	if s := &n.table.Stacks; added {
		s.Caller, s.Frame = append(s.Caller, caller), append(s.Frame, frame)
	}
	return int32(i)
}

func (n *numbering) frameOf(f format.Frame) int32 {
	if analysis.RuntimeFrame(f) {
		return n.frame(analysis.MethodName(f), f.Line, ofRuntime)
	}
	return n.frame(analysis.MethodName(f), f.Line, ofProgram)
}

func (n *numbering) frame(method string, line int, sort int8) int32 {
	s, name := &n.table.Stacks, n.name(method)
	i, added := n.frames.Intern(frame{name, int32(line), sort})
	if added {
		s.Method = append(s.Method, name)
		s.Line = append(s.Line, int32(line))
		s.Sort = append(s.Sort, sort)
	}
	return int32(i)
}

// name returns the number of a name of a method or a site.
func (n *numbering) name(text string) int32 {
	i, added := n.names.Intern(text)
	if s := &n.table.Stacks; added {
		s.Names = append(s.Names, text)
	}
	return int32(i)
}
