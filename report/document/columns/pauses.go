package columns

import (
	"contend/analysis"
	"contend/blame/cube"
)

// pauses are the intervals of one kind in which the whole program was stopped, whether or
// not a thread waited for a lock. They are summed by bin of time, so that many take no more
// room than the bins.
type pauses struct {
	Kind  string  `json:"kind"` // the pseudo owner of waits during them
	Count int     `json:"count"`
	Ns    int64   `json:"ns"`
	MaxNs int64   `json:"maxNs"`
	Bin   []int32 `json:"bin"` // those that have any, ascending
	BinNs []int64 `json:"binNs"`
}

// pausesOf sums pauses, which come in order of time.
func pausesOf(all []analysis.Pause, c *cube.Cube) []pauses {
	out := []pauses{}
	for _, kind := range []analysis.OwnerKind{analysis.OwnerGCPause, analysis.OwnerPause} {
		p := pauses{Kind: analysis.PseudoOwner(kind, 0)}
		for _, pause := range all {
			if pause.Kind == kind {
				p.add(pause, c)
			}
		}
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (p *pauses) add(pause analysis.Pause, c *cube.Cube) {
	ns := pause.End - pause.Start
	p.Count, p.Ns, p.MaxNs = p.Count+1, p.Ns+ns, max(p.MaxNs, ns)
	c.Cut(pause.Start, pause.End, func(bin int32, ns int64) {
		last := len(p.Bin) - 1
		if last < 0 || p.Bin[last] < bin {
			p.Bin, p.BinNs = append(p.Bin, bin), append(p.BinNs, ns)
			return
		}
		p.BinNs[last] += ns // of several inputs one may reach behind the begin of the next
	})
}
