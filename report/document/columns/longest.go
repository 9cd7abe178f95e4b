package columns

import (
	"contend/analysis"
	"contend/blame/cube"
	"contend/blame/waits"
	"contend/format"
)

// wait is one of the longest waits. Stacks are nodes of the table's tree.
type wait struct {
	StartNs int64  `json:"startNs"`
	Ns      int64  `json:"ns"`
	Thread  string `json:"thread"`
	Group   string `json:"group"`
	Lock    int32  `json:"lock"` // of the table's
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
	Thread  string `json:"thread,omitempty"` // none of a pseudo owner
	Stack   int32  `json:"stack"`
	Site    int32  `json:"site"`                // a name
	Blocked int64  `json:"blockedNs,omitempty"` // while the owner was itself blocked
	Root    int32  `json:"root"`                // mostly the end of the chain then
	Group   string `json:"group"`
	Doing   int32  `json:"doing"` // a name; -1 where it is not known
	Known   string `json:"known"`
}

// waitsOf converts the longest waits; stacks get numbers in the table's tree.
func waitsOf(list []*waits.Wait, sym *analysis.Symbols, n *numbering) []wait {
	out := make([]wait, 0, len(list))
	for _, w := range list {
		to := wait{StartNs: w.Start - n.cube.Start, Ns: w.Ns, Thread: sym.ThreadName(w.Thread), Group: sym.Groups().Name(sym.Group(w.Thread)), Failed: w.Failed,
			Lock: n.id(cube.Lock, uint32(w.Lock)), Stack: n.stack(sym.Frames(w.Stack), analysis.UnknownStack), Site: n.name(n.sites.Names().Name(n.sites.Waiter(w.Stack))), LeftNs: w.Left, Parts: make([]part, 0, len(w.Parts))}
		for i := range w.Parts {
			to.Parts = append(to.Parts, partOf(&w.Parts[i], w.Lock, sym, n))
		}
		out = append(out, to)
	}
	return out
}

func partOf(p *waits.Part, lock format.ObjectID, sym *analysis.Symbols, n *numbering) part {
	out := part{StartNs: p.Start - n.cube.Start, EndNs: p.End - n.cube.Start, Ns: p.Ns, Stack: n.owner(sym, p.Direct), Blocked: p.BlockedNs, Root: n.owner(sym, p.Root), Doing: n.doing(p.Direct), Known: p.Direct.Prov.String()}
	out.Group = analysis.PseudoOwner(p.Direct.Kind, p.Direct.Cycle)
	out.Site = n.name(out.Group)
	if p.Direct.Kind == analysis.OwnerThread {
		out.Group = sym.Groups().Name(sym.Group(p.Direct.Thread))
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
