package blame

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// UnknownSite is the site of a lock if the trace shows neither where it was made nor where it was
// acquired. FirstAcquirer begins the site of a lock whose first acquisition is known.
const (
	UnknownSite   = "[unknown site]"
	FirstAcquirer = "[first acquirer] "
)

// Made reports whether a result of Created is the site that made the lock.
func Made(site string) bool { return site != UnknownSite && !strings.HasPrefix(site, FirstAcquirer) }

// Sites finds the important frames of a program's own code: where a lock was acquired, where a
// thread waits for it, where it was made, and the callers. Sites have dense ids. Each stack is
// searched once. Its methods are for one goroutine at a time.
//
// An owner's stack does not show where it acquired the lock: it was taken later, or in
// another section. The acquisition site is the first of these that is known:
//
//  1. the owner's stack is one with which the lock was acquired: that is where;
//  2. a method in the stack was seen acquiring this lock;
//  3. a method in the stack was seen releasing this lock;
//  4. a method in the stack was seen acquiring a lock of the same class;
//  5. the innermost frame of the program's own code, as a fallback: the owner was in it, see
//     Acquired.
//
// If several methods match, the innermost wins. Its line is the last acquisition line at or
// before the line in the stack, else the first one after it; of a section whose acquisition was
// never seen, the first release line after it.
type Sites struct {
	sym      *analysis.Symbols
	app      *regexp.Regexp
	names    format.Interner[string]
	byID     ByID[ofStack]
	lines    acquireLines
	acquired map[uint32]bool // sites where owners acquired locks
	of       map[analysis.Acquisition]ofOwner
	chains   map[uint32][]string // by the name of callers: their frames
}

// ofStack holds the results for a stack.
type ofStack struct {
	known bool
	asked bool            // doing is set
	doing Doing           // the activity of the thread
	own   int32           // number of the innermost frame of the program's own code; -1 for no frames
	site  uint32          // its name
	last  format.ObjectID // the lock of owner
	owner ofOwner         // the result for last
}

// ofOwner is the result for a stack of the owner of a lock.
type ofOwner struct {
	taking, line  int32 // number of the frame that acquired the lock, and the line
	site, callers uint32
}

// NewSites returns the sites of a program. Its own code are the frames whose Class.method matches the
// expression; nil means all but known libraries.
func NewSites(app *regexp.Regexp) *Sites { return &Sites{app: app} }

// Begin sets the symbols of the trace.
func (s *Sites) Begin(sym *analysis.Symbols) {
	*s = Sites{
		sym:      sym,
		app:      s.app,
		of:       map[analysis.Acquisition]ofOwner{},
		acquired: map[uint32]bool{},
		lines:    newAcquireLines(),
	}
	s.names.ID(analysis.UnknownStack)
}

// Names returns the names of the ids.
func (s *Sites) Names() *format.Interner[string] { return &s.names }

// IsOwnCode reports whether a frame is of the program's own code.
func (s *Sites) IsOwnCode(f format.Frame) bool {
	if s.app == nil {
		return ownByDefault(f)
	}
	return s.app.MatchString(analysis.MethodName(f))
}

// Waiter returns the site of a waiter with a stack: the innermost frame of the program's own code or,
// if there is none, the innermost frame outside of the lock and the runtime.
func (s *Sites) Waiter(id format.StackID) uint32 {
	return s.stack(id).site
}

// Owner returns the site at which the owner of a lock, with a stack, acquired it.
func (s *Sites) Owner(id format.StackID, lock format.ObjectID) uint32 { return s.owner(id, lock).site }

// Acquired reports whether owners acquired locks at a site; otherwise they were only in the frame.
func (s *Sites) Acquired(site uint32) bool { return s.acquired[site] }

// OnlyInFrame reports whether the owners at a site were only in the frame: their acquisition sites are
// unknown.
func (s *Sites) OnlyInFrame(site uint32) bool {
	return !s.acquired[site] && s.names.Value(site) != analysis.UnknownStack
}

// Callers returns the callers, in the program's own code, of the site at which the owner of a lock
// acquired it, innermost first: "A.b:1 < C.d:2".
func (s *Sites) Callers(id format.StackID, lock format.ObjectID) uint32 {
	return s.owner(id, lock).callers
}

// Taking returns the stack of a lock's owner from the frame that acquired the lock outwards, with
// the line of the acquisition in that frame.
func (s *Sites) Taking(id format.StackID, lock format.ObjectID) []format.Frame {
	o := s.owner(id, lock)
	frames := slices.Clone(s.sym.Frames(id))
	if len(frames) == 0 {
		return nil
	}
	frames[o.taking].Line = int(o.line)
	return frames[o.taking:]
}

