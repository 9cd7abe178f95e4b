package threaddump

import (
	"strconv"
	"strings"

	"contend/format"
)

// javacore reads the dumps of IBM J9 and OpenJ9, whose lines begin with a tag. It reads
// only the title and the section THREADS. The section LOCKS repeats the monitors, and lists
// the VM's own, on which no Java thread is shown blocked.
type javacore struct {
	builder      // threads are known by their J9VMThread
	threads bool // within the section
	excerpt bool // it begins with a thread
	monitor monitorLines
	ended   bool
}

func javacoreHeader(line string) bool {
	return strings.HasPrefix(line, "0SECTION ") && strings.Contains(line, " TITLE subcomponent dump routine")
}

// javacoreThread matches the first line of a thread in an excerpt.
func javacoreThread(line string) bool {
	return strings.HasPrefix(line, "3XMTHREADINFO ") && strings.Contains(line, "J9VMThread:0x") || monitorLine(line)
}

// monitorLines reads the section LOCKS where an excerpt has no other: which thread owns a monitor, and
// which wait for it; and the report of a deadlock in it.
type monitorLines struct {
	alone  bool
	ref    LockRef
	owner  string
	waiter string // of a deadlock
}

// monitorLine matches a line of that section with which an excerpt may begin.
func monitorLine(line string) bool {
	return strings.HasPrefix(line, "3LKMONOBJECT ") || strings.HasPrefix(line, "3LKDEADLOCKWTR ")
}

// monitorLine reads a line of the section.
func (p *javacore) monitorLine(tag, text string) {
	m := &p.monitor
	name := ""
	if from, to := strings.IndexByte(text, '"'), strings.LastIndexByte(text, '"'); from >= 0 && to > from {
		name = p.names.intern(text[from+1 : to])
	}
	switch tag {
	case "3LKMONOBJECT": // CLASS@0x1f: Flat locked by "name" (J9VMThread:0x.., ..), entry count 1
		ref, _, _ := strings.Cut(text, ": ")
		m.ref, m.owner = p.names.hashed(ref), name
	case "3LKWAITER":
		if name != "" && m.ref != (LockRef{}) {
			p.relations = append(p.relations, relation{name, Blocked, m.ref, m.owner})
		}
	case "2LKDEADLOCKTHR": // it waits for the object that follows, and owns the one before
		if n := len(p.relations); n > 0 && m.waiter != "" && p.relations[n-1].owner == "" {
			p.relations[n-1].owner = name
		}
		m.waiter = name
	case "4LKDEADLOCKOBJ":
		if ref := p.names.hashed(text); m.waiter != "" && ref != (LockRef{}) {
			p.relations = append(p.relations, relation{m.waiter, Blocked, ref, ""})
		}
	}
}

func newJavacore(n *names, _ []string, line string) parser {
	p := &javacore{builder: newBuilder(n, format.NoTime), threads: javacoreThread(line)}
	p.dump.Addresses = true
	p.excerpt = p.threads
	p.monitor.alone = monitorLine(line)
	return p
}

// javacoreParts are the lines under a thread's first that are read.
var javacoreParts = map[string]func(p *javacore, text string){
	"3XMJAVALTHREAD": (*javacore).javaThread,
	"3XMTHREADINFO1": (*javacore).nativeThread,
	"3XMTHREADBLOCK": (*javacore).block,
	"4XESTACKTRACE":  (*javacore).stack,
	"5XESTACKTRACE":  (*javacore).entered,
}

func (p *javacore) line(line string) bool {
	if len(line) == 0 || line[0] == ' ' || p.ended {
		return !p.ended
	}
	tag, text, _ := strings.Cut(line, " ")
	text = strings.TrimLeft(text, " ")
	switch part := javacoreParts[tag]; {
	case p.monitor.alone && strings.Contains(tag, "LK"):
		p.monitorLine(tag, text)
	case tag == "0SECTION":
		p.ended = p.threads
		p.threads = strings.Contains(text, "THREADS subcomponent")
	case tag == "1TIDATETIMEUTC", tag == "1TIDATETIME":
		p.time(text)
	case tag == "3XMTHREADINFO" && p.threads:
		if p.excerpt && p.repeats(text) {
			return false
		}
		p.thread(text)
	case tag == "3XMVTHDINFO" && p.threads:
		p.virtual(text)
	case part != nil && p.cur != nil:
		part(p, text)
	}
	return !p.ended
}

// time reads `Date: 2019/11/05 at 22:40:43:409`. If there is a line in UTC, it comes first.
func (p *javacore) time(text string) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "Date:"), " ")
	if len(text) > 22 && text[22] == ':' {
		text = text[:22] + "." + text[23:]
	}
	if t, ok := timeIn(text); ok && p.dump.Time == format.NoTime {
		p.dump.Time = t
	}
}

