package gotrace

import (
	"fmt"
	"slices"
	"strings"

	"contend/decode/gonames"
	"contend/format"
)

// site is a place of the program that acquires or releases locks. Two sites use the same
// lock if one releases it and wakes a goroutine at the other: they are joined. A trace
// shows nothing else of a lock's identity; locks of several objects that are acquired at
// the same sites are one, unless they contradict each other, see several.go.
type site int32

// siteKey identifies a site. Acquisitions and releases are different sites, and are joined
// like any others. Two deferred releases of one function are at one line, and differ by their
// instruction.
type siteKey struct {
	class, fn string
	line      int
	unlocks   bool
	shared    bool
	call      uint32         // of a release: the number of its instruction
	callers   format.StackID // the calls around it that are regarded; none at first
}

// sites is a union-find over sites, with path halving and union by age: the
// oldest site of a lock represents it.
type sites struct {
	keys   format.Interner[siteKey]
	parent []site
}

// siteOf returns the site of a use.
func (s *sites) siteOf(u *gonames.Use, call uint32, callers format.StackID) site {
	key := siteKey{u.Class, gonames.Name(u.At), u.At.Line, u.Unlocks(), u.Shared(), call, callers}
	id, added := s.keys.Intern(key)
	if added {
		s.parent = append(s.parent, site(id))
	}
	return site(id)
}

// find returns the representative of a site's lock.
func (s *sites) find(a site) site {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

// join records that two sites use one lock.
func (s *sites) join(a, b site) {
	a, b = s.find(a), s.find(b)
	s.parent[max(a, b)] = min(a, b)
}

// named is how many sites a lock's name lists.
const named = 3

// name describes the lock of a representative by the functions that acquire it.
func (s *sites) name(root site) string {
	var fns []string
	for i := range s.keys.List {
		if k := &s.keys.List[i]; !k.unlocks && s.find(site(i)) == root && !slices.Contains(fns, k.fn) {
			fns = append(fns, k.fn)
		}
	}
	return nameOf(s.keys.List[root].class, fns)
}

// nameOf names a lock by its class and functions.
func nameOf(class string, fns []string) string {
	slices.Sort(fns)
	list := strings.Join(fns[:min(len(fns), named)], ", ")
	if more := len(fns) - named; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s of %s", class, list)
}