// Doing returns the activity that a stack shows.
func (s *Sites) Doing(id format.StackID) Doing {
	m := s.stack(id)
	if m.own < 0 {
		return DoingUnknown
	}
	if !m.asked {
		m.asked, m.doing = true, doingAt(s.sym.Frames(id)[:m.own], s.sym.Uses(id))
	}
	return m.doing
}

// Created returns the site that made a lock or, if it is unknown, the site of the first recorded
// acquisition.
func (s *Sites) Created(lock format.ObjectID) uint32 {
	if id := s.sym.Object(lock).Stack; len(s.sym.Frames(id)) > 0 {
		return s.stack(id).site
	}
	s.learn()
	if first := *s.lines.firstStack.Entry(int(lock)); first != format.NoStack {
		return s.names.ID(FirstAcquirer + s.names.Value(s.stack(first).site))
	}
	return s.names.ID(UnknownSite)
}

// stack returns the results for a stack.
func (s *Sites) stack(id format.StackID) *ofStack {
	m := s.byID.Entry(int(id))
	if !m.known {
		frames := s.sym.Frames(id)
		m.known, m.own = true, int32(s.innermost(frames))
		if m.own >= 0 {
			m.site = s.names.ID(name(frames[m.own], frames[m.own].Line))
		}
	}
	return m
}

// innermost returns the number of the innermost frame of the program's own code.
func (s *Sites) innermost(frames []format.Frame) int {
	for i, f := range frames {
		if s.IsOwnCode(f) {
			return i
		}
	}
	for i, f := range frames {
		if !analysis.RuntimeFrame(f) {
			return i
		}
	}
	return len(frames) - 1
}

// owner returns the result for a stack of the owner of a lock.
func (s *Sites) owner(id format.StackID, lock format.ObjectID) ofOwner {
	s.learn()
	m := s.stack(id)
	if m.own < 0 || m.last == lock && lock != format.NoObject {
		return m.owner
	}
	pair := analysis.Acquisition{Stack: id, Lock: lock}
	o, known := s.of[pair]
	if !known {
		frames := s.sym.Frames(id)
		at, line, known := s.find(m, pair, frames)
		o = ofOwner{int32(at), int32(line), s.names.ID(name(frames[at], line)), s.callersID(frames[at+1:])}
		s.of[pair] = o
		if known {
			s.acquired[o.site] = true
		}
	}
	m.last, m.owner = lock, o
	return o
}

// Took returns the site at which a thread with a stack acquired a lock that it holds, "" if no event
// shows a frame of the stack with this lock.
func (s *Sites) Took(id format.StackID, lock format.ObjectID) string {
	o, frames := s.owner(id, lock), s.sym.Frames(id)
	if len(frames) == 0 {
		return ""
	}
	at := func(what use) bool { return len(s.lines.linesOf(what, uint32(lock), frames[o.taking])) > 0 }
	if s.lines.stacks[analysis.Acquisition{Stack: id, Lock: lock}] || at(acquires) || at(releases) {
		return s.names.Value(o.site)
	}
	return ""
}

// find returns the frame of an owner's stack that acquired a lock, and its line; if it is unknown,
// the innermost frame.
func (s *Sites) find(m *ofStack, a analysis.Acquisition, frames []format.Frame) (at, line int, known bool) {
	at = int(m.own)
	if s.lines.stacks[a] {
		return at, frames[at].Line, true
	}
	for _, by := range [...]struct {
		what use
		of   uint32
		line func(lines []int32, line int) int
	}{{acquires, uint32(a.Lock), lastAtOrBefore}, {releases, uint32(a.Lock), firstAtOrAfter},
		{acquiresClass, s.sym.Class(a.Lock), lastAtOrBefore}} {
		for i := at; i < len(frames); i++ {
			if lines := s.lines.linesOf(by.what, by.of, frames[i]); len(lines) > 0 {
				return i, by.line(lines, frames[i].Line), true
			}
		}
	}
	return at, frames[at].Line, false
}

// callersID returns the number of the program's own frames of a stack, and keeps them.
func (s *Sites) callersID(frames []format.Frame) uint32 {
	var chain []string
	for _, f := range frames {
		if s.IsOwnCode(f) {
			chain = append(chain, name(f, f.Line))
		}
	}
	id := s.names.ID(strings.Join(chain, " < "))
	if s.chains == nil {
		s.chains = map[uint32][]string{}
	}
	s.chains[id] = chain
	return id
}

// CallersFrames returns the frames that Callers numbered, as Class.method:line, innermost first; nil if there are none.
func (s *Sites) CallersFrames(callers uint32) []string { return s.chains[callers] }

// name writes a frame as Class.method:line.
func name(f format.Frame, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", analysis.MethodName(f), line)
	}
	return analysis.MethodName(f)
}
