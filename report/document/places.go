package document

import (
	"contend/analysis"
	"contend/blame/locks"
)

// Places are the sites in the printed names of locks, by their names in the trace. It has the locks
// with the most waiting.
type Places map[string]Place

// Place is the site in the printed name of a lock.
type Place struct {
	Class, Site string
	Alike       bool // other locks have the same class and site
	WaitNs      int64
}

// NewPlaces returns the places of some locks.
func NewPlaces(sym *analysis.Symbols, list []locks.Named) Places {
	out, alike := make(Places, len(list)), map[[2]string]int{}
	for _, l := range list {
		p := Place{sym.ClassName(l.Lock), l.Site, false, l.WaitNs}
		out[sym.LockName(l.Lock)] = p
		alike[[2]string{p.Class, p.Site}]++
	}
	for name, p := range out {
		p.Alike = alike[[2]string{p.Class, p.Site}] > 1
		out[name] = p
	}
	return out
}

// OfClass returns the place with most waiting for the locks of a class, and the number of their
// places; 0 if none is known.
func (p Places) OfClass(class string) (most string, n int) {
	waited := map[string]int64{}
	for _, at := range p {
		if at.Class == class && Placed(at.Site) {
			waited[at.Site] += at.WaitNs
		}
	}
	for site, ns := range waited {
		if most == "" || ns > waited[most] || ns == waited[most] && site < most {
			most = site
		}
	}
	return most, len(waited)
}

// Placed reports whether a site names a place in the program.
func Placed(site string) bool { return site != "" && site[0] != '[' }
