package threaddump

import (
	"cmp"
	"strconv"
	"strings"

	"contend/format"
)

// builder collects the threads of one dump; every dialect has one.
type builder struct {
	names  *names
	dump   *Dump
	cur    *Thread // the thread being read, nil between threads
	locked []taken // its monitors, innermost first
	byID   map[int64]int
	claims []claim
	began  int // how often a thread began
	title  int // the place of a title that the current thread replaces, -1 for none

	relations []relation
}

// claim is the owner of its lock that a blocked thread names.
type claim struct {
	owner int64  // an id given to builder.known
	name  string // of that thread, "" when not known
	java  int64  // its JavaID, 0 when not known
	ref   LockRef
}

func newBuilder(n *names, time int64) builder {
	return builder{names: n, dump: &Dump{Time: time}, byID: make(map[int64]int), title: -1}
}

// begin completes the current thread and begins the next.
func (b *builder) begin(t Thread) {
	title := b.title
	b.next()
	b.cur, b.title = &t, title
	b.began++
}

// known remembers the current thread under an id; false when the dump has a
// thread of that id already.
func (b *builder) known(id int64) bool {
	if _, twice := b.byID[id]; twice {
		return false
	}
	b.byID[id] = len(b.dump.Threads)
	return true
}

// threadsBegun returns how often a thread began.
func (b *builder) threadsBegun() int { return b.began }

// replaces removes a title above the current thread: the same first line without a stack,
// which consoles print above a thread. It reports whether there is one.
func (b *builder) replaces(id int64, name string) bool {
	i, listed := b.byID[id]
	if !listed || b.dump.Threads[i].Name != name || len(b.dump.Threads[i].Frames) > 0 ||
		b.dump.Threads[i].For != (LockRef{}) {
		return false
	}
	b.title = i
	return true
}

// usualFrames is enough capacity for most stacks.
const usualFrames = 16

// frame adds the text after "at " to the current thread.
func (b *builder) frame(text string, notation int) {
	if f, ok := b.names.frame(text, notation); ok && len(b.cur.Frames) < format.MaxFrames {
		if b.cur.Frames == nil {
			b.cur.Frames = make([]format.Frame, 0, usualFrames)
		}
		b.cur.Frames = append(b.cur.Frames, f)
	}
}

// locks adds a monitor that the current thread holds, acquired in the frame of a number; -1
// if unknown.
func (b *builder) locks(ref LockRef, frame int) { b.locked = append(b.locked, taken{ref, frame}) }

// waits sets the lock that the current thread waits for. It is printed with its innermost
// frames, so the first line that names a lock counts.
func (b *builder) waits(how Wait, ref LockRef) {
	if b.cur.Wait == NotWaiting || b.cur.For == (LockRef{}) {
		b.cur.Wait, b.cur.For = how, ref
	}
}

// waitsByState sets the lock that a thread waits for if only its state distinguishes a
// monitor from a park.
func (b *builder) waitsByState(ref LockRef) {
	how := Parked
	if b.cur.State == "BLOCKED" {
		how = Blocked
	}
	b.waits(how, ref)
}

// lockLine is the prefix of a line that names a lock, and how the current thread waits for
// it; NotWaiting for one that it holds.
type lockLine struct {
	prefix string
	how    Wait
}

// lockIn reads a line under a frame that names a lock, with its owner if that is known;
// ok is false when it is none of those given.
func (b *builder) lockIn(lines []lockLine, text string, lock func(string) LockRef) (how Wait, ok bool) {
	for _, l := range lines {
		ref, ok := strings.CutPrefix(text, l.prefix)
		switch {
		case !ok:
			continue
		case l.how == NotWaiting:
			b.locks(lock(ref), len(b.cur.Frames)-1)
		default:
			b.waits(l.how, lock(ref))
			b.ownedBy(text)
		}
		return l.how, true
	}
	return NotWaiting, false
}

// ownerMarks precede the owner of a lock and, if it is named, separate its name and its id.
var ownerMarks = [...]struct{ before, id string }{
	{" held by thread ", ""}, // by ART
	{" held by tid=", ""},    // by Dalvik, which has the name behind it
	{", owner #", ""},        // by Thread.dump_to_file
	{" owned by ", " t@"},    // by VisualVM: "name" t@12
	{" owned by ", " Id="},   // by ThreadInfo: "name" Id=12
}

// ownedBy reads the owner after a lock that the current thread waits for.
func (b *builder) ownedBy(text string) {
	for _, m := range ownerMarks {
		_, id, ok := strings.Cut(text, m.before)
		if !ok {
			continue
		}
		c := claim{ref: b.cur.For}
		if at := strings.LastIndex(id, m.id); at > 0 && m.id != "" {
			name := strings.TrimSuffix(strings.TrimPrefix(id[:at], `"`), `"`) // which may hold quotes
			c.name, id = b.names.intern(name), id[at+len(m.id):]
		}
		id, behind, _ := strings.Cut(id, " ")
		if name, ok := strings.CutPrefix(behind, "("); ok && m.id == "" && strings.HasSuffix(name, ")") {
			c.name = b.names.intern(strings.TrimSuffix(name, ")"))
		}
		owner, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			continue
		}
		if c.owner = owner; c.name != "" {
			c.java = owner
		}
		b.claims = append(b.claims, c)
		return
	}
}

// next completes the current thread.
func (b *builder) next() {
	if b.cur != nil {
		b.cur.deriveLocks(b.locked)
		if b.title >= 0 {
			b.dump.Threads[b.title] = *b.cur
		} else {
			b.dump.Threads = append(b.dump.Threads, *b.cur)
		}
	}
	b.cur = nil
	b.locked = b.locked[:0]
	b.title = -1
}

// done completes the dump. A last thread that is cut off is kept: its lines name the locks,
// and only outer frames are missing.
func (b *builder) done() *Dump {
	b.next()
	b.dump.relate(b.relations)
	for _, c := range b.claims {
		i, listed := b.byID[c.owner]
		if !listed && b.dump.holds(c.ref) { // the stacks show an owner
			continue
		}
		if !listed { // its waiters name it nevertheless
			i = len(b.dump.Threads)
			b.byID[c.owner] = i
			name := cmp.Or(c.name, "thread "+strconv.FormatInt(c.owner, 10))
			b.dump.Threads = append(b.dump.Threads, Thread{Name: name, JavaID: c.java})
			b.dump.Absent = append(b.dump.Absent, absentOwner{name, c.ref.Class})
		}
		if i < len(b.dump.Threads) {
			b.dump.Threads[i].hold(c.ref)
		}
	}
	b.dump.initOwners()
	return b.dump
}
