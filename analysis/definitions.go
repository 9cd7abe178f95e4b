package analysis

import (
	"fmt"
	"slices"
	"strings"

	"contend/analysis/owners"
	"contend/format"
)

// definitions are the names and properties of threads, locks and stacks that a trace
// defines. Lookups change nothing and may run concurrently; additions must be exclusive,
// see Definer. A lookup of an unknown id gives a placeholder and never panics.
type definitions struct {
	threads  []Thread
	objects  []Object
	sameName map[string][]format.ObjectID // locks that only their order tells apart, by their name
	stacks   [][]format.Frame
	owned    []bool                  // by stack: a frame is of the application
	classes  format.Interner[string] // class names of locks
	groups   format.Interner[string] // thread names with their numbers removed
	inputs   format.Interner[string] // labels of inputs
	part     int                     // number of the current input, from 1; 0 if none is named
	label    uint32                  // its id in inputs
	version  int                     // rises when an id changes its meaning
	named    usedIDs                 // by the events so far
	stackUses
}

// unknownName is the id of a class, group or input that the trace does not name.
const unknownName = 0

// UnnamedInput is the label of an input that no setting names.
const UnnamedInput = "[unnamed input]"

func newDefinitions() *definitions {
	d := &definitions{}
	d.classes.ID("[unknown class]")
	d.groups.ID("[unknown group]")
	d.inputs.ID(UnnamedInput)
	return d
}

// Thread is a thread as the trace defines it.
type Thread struct {
	Name  string
	Group uint32 // id in Groups
	part  int    // number of its input
	input uint32 // id in Inputs
}

// Object is a lock as the trace defines it.
type Object struct {
	Class uint32 // id in Classes
	Kind  format.LockKind
	Hash  uint64
	Name  string // "" unless the source names it
	Stack format.StackID

	Addresses int // number of addresses at which it was recorded as a separate lock; 0 for one
}

// maxSymbol bounds the ids taken from a trace.
const maxSymbol = owners.MaxID

// define records a metadata event and ignores other kinds.
func (d *definitions) define(ev *format.Event) {
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
			now := Object{
				Class: d.classes.ID(ev.Class),
				Kind:  ev.LockKind,
				Hash:  ev.Hash,
				Name:  ev.Name,
				Stack: ev.Stack,
			}
			redefine(d, &d.objects[ev.Object], now, ev.Object <= d.named.lock)
			d.number(ev.Object)
		}
	case format.KindStack:
		if grow(&d.stacks, int(ev.Stack)) {
			d.stacks[ev.Stack] = frames
			grow(&d.owned, int(ev.Stack))
			d.owned[ev.Stack] = slices.ContainsFunc(frames, func(f format.Frame) bool { return !RuntimeFrame(f) })
		}
	}
}

// number notes a lock whose name others may have: one by call site, or of an unknown class.
func (d *definitions) number(id format.ObjectID) {
	o := &d.objects[id]
	if class := d.classes.Value(o.Class); o.Name == "" && class != "" && class != d.classes.Value(unknownName) {
		return
	}
	name := d.givenName(id)
	if d.sameName == nil {
		d.sameName = map[string][]format.ObjectID{}
	}
	if !slices.Contains(d.sameName[name], id) && len(d.sameName[name]) < maxSameName {
		d.sameName[name] = append(d.sameName[name], id)
	}
}

// maxSameName is how many locks of one name are told apart.
const maxSameName = 64

// usedIDs are the largest ids that events have named.
type usedIDs struct {
	thread format.ThreadID
	lock   format.ObjectID
}

