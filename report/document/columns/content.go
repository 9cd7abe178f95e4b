package columns

import (
	"encoding/json"
	"io"
	"regexp"

	"contend/analysis"
	"contend/blame/cube"
	"contend/blame/waits"
	"contend/format"
	"contend/report/document"
)

// Content is the content of a page.
type Content struct {
	Title   string
	Command []string // the traces, and the flags that select from them
	Analyze *document.Analyze
	Cube    *cube.Cube // finished
	Longest []*waits.Wait
	Lanes   *waits.Lanes // finished, of NewBoundedLanes; nil for none
	Trace   *analysis.Trace
	Sites   map[format.ObjectID]string // the sites in the names of locks
	App     *regexp.Regexp             // the program's own code; nil for all but known libraries
	Base    *Content                   // the recording this one is compared with; nil for none
	Diff    *document.Diff             // from Base to this one
	Whys    []*document.Why            // the longest waits for the most contended locks
}

// data converts a content to the document.
func (c *Content) data() *data {
	table, numbers := tableOf(c)
	d := &data{
		Schema:  "contend.page/2",
		Command: c.Command,
		Analyze: c.Analyze,
		Cube:    table,
		Diff:    c.Diff,
		Whys:    c.Whys,
	}
	d.Longest = waitsOf(c.Longest, c.Trace.Symbols, numbers)
	d.Lanes = lanesOf(c, numbers)
	numbers.nameLocks()
	d.Pauses = pausesOf(c.Trace.Pauses, c.Cube)
	if c.Base != nil {
		d.Base = c.Base.data()
	}
	return d
}

// Write writes the document as JSON.
func Write(w io.Writer, c *Content) error { return json.NewEncoder(w).Encode(c.data()) }

// wait is one of the longest waits. Stacks are nodes of the table's tree.
type wait struct {
	StartNs int64  `json:"startNs"`
	Ns      int64  `json:"ns"`
	Thread  string `json:"thread"`
	Group   string `json:"group"`
	Lock    int32  `json:"lock"` // an index of the table's locks
	Stack   int32  `json:"stack"`
	Site    int32  `json:"site"` // a name
	Failed  bool   `json:"failed,omitempty"`
	LeftNs  int64  `json:"leftNs,omitempty"`
	Parts   []part `json:"parts"`
}

// part is an interval of a wait with one owner of the lock.
type part struct {
	StartNs int64  `json:"startNs"`
	EndNs   int64  `json:"endNs"`
	Ns      int64  `json:"ns"`
	Thread  string `json:"thread,omitempty"` // "" for a pseudo owner
	Stack   int32  `json:"stack"`
	Site    int32  `json:"site"`                // a name
	Blocked int64  `json:"blockedNs,omitempty"` // while the owner was itself blocked
	Root    int32  `json:"root"`                // the main end of the chain in that time
	Group   string `json:"group"`
	Doing   int32  `json:"doing"` // a name; -1 if unknown
	Known   string `json:"known"`
}

// waitsOf converts the longest waits; stacks get numbers in the table's tree.
func waitsOf(list []*waits.Wait, sym *analysis.Symbols, n *numbering) []wait {
	out := make([]wait, 0, len(list))
	for _, w := range list {
		to := wait{
			StartNs: w.Start - n.cube.Start,
			Ns:      w.Ns,
			Thread:  sym.ThreadName(w.Thread),
			Group:   sym.Groups().Value(sym.Group(w.Thread)),
			Failed:  w.Failed,
			Lock:    n.id(cube.Lock, uint32(w.Lock)),
			Stack:   n.stack(sym.Frames(w.Stack), analysis.UnknownStack),
			Site:    n.name(n.sites.Names().Value(n.sites.Waiter(w.Stack))),
			LeftNs:  w.Left,
			Parts:   make([]part, 0, len(w.Parts)),
		}
		for i := range w.Parts {
			to.Parts = append(to.Parts, partOf(&w.Parts[i], w.Lock, sym, n))
		}
		out = append(out, to)
	}
	return out
}

func partOf(p *waits.Part, lock format.ObjectID, sym *analysis.Symbols, n *numbering) part {
	out := part{
		StartNs: p.Start - n.cube.Start,
		EndNs:   p.End - n.cube.Start,
		Ns:      p.Ns,
		Stack:   n.owner(sym, p.Direct),
		Blocked: p.BlockedNs,
		Root:    n.owner(sym, p.Root),
		Doing:   n.doing(p.Direct),
		Known:   p.Direct.Prov.String(),
	}
	out.Group = analysis.PseudoOwner(p.Direct.Kind, p.Direct.Cycle)
	out.Site = n.name(out.Group)
	if p.Direct.Kind == analysis.OwnerThread {
		out.Group = sym.Groups().Value(sym.Group(p.Direct.Thread))
		out.Site = n.ownerSite(p.Direct.Stack, lock)
		out.Thread = sym.ThreadName(p.Direct.Thread)
	}
	return out
}

// owner returns the node of an owner's stack.
func (n *numbering) owner(sym *analysis.Symbols, o analysis.Owner) int32 {
	if o.Kind != analysis.OwnerThread {
		return n.stack(nil, analysis.PseudoOwner(o.Kind, o.Cycle))
	}
	return n.stack(sym.Frames(o.Stack), analysis.UnknownStack)
}

// pauses are the intervals of one kind in which the whole program was stopped, even if no thread
// waited for a lock. They are summed by bin of time, so that their size is bounded.
type pauses struct {
	Kind  string  `json:"kind"` // the pseudo owner of waits during them
	Count int     `json:"count"`
	Ns    int64   `json:"ns"`
	MaxNs int64   `json:"maxNs"`
	Bin   []int32 `json:"bin"` // the bins with pauses, ascending
	BinNs []int64 `json:"binNs"`
}

// pausesOf sums pauses, which come in order of time.
func pausesOf(all []analysis.Pause, c *cube.Cube) []pauses {
	out := []pauses{}
	for _, kind := range []analysis.OwnerKind{analysis.OwnerGCPause, analysis.OwnerPause} {
		p := pauses{Kind: analysis.PseudoOwner(kind, 0)}
		for _, pause := range all {
			if pause.Kind == kind {
				p.addPause(pause, c)
			}
		}
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (p *pauses) addPause(pause analysis.Pause, c *cube.Cube) {
	ns := pause.End - pause.Start
	p.Count++
	p.Ns += ns
	p.MaxNs = max(p.MaxNs, ns)
	c.Cut(pause.Start, pause.End, func(bin int32, ns int64) {
		last := len(p.Bin) - 1
		if last < 0 || p.Bin[last] < bin {
			p.Bin, p.BinNs = append(p.Bin, bin), append(p.BinNs, ns)
			return
		}
		p.BinNs[last] += ns // with several inputs, a pause may end after the next one begins
	})
}
