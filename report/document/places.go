package document

import (
	"contend/analysis"
	"contend/blame/locks"
)

// Places are the places in the program by which a reader knows the locks of a trace, by their
// names in it. It has the locks with the most waiting.
type Places map[string]Place

// Place is a place by which a lock is known.
type Place struct {
	Class, Site string
	Alike       bool // other locks have the same class and site
}

// NewPlaces returns the places of some locks.
func NewPlaces(sym *analysis.Symbols, list []locks.Named) Places {
	out, alike := make(Places, len(list)), map[Place]int{}
	for _, l := range list {
		p := Place{sym.ClassName(l.Lock), l.Site, false}
		out[sym.LockName(l.Lock)] = p
		alike[p]++
	}
	for name, p := range out {
		p.Alike = alike[p] > 1
		out[name] = p
	}
	return out
}
