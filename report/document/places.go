package document

import (
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame/locks"
)

// Places are the sites in the printed names of locks, by their names in the trace. It has the locks
// with the most waiting.
type Places map[string]Place

// Place is the site in the printed name of a lock.
type Place struct {
	Class, Site string
	Digits      int    // of its address that tell it from the others of that class and site; 0 if there are none
	Number      string // that tells it from another at the same address, or without one
	WaitNs      int64
}

// NewPlaces returns the places of some locks.
func NewPlaces(sym *analysis.Symbols, list []locks.Named) Places {
	out, alike := make(Places, len(list)), map[[2]string][]string{}
	for _, l := range list {
		p, name := Place{Class: sym.ClassName(l.Lock), Site: l.Site, WaitNs: l.WaitNs}, sym.LockName(l.Lock)
		if _, known := out[name]; !known {
			key := [2]string{p.Class, p.Site}
			alike[key] = append(alike[key], name)
		}
		out[name] = p
	}
	for _, names := range alike {
		if len(names) < 2 {
			continue
		}
		digits, at := distinctDigits(names), map[string]int{}
		for _, name := range names {
			at[Address(name)]++
		}
		for _, name := range names {
			p := out[name]
			if p.Digits = digits; at[Address(name)] > 1 {
				p.Number = NumberOf(name)
			}
			out[name] = p
		}
	}
	return out
}

// fewestDigits of an address distinguish locks, more if several end alike.
const fewestDigits = 4

// distinctDigits returns how many last digits distinguish the addresses of some locks.
func distinctDigits(names []string) int {
	longest := fewestDigits
	for _, name := range names {
		longest = max(longest, len(Address(name)))
	}
	for n := fewestDigits; n < longest; n++ {
		seen := map[string]bool{}
		for _, name := range names {
			address := Address(name)
			seen[address[max(len(address)-n, 0):]] = true
		}
		if len(seen) == len(names) {
			return n
		}
	}
	return longest
}

// Address returns the address or hash in the name of a lock, "" if it has none.
func Address(name string) string {
	_, address, _ := strings.Cut(name, "@")
	address, _, _ = strings.Cut(address, " (")
	return address
}

// NumberOf returns the number behind the name of a lock that others have, too; "" if it has none.
func NumberOf(name string) string {
	if at := strings.LastIndex(name, " ("); at >= 0 && strings.HasSuffix(name, ")") {
		return name[at:]
	}
	return ""
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

// TagDigits returns how many last digits of their addresses distinguish the locks that are tags of an
// interval log, by class.
func (h *Hist) TagDigits() map[string]int {
	at := slices.Index(h.By, "tag")
	names := map[string][]string{}
	seen := map[string]bool{}
	for i := range h.Rows {
		if at < 0 || Address(h.Rows[i].Keys[at]) == "" || seen[h.Rows[i].Keys[at]] {
			continue
		}
		name := h.Rows[i].Keys[at]
		class, _, _ := strings.Cut(name, "@")
		seen[name], names[class] = true, append(names[class], name)
	}
	out := map[string]int{}
	for class, list := range names {
		if len(list) > 1 {
			out[class] = distinctDigits(list)
		}
	}
	return out
}
