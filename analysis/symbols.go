package analysis

import (
	"fmt"
	"strings"

	"contend/analysis/owners"
	"contend/format"
)

// Symbols resolves the ids of a trace. Every lookup of an id the trace never
// named gives a placeholder, never a panic.
type Symbols struct {
	threads []Thread
	objects []Object
	stacks  [][]format.Frame
	classes Interner // class names of locks
	groups  Interner // thread names with their numbers removed
	methods Interner // Class.Method of innermost application frames
	inputs  Interner // labels of inputs
	part    int      // number of the input being read, from 1; 0 when none is named
	label   uint32   // its id in inputs
	appOf   []uint32 // stack -> methods id + 1, 0 when not computed yet
	version uint32   // counts definitions
}

// Version changes whenever an id is defined, or defined anew. What a visitor
// has derived from ids holds while it does not.
func (s *Symbols) Version() uint32 { return s.version }

// NewSymbols returns the symbols a series of metadata events defines.
func NewSymbols(events ...*format.Event) *Symbols {
	s := &Symbols{}
	for _, ev := range events {
		s.add(ev)
	}
	return s
}

// Thread is what the trace says of a thread.
type Thread struct {
	Name  string
	Group uint32 // id in Groups
	part  int    // number of its input
	input uint32 // id in Inputs
}

// Object is what the trace says of a lock.
type Object struct {
	Class uint32 // id in Classes
	Kind  format.LockKind
	Hash  uint64
	Name  string // "" unless the source names it
	Stack format.StackID
}

// Interner maps strings to dense ids counting from 0.
type Interner struct {
	ids   map[string]uint32
	names []string
}

// ID returns the id of s, giving it the next one when it is new.
func (in *Interner) ID(s string) uint32 {
	if id, ok := in.ids[s]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = make(map[string]uint32)
	}
	id := uint32(len(in.names))
	in.ids[s] = id
	in.names = append(in.names, s)
	return id
}

// Name returns the string of an id, "" for one that does not exist.
func (in *Interner) Name(id uint32) string {
	if int(id) < len(in.names) {
		return in.names[id]
	}
	return ""
}

// Len returns how many strings are interned.
func (in *Interner) Len() int { return len(in.names) }

// maxSymbol bounds the ids taken from a trace.
const maxSymbol = owners.MaxID

// add takes a metadata event; other kinds are ignored.
func (s *Symbols) add(ev *format.Event) {
	s.version++
	switch ev.Kind {
	case format.KindThread:
		if grow(&s.threads, int(ev.Thread)) {
			group := ev.Group
			if group == "" {
				group = groupOf(ev.Name)
			}
			s.threads[ev.Thread] = Thread{Name: ev.Name, Group: s.groups.ID(group), part: s.part, input: s.label}
		}
	case format.KindObject:
		if grow(&s.objects, int(ev.Object)) {
			s.objects[ev.Object] = Object{Class: s.classes.ID(ev.Class), Kind: ev.LockKind, Hash: ev.Hash, Name: ev.Name, Stack: ev.Stack}
		}
	case format.KindStack:
		if grow(&s.stacks, int(ev.Stack)) {
			s.stacks[ev.Stack] = append([]format.Frame(nil), ev.Frames...)
		}
	}
}

func grow[T any](table *[]T, id int) bool {
	if id <= 0 || id > maxSymbol {
		return false
	}
	for len(*table) <= id {
		*table = append(*table, *new(T))
	}
	return true
}

// ThreadName returns the name of a thread, "[unknown thread]" for NoThread.
func (s *Symbols) ThreadName(id format.ThreadID) string {
	switch {
	case id == format.NoThread:
		return "[unknown thread]"
	case int(id) < len(s.threads) && s.threads[id].Name != "":
		return s.threads[id].Name
	}
	return fmt.Sprintf("thread-#%d", id)
}

// Threads returns the number of threads the trace names.
func (s *Symbols) Threads() int { return max(len(s.threads)-1, 0) }

// Objects returns the number of locks the trace names.
func (s *Symbols) Objects() int { return max(len(s.objects)-1, 0) }

// Group returns the dense id of a thread's group; Groups names it.
func (s *Symbols) Group(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(s.threads) && s.threads[id].Name != "" {
		return s.threads[id].Group
	}
	return s.groups.ID("[unknown group]")
}

// SameGroup returns how many of the waiters, the first one included, come before
// one of another group.
func (s *Symbols) SameGroup(waiters []Waiter) int {
	group, n := s.Group(waiters[0].Thread), 1
	for n < len(waiters) && s.Group(waiters[n].Thread) == group {
		n++
	}
	return n
}

// Groups names group ids.
func (s *Symbols) Groups() *Interner { return &s.groups }

// Classes names class ids.
func (s *Symbols) Classes() *Interner { return &s.classes }

// Methods names method ids.
func (s *Symbols) Methods() *Interner { return &s.methods }

