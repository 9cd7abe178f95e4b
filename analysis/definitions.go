package analysis

import (
	"fmt"
	"slices"
	"strings"

	"contend/analysis/owners"
	"contend/format"
)

// definitions is what a trace says of the things it names by ids. Looking one
// up changes nothing, so that any number may do so at once; who adds to them
// must be alone, see definer. Every lookup of an id the trace never named gives
// a placeholder, never a panic.
type definitions struct {
	threads []Thread
	objects []Object
	stacks  [][]format.Frame
	owned   []bool   // by stack: a frame is of the application
	classes Interner // class names of locks
	groups  Interner // thread names with their numbers removed
	inputs  Interner // labels of inputs
	part    int      // number of the input being read, from 1; 0 when none is named
	label   uint32   // its id in inputs
	version int      // rises when an id gets another meaning
	named   usedIDs  // by events so far
	stackUses
}

// unknownName is the id that classes, groups and inputs have for what the trace
// does not tell.
const unknownName = 0

// UnnamedInput is the label of what no setting names.
const UnnamedInput = "[unnamed input]"

func newDefinitions() *definitions {
	d := &definitions{}
	d.classes.ID("[unknown class]")
	d.groups.ID("[unknown group]")
	d.inputs.ID(UnnamedInput)
	return d
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

	Addresses int // at how many it was recorded as a lock of its own; 0 for one
}

// maxSymbol bounds the ids taken from a trace.
const maxSymbol = owners.MaxID

// add takes a metadata event; other kinds are ignored.
func (d *definitions) add(ev *format.Event) {
	frames := keepNames(ev)
	switch ev.Kind {
	case format.KindThread:
		if grow(&d.threads, int(ev.Thread)) {
			group := ev.Group
			if group == "" {
				group = groupOf(ev.Name)
			}
			now := Thread{Name: ev.Name, Group: d.groups.ID(group), part: d.part, input: d.label}
			redefine(d, &d.threads[ev.Thread], now, ev.Thread <= d.named.thread)
		}
	case format.KindObject:
		if grow(&d.objects, int(ev.Object)) {
			now := Object{Class: d.classes.ID(ev.Class), Kind: ev.LockKind, Hash: ev.Hash, Name: ev.Name, Stack: ev.Stack}
			redefine(d, &d.objects[ev.Object], now, ev.Object <= d.named.lock)
		}
	case format.KindStack:
		if grow(&d.stacks, int(ev.Stack)) {
			d.stacks[ev.Stack] = frames
			grow(&d.owned, int(ev.Stack))
			d.owned[ev.Stack] = slices.ContainsFunc(frames, func(f format.Frame) bool { return !RuntimeFrame(f) })
		}
	}
}

// usedIDs are the largest ids that events have named.
type usedIDs struct {
	thread format.ThreadID
	lock   format.ObjectID
}

func (u *usedIDs) add(ev *format.Event) {
	switch ev.Kind {
	case format.KindThread, format.KindObject, format.KindStack:
		return
	}
	u.thread, u.lock = max(u.thread, ev.Thread, ev.Owner, ev.Woken), max(u.lock, ev.Object)
	for i := range ev.Owners {
		u.thread = max(u.thread, ev.Owners[i].Thread)
	}
	for i := range ev.Waiters {
		u.thread = max(u.thread, ev.Waiters[i].Thread)
	}
}

// redefine gives an id its meaning. What visitors worked out of another one, or of
// none, is void.
func redefine[T comparable](d *definitions, meaning *T, now T, named bool) {
	var none T
	if *meaning != now && (*meaning != none || named) {
		d.version++
	}
	*meaning = now
}

// Version tells whether what was found by ids may still be so: it rises when the
// trace calls a thread or a lock otherwise than before, or names one that events
// came of already.
func (d *definitions) Version() int { return d.version }

func grow[T any](table *[]T, id int) bool {
	if id <= 0 || id > maxSymbol {
		return false
	}
	for len(*table) <= id {
		*table = append(*table, *new(T))
	}
	return true
}

// input begins the next input of the trace; label names it, as the one before
// where it is empty.
func (d *definitions) input(label string) {
	d.part++
	if label != "" {
		d.label = d.inputs.ID(label)
	}
}