func (u *usedIDs) markUsed(ev *format.Event) {
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

// redefine gives an id its meaning. A change, or a first meaning after events have used the
// id, invalidates data that visitors derived from it.
func redefine[T comparable](d *definitions, meaning *T, now T, named bool) {
	var none T
	if *meaning != now && (*meaning != none || named) {
		d.version++
	}
	*meaning = now
}

// Version rises when the trace renames a thread or a lock, or first names one that events
// have used. Data derived from ids at a lower version may be wrong.
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

// input begins the next input of the trace. An empty label repeats the previous one.
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

// Stacks returns the number of stacks the trace gives.
func (d *definitions) Stacks() int { return max(len(d.stacks)-1, 0) }

// Group returns the dense id of a thread's group; Groups names it.
func (d *definitions) Group(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(d.threads) && d.threads[id].Name != "" {
		return d.threads[id].Group
	}
	return unknownName
}

// Groups names group ids.
func (d *definitions) Groups() *format.Interner[string] { return &d.groups }

// Input returns the dense id of a thread's input; Inputs names it.
func (d *definitions) Input(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(d.threads) {
		return d.threads[id].input
	}
	return unknownName
}

// Inputs names input ids.
func (d *definitions) Inputs() *format.Interner[string] { return &d.inputs }

// Part returns the number of a thread's input, from 1; 0 before any is named.
func (d *definitions) Part(id format.ThreadID) int {
	if int(id) < len(d.threads) {
		return d.threads[id].part
	}
	return 0
}

// Classes names class ids.
func (d *definitions) Classes() *format.Interner[string] { return &d.classes }

// Class returns the dense class id of a lock; Classes names it.
func (d *definitions) Class(id format.ObjectID) uint32 {
	if id != format.NoObject && int(id) < len(d.objects) {
		return d.objects[id].Class
	}
	return unknownName
}

// ClassName returns the class of a lock as its language spells it.
func (d *definitions) ClassName(id format.ObjectID) string { return d.classes.Value(d.Class(id)) }

// Fair reports whether a lock is granted in order of arrival.
func (d *definitions) Fair(id format.ObjectID) bool {
	return strings.HasSuffix(d.ClassName(id), "$FairSync")
}

// Object returns a lock as the trace defines it.
func (d *definitions) Object(id format.ObjectID) Object {
	if int(id) < len(d.objects) {
		return d.objects[id]
	}
	return Object{}
}

// LockName returns a name that distinguishes locks of one class: the name in the source,
// else Class@hash, else Class#id. Of several locks called so, all but the first have a number.
func (d *definitions) LockName(id format.ObjectID) string {
	name := d.givenName(id)
	if n := slices.Index(d.sameName[name], id); n > 0 {
		return fmt.Sprintf("%s (%d)", name, n+1)
	}
	return name
}

func (d *definitions) givenName(id format.ObjectID) string {
	o := d.Object(id)
	switch {
	case o.Name != "":
		return o.Name
	case o.Hash != 0:
		return fmt.Sprintf("%s@%x", d.ClassName(id), o.Hash)
	}
	return fmt.Sprintf("%s#%d", d.ClassName(id), id)
}

// EachFrame calls f with every frame of every stack.
func (d *definitions) EachFrame(f func(format.Frame)) {
	for _, stack := range d.stacks {
		for _, frame := range stack {
			f(frame)
		}
	}
}

// Frames returns a stack, innermost frame first; nil if unknown.
func (d *definitions) Frames(id format.StackID) []format.Frame {
	if int(id) < len(d.stacks) {
		return d.stacks[id]
	}
	return nil
}

// Kind returns the kind of a lock.
func (d *definitions) Kind(id format.ObjectID) format.LockKind { return d.Object(id).Kind }

// Bare reports whether a stack has no application frame.
func (d *definitions) Bare(id format.StackID) bool {
	return int(id) >= len(d.owned) || !d.owned[id]
}

// Caller returns the innermost frame of a stack that belongs to neither the lock nor the
// runtime; the outermost frame if all do.
func (d *definitions) Caller(id format.StackID) format.Frame {
	f, _ := AppFrame(d.Frames(id))
	return f
}

// Application returns a stack from its innermost application frame outwards; nil if there
// is none.
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