// Class returns the dense class id of a lock; Classes names it.
func (s *Symbols) Class(id format.ObjectID) uint32 {
	if id != format.NoObject && int(id) < len(s.objects) {
		return s.objects[id].Class
	}
	return s.classes.ID("[unknown class]")
}

// ClassName returns the class of a lock as its language writes it.
func (s *Symbols) ClassName(id format.ObjectID) string { return s.classes.Name(s.Class(id)) }

// Object returns what the trace says of a lock.
func (s *Symbols) Object(id format.ObjectID) Object {
	if int(id) < len(s.objects) {
		return s.objects[id]
	}
	return Object{}
}

// LockName returns a name that tells locks of one class apart: the name the
// source gave it, else Class@hash, else Class#id.
func (s *Symbols) LockName(id format.ObjectID) string {
	o := s.Object(id)
	switch {
	case o.Name != "":
		return o.Name
	case o.Hash != 0:
		return fmt.Sprintf("%s@%x", s.ClassName(id), o.Hash)
	}
	return fmt.Sprintf("%s#%d", s.ClassName(id), id)
}

// Frames returns a stack, innermost frame first; nil when it is unknown.
func (s *Symbols) Frames(id format.StackID) []format.Frame {
	if int(id) < len(s.stacks) {
		return s.stacks[id]
	}
	return nil
}

// Method returns the dense id of the innermost frame of a stack that is not
// the lock or the runtime itself; Methods names it as Class.Method.
func (s *Symbols) Method(id format.StackID) uint32 {
	if int(id) >= len(s.stacks) || id == format.NoStack {
		return s.methods.ID(UnknownStack)
	}
	for len(s.appOf) < len(s.stacks) {
		s.appOf = append(s.appOf, 0)
	}
	if s.appOf[id] == 0 {
		text := UnknownStack
		if f, ok := AppFrame(s.stacks[id]); ok {
			text = MethodName(f)
		}
		s.appOf[id] = s.methods.ID(text) + 1
	}
	return s.appOf[id] - 1
}

// Annotation returns the dense id of what the program said it was doing when a
// stack was taken, a format.TaskClass or format.RegionClass; Methods names it.
// Without one it is "[no task]" or "[no region]".
func (s *Symbols) Annotation(id format.StackID, class string) uint32 {
	frames := s.Frames(id)
	for i := len(frames) - 1; i >= 0 && strings.HasPrefix(frames[i].Class, "["); i-- {
		if frames[i].Class == class {
			return s.methods.ID(frames[i].Method)
		}
	}
	return s.methods.ID("[no " + class[1:])
}

// Kind returns what sort of lock an id names.
func (s *Symbols) Kind(id format.ObjectID) format.LockKind { return s.Object(id).Kind }

// Bare reports whether a stack holds no frame of the application.
func (s *Symbols) Bare(id format.StackID) bool {
	for _, f := range s.Frames(id) {
		if !RuntimeFrame(f) {
			return false
		}
	}
	return true
}

// Caller returns the innermost frame of a stack that belongs to neither the
// lock nor the runtime; the outermost one if all do.
func (s *Symbols) Caller(id format.StackID) format.Frame {
	f, _ := AppFrame(s.Frames(id))
	return f
}

// UnknownStack stands for the stack of an owner of whom only the thread is
// known.
const UnknownStack = "[unknown stack]"

// MethodName writes a frame as Class.Method.
func MethodName(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// AppFrame returns the innermost frame that belongs to neither the lock nor
// the runtime; the outermost frame if all do. ok is false for no frames.
func AppFrame(frames []format.Frame) (f format.Frame, ok bool) {
	if len(frames) == 0 {
		return format.Frame{}, false
	}
	for _, f := range frames {
		if !RuntimeFrame(f) {
			return f, true
		}
	}
	return frames[len(frames)-1], true
}

// runtimePrefixes are the classes and packages that implement locking,
// parking and sleeping. Ordinary library code (java.util.Hashtable) is not
// among them: it is what one would want to see blamed.
var runtimePrefixes = [...]string{
	"java.util.concurrent.locks.", "java.util.concurrent.Semaphore",
	"java.lang.VirtualThread", "jdk.internal.misc.Unsafe", "jdk.internal.vm.", "sun.misc.Unsafe",
	"sync.", "internal/sync.", "runtime.",
}

// runtimeClasses are the same, matched whole.
var runtimeClasses = map[string]bool{
	"java.lang.Object": true, "java.lang.Thread": true, "sync": true, "internal/sync": true, "runtime": true, "time": true,
}

// RuntimeFrame reports whether a frame belongs to the lock or the runtime itself.
func RuntimeFrame(f format.Frame) bool {
	if runtimeClasses[f.Class] {
		return true
	}
	for _, p := range runtimePrefixes {
		if strings.HasPrefix(f.Class, p) {
			return true
		}
	}
	return false
}

// groupOf removes the numbers from a thread name: pool-3-thread-12 becomes
// pool--thread-.
func groupOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}