// ThreadName returns the name of a thread, "[unknown thread]" for NoThread.
func (d *definitions) ThreadName(id format.ThreadID) string {
	switch {
	case id == format.NoThread:
		return "[unknown thread]"
	case int(id) < len(d.threads) && d.threads[id].Name != "":
		return d.threads[id].Name
	}
	return fmt.Sprintf("thread-#%d", id)
}

// Threads returns the number of threads the trace names.
func (d *definitions) Threads() int { return max(len(d.threads)-1, 0) }

// Objects returns the number of locks the trace names.
func (d *definitions) Objects() int { return max(len(d.objects)-1, 0) }

// Group returns the dense id of a thread's group; Groups names it.
func (d *definitions) Group(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(d.threads) && d.threads[id].Name != "" {
		return d.threads[id].Group
	}
	return unknownName
}

// Groups names group ids.
func (d *definitions) Groups() *Interner { return &d.groups }

// Input returns the dense id of the input a thread belongs to; Inputs names
// it.
func (d *definitions) Input(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(d.threads) {
		return d.threads[id].input
	}
	return unknownName
}

// Inputs names the ids of inputs.
func (d *definitions) Inputs() *Interner { return &d.inputs }

// partOf returns the number of the input a thread belongs to.
func (d *definitions) partOf(id int) int {
	if id < len(d.threads) {
		return d.threads[id].part
	}
	return 0
}

// Classes names class ids.
func (d *definitions) Classes() *Interner { return &d.classes }

// Class returns the dense class id of a lock; Classes names it.
func (d *definitions) Class(id format.ObjectID) uint32 {
	if id != format.NoObject && int(id) < len(d.objects) {
		return d.objects[id].Class
	}
	return unknownName
}

// ClassName returns the class of a lock as its language writes it.
func (d *definitions) ClassName(id format.ObjectID) string { return d.classes.Name(d.Class(id)) }

// Fair reports whether a lock goes to who has waited longest.
func (d *definitions) Fair(id format.ObjectID) bool {
	return strings.HasSuffix(d.ClassName(id), "$FairSync")
}

// Object returns what the trace says of a lock.
func (d *definitions) Object(id format.ObjectID) Object {
	if int(id) < len(d.objects) {
		return d.objects[id]
	}
	return Object{}
}

// LockName returns a name that tells locks of one class apart: the name the
// source gave it, else Class@hash, else Class#id.
func (d *definitions) LockName(id format.ObjectID) string {
	o := d.Object(id)
	switch {
	case o.Name != "":
		return o.Name
	case o.Hash != 0:
		return fmt.Sprintf("%s@%x", d.ClassName(id), o.Hash)
	}
	return fmt.Sprintf("%s#%d", d.ClassName(id), id)
}

// EachFrame calls f with every frame of every stack the trace names.
func (d *definitions) EachFrame(f func(format.Frame)) {
	for _, stack := range d.stacks {
		for _, frame := range stack {
			f(frame)
		}
	}
}

// Frames returns a stack, innermost frame first; nil when it is unknown.
func (d *definitions) Frames(id format.StackID) []format.Frame {
	if int(id) < len(d.stacks) {
		return d.stacks[id]
	}
	return nil
}

// Kind returns what sort of lock an id names.
func (d *definitions) Kind(id format.ObjectID) format.LockKind { return d.Object(id).Kind }

// Bare reports whether a stack holds no frame of the application.
func (d *definitions) Bare(id format.StackID) bool {
	return int(id) >= len(d.owned) || !d.owned[id]
}

// Caller returns the innermost frame of a stack that belongs to neither the
// lock nor the runtime; the outermost one if all do.
func (d *definitions) Caller(id format.StackID) format.Frame {
	f, _ := AppFrame(d.Frames(id))
	return f
}

// Application returns a stack from its innermost frame of the application on,
// outwards; nil when there is none.
func (d *definitions) Application(id format.StackID) []format.Frame {
	frames := d.Frames(id)
	for i, f := range frames {
		if !RuntimeFrame(f) {
			return frames[i:]
		}
	}
	return nil
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