// thread begins a thread: `"name" J9VMThread:0x.., omrthread_t:0x..,
// java/lang/Thread:0x.., state:R, prio=5`. Threads outside the VM have no
// name. A crash lists the current thread twice.
func (p *javacore) thread(text string) {
	p.next()
	end := strings.LastIndexByte(text, '"')
	if end < 1 {
		if strings.HasPrefix(text, "Anonymous native thread") {
			p.begin(Thread{Name: "Anonymous native thread"})
		}
		return
	}
	vm, ok := hexadecimal(attribute(text[end:], "J9VMThread:"))
	if ok && !p.known(vm) {
		return
	}
	p.begin(Thread{Name: p.names.intern(text[1:end]), State: javacoreStates[attribute(text[end:], "state:")]})
}

// repeats reports whether a thread of an excerpt was there before: it is the next dump's.
func (p *javacore) repeats(text string) bool {
	vm, ok := hexadecimal(attribute(text, "J9VMThread:"))
	_, listed := p.byID[vm]
	return ok && listed
}

// virtual begins a thread of the list of unmounted ones, which all wait: `"name"
// J9VMContinuation:0x.., java/lang/Thread:0x..`. Its owner's lines name the latter.
func (p *javacore) virtual(text string) {
	p.next()
	end := strings.LastIndexByte(text, '"')
	object, ok := hexadecimal(attribute(text, "java/lang/Thread:"))
	if end < 0 || !ok || !p.known(object) {
		return
	}
	p.begin(Thread{Name: p.names.intern(strings.TrimPrefix(text[:end], `"`)), Virtual: true, State: "WAITING"})
}

// hexadecimal reads `0x000000000399E100`. Addresses beyond 63 bits wrap, which
// does not matter to an id.
func hexadecimal(text string) (int64, bool) {
	v, err := strconv.ParseUint(text, 0, 64)
	return int64(v), err == nil
}

// javacoreStates are OpenJ9's letters in Java's words. P is a park, with or
// without a limit.
var javacoreStates = map[string]string{
	"R":  "RUNNABLE",
	"B":  "BLOCKED",
	"CW": "WAITING",
	"P":  "WAITING",
	"S":  "TIMED_WAITING",
	"Z":  "TERMINATED",
}

// attribute returns the text after a key, up to a comma or bracket.
func attribute(text, key string) string {
	_, value, _ := strings.Cut(text, key)
	if end := strings.IndexAny(value, ",)"); end >= 0 {
		value = value[:end]
	}
	return strings.TrimSpace(value)
}

func (p *javacore) javaThread(text string) {
	p.cur.JavaID, _ = strconv.ParseInt(attribute(text, "getId:"), 0, 64)
}

func (p *javacore) nativeThread(text string) {
	p.cur.NativeID, _ = strconv.ParseInt(attribute(text, "native thread ID:"), 0, 64)
}

// javacoreWaits are the words of a thread's block line.
var javacoreWaits = map[string]Wait{"Blocked on": Blocked, "Waiting on": Waiting, "Parked on": Parked}

// block reads `Blocked on: CLASS@0x.. Owned by: "name" (J9VMThread:0x.., ..)`.
func (p *javacore) block(text string) {
	kind, rest, _ := strings.Cut(text, ": ")
	wait := javacoreWaits[kind]
	if wait == NotWaiting {
		return
	}
	ref, owner, _ := strings.Cut(rest, " Owned by: ")
	if strings.HasPrefix(ref, classLock) { // it has no owner, and does not name the class
		p.waits(Blocked, LockRef{Class: format.Initialisation + "a class", Addr: p.names.hashed(ref).Addr})
		return
	}
	p.waits(wait, p.names.hashed(ref))
	vm, ok := hexadecimal(attribute(owner, "J9VMThread:"))
	if vm == 0 { // an unmounted virtual thread
		vm, ok = hexadecimal(attribute(owner, "java/lang/Thread:"))
	}
	if ok && vm != 0 && wait != Waiting {
		name := ""
		if end := strings.LastIndex(owner, `" (J9VMThread:`); end > 0 && owner[0] == '"' {
			name = p.names.intern(owner[1:end])
		}
		p.claims = append(p.claims, claim{vm, name, 0, p.cur.For})
	}
}

func (p *javacore) stack(text string) {
	frame, ok := strings.CutPrefix(text, "at ")
	inCarrier := strings.HasPrefix(frame, "jdk/internal/vm/Continuation") ||
		strings.HasPrefix(frame, "java/lang/VirtualThread.")
	if !ok || p.cur.Virtual && len(p.cur.Frames) == 0 && inCarrier {
		return // how it left its carrier
	}
	p.frame(frame, slashed)
}

// classLock is the class of the object on which threads wait for a class to be
// initialised.
const classLock = "java/lang/J9VMInternals$ClassInitializationLock"

// entered reads `(entered lock: CLASS@0x.., entry count: 1)`.
func (p *javacore) entered(text string) {
	if ref, ok := strings.CutPrefix(text, "(entered lock: "); ok {
		p.locks(p.names.hashed(ref), len(p.cur.Frames)-1)
	}
}

// finish: nothing marks the end of a thread, so the last one of a cut dump may lack
// lines.
func (p *javacore) finish(cut bool) *Dump {
	p.dump.Cut = cut && !p.ended && !p.excerpt
	p.dump.Fragment = p.excerpt
	d := p.done()
	if p.monitor.alone { // it lists no threads but these
		d.Absent = nil
	}
	return d
}
