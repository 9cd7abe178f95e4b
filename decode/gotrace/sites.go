package gotrace

import (
	"fmt"
	"slices"
	"strings"

	"contend/decode/gosym"
	"contend/format"
)

// site is a place of the program that takes or gives back locks. Two sites
// between which a lock was handed over, one waking the other, use the same
// lock: they are joined. This is all a trace tells of a lock's identity; the
// locks of several objects that are taken at the same places are one.
type site int32

// use is what a stack does to a lock: the innermost frames are the lock's
// own, the next is the site.
type use struct {
	class  string // sync.Mutex, sync.RWMutex; "" for a stack that uses no lock
	method string // Lock, RLock, Unlock, RUnlock
	at     format.Frame
}

// unlocks reports whether the stack gives a lock back.
func (u *use) unlocks() bool { return strings.HasSuffix(u.method, "nlock") }

// shared reports whether it does so as a reader.
func (u *use) shared() bool { return strings.HasPrefix(u.method, "R") }

// lockTypes are the receivers of a lock's own methods.
var lockTypes = map[string]string{
	"sync.(*RWMutex)":        "sync.RWMutex",
	"sync.(*Mutex)":          "sync.Mutex",
	"internal/sync.(*Mutex)": "sync.Mutex",
}

// useOf reads the frames of a stack. The outermost frame of the lock's own
// counts: an RWMutex is made of a Mutex.
func useOf(frames []format.Frame) (u use) {
	for _, f := range frames {
		if !gosym.OfLocks(f.Class) {
			u.at = f
			break
		}
		recv, method, _ := cutLast(gosym.Name(f), ").")
		if class, ok := lockTypes[recv+")"]; ok {
			u.class, u.method = class, method
		}
	}
	return u
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// siteKey identifies a site. Taking and giving back are kept apart, and join
// like any others.
type siteKey struct {
	class, fn string
	line      int
	unlocks   bool
	shared    bool
}

// sites is a union-find over sites, with path halving and union by age: the
// oldest site of a lock represents it.
type sites struct {
	ids    map[siteKey]site
	keys   []siteKey
	parent []site
}

// of returns the site of a use.
func (s *sites) of(u *use) site {
	key := siteKey{u.class, gosym.Name(u.at), u.at.Line, u.unlocks(), u.shared()}
	id, ok := s.ids[key]
	if !ok {
		if s.ids == nil {
			s.ids = map[siteKey]site{}
		}
		id = site(len(s.keys))
		s.ids[key] = id
		s.keys = append(s.keys, key)
		s.parent = append(s.parent, id)
	}
	return id
}

// find returns the representative of a site's lock.
func (s *sites) find(a site) site {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

// join says that two sites use one lock.
func (s *sites) join(a, b site) {
	a, b = s.find(a), s.find(b)
	s.parent[max(a, b)] = min(a, b)
}

// named is how many sites a lock's name lists.
const named = 3

// name describes the lock of a representative by the functions that take it.
func (s *sites) name(root site) string {
	var fns []string
	for i := range s.keys {
		if k := &s.keys[i]; !k.unlocks && s.find(site(i)) == root && !slices.Contains(fns, k.fn) {
			fns = append(fns, k.fn)
		}
	}
	slices.Sort(fns)
	list := strings.Join(fns[:min(len(fns), named)], ", ")
	if more := len(fns) - named; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s of %s", s.keys[root].class, list)
}
