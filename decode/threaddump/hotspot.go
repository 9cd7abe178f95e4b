package threaddump

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"contend/format"
)

// HotSpot parses the thread dumps of one JVM, most of whose lines repeat in each.
type HotSpot struct{ names *names }

// NewHotSpot returns one that has parsed no dump yet.
func NewHotSpot() HotSpot { return HotSpot{newNames()} }

// Parse reads the text of one dump, in the form of jstack and the jdk.ThreadDump event. It
// skips unknown lines, and reads nothing after the threads except the deadlock report.
func (h HotSpot) Parse(text string) *Dump {
	p := hotspotDialect.begin(h.names, nil, "Full thread dump ")
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		if !p.line(strings.TrimRight(line, "\r")) {
			return p.finish(false)
		}
		text = rest
	}
	return p.finish(true)
}

// hotspot reads the dumps of HotSpot, JDK 5 to 25.
type hotspot struct {
	builder
	report   report
	owned    bool   // within "Locked ownable synchronizers"
	blank    bool   // the current thread is followed by a blank line: it is whole
	last     string // the last line under the current thread
	previous string // the last line that is not empty
	stated   bool   // threads may begin with their name and state
	foreign  bool   // the current thread is in the notation of another tool
	fragment bool   // no header, no end: threads cut out of a dump by hand
	alone    bool   // nothing but a report, as far as is read
	vmState  string // of the current thread, by a debugger
	blocked  []int  // threads that a debugger found waiting for a monitor

	called   map[int64]int64 // by number of a thread: the operating system's
	ended    bool            // with a line that follows all threads
	carriers bool            // threads that may be kept for virtual ones
	modern   bool            // JDK 21 or later, which have virtual threads
}

func hotspotHeader(line string) bool { return strings.HasPrefix(line, "Full thread dump ") }

// release reads the feature release of `Full thread dump NAME (21.0.2+13-LTS mixed mode):`;
// 1 for 1.8.0, too; 0 if there is none.
func release(header string) int {
	_, version, _ := strings.Cut(header, " (")
	end := strings.IndexFunc(version, func(c rune) bool { return c < '0' || c > '9' })
	n, _ := strconv.Atoi(version[:max(end, 0)])
	return n
}

// hotspotThread matches the first line of a thread without a header before it, and of a
// deadlock report.
func hotspotThread(line string) bool {
	if reports(line) || anchors(line) {
		return true
	}
	if quoted(line) {
		return looksLikeHead(line) || numberedHead(line) || geodeName(line) > 0 ||
			strings.Contains(line, `" `+stateMark) || strings.Contains(line, `" - Thread t@`)
	}
	_, _, ok := debuggerThread(line)
	return ok || looksLikeHead(line)
}

// stateMark precedes the state of a thread.
const stateMark = "java.lang.Thread.State: "

// numberedHead matches `"name" #12` with nothing, or attributes, behind it.
func numberedHead(line string) bool {
	_, rest, ok := strings.Cut(line[strings.LastIndexByte(line, '"'):], `" #`)
	number, _, _ := strings.Cut(rest, " ")
	return ok && line[0] == '"' && number != "" && strings.Trim(number, "0123456789") == ""
}

func newHotSpot(n *names, before []string, line string) parser {
	p := &hotspot{builder: newBuilder(n, timeBefore(before)), fragment: !hotspotHeader(line), alone: reports(line)}
	p.dump.Addresses = true
	p.dump.Marks = true
	p.dump.Release = release(line)
	return p
}

// hotspotEnds are the lines that follow the threads: the last line of a dump, or the first
// of another output of the JVM.
var hotspotEnds = []string{"JNI global ref", "Heap", " num     #instances", "num     #instances"}

func (p *hotspot) line(line string) bool {
	text := strings.TrimSpace(line)
	previous := p.previous
	if text != "" {
		p.previous = text
	}
	head, foreign := headOf(text)
	if !foreign && p.stated {
		head, foreign = statedThread(line)
	}
	switch {
	case text == "":
		p.blank = p.cur != nil
	case p.report.within:
		return p.reportLine(line, text)
	case reports(line):
		p.next()
		p.report.within = true
		p.report.begun = len(p.relations)
		p.ended = !p.alone
		p.report.stacks = !reportStarts(line)
	case line[0] == '"' && !p.ended:
		p.alone = false
		p.thread(line)
	case foreign && !p.ended:
		p.alone = false
		p.dump.Addresses = false
		p.dump.Marks = false
		p.begin(head)
		p.begun(true)
		p.known(head.JavaID)
	case line[0] == 'T' && p.debugger(line):
	case reportEnds(line):
		p.next()
		p.ended, p.dump.Reported = true, jvmFound+", and its report is not in the text"
	case p.ended:
		return false
	case line[0] != '\t' && slices.ContainsFunc(hotspotEnds,
		func(end string) bool { return strings.HasPrefix(line, end) }):
		p.next()
		p.ended = true
	case looksLikeHead(line):
		p.alone = false
		p.thread(line)
	default:
		p.lost(previous, text)
		if p.cur != nil {
			p.part(text)
		}
	}
	return true
}

// lost begins a thread whose first line is not understood, or not in the text: its state comes
// next, or a line that only a thread has.
func (p *hotspot) lost(previous, text string) {
	switch {
	case stated(text) && anchors(text) && (p.cur == nil || p.cur.State != "" && len(p.cur.Frames) > 0):
		if previous == "" || isPart(previous) {
			previous = nameless
		}
		p.thread(previous)
	case p.cur == nil && (anchors(text) || p.fragment && isPart(text)):
		p.thread(nameless)
	}
}

// begun resets what is known of the lines under a thread's first.
func (p *hotspot) begun(foreign bool) {
	p.owned = false
	p.blank = false
	p.last = ""
	p.foreign = foreign
}

// part takes a line after a thread's first.
func (p *hotspot) part(text string) {
	p.blank, p.last = false, text
	if frame, ok := strings.CutPrefix(text, "at "); ok {
		p.frame(frame, dotted)
	} else if lock, ok := strings.CutPrefix(text, "- "); ok {
		p.lock(lock)
	} else if state, ok := strings.CutPrefix(text, "java.lang.Thread.State: "); ok {
		state, _, _ = strings.Cut(state, " ")
		p.cur.State = p.names.intern(state)
		p.cur.stalled = p.cur.stalled && state == "RUNNABLE"
	} else if strings.HasPrefix(text, "0x") {
		p.mixed(text)
	} else if strings.HasPrefix(text, "Locked ownable synchronizers") {
		p.owned, p.dump.Ownables = true, true
	} else if strings.HasPrefix(text, "Carrying virtual thread #") {
		p.dump.Virtuals, p.dump.Hides = true, true
	} else if id, ok := strings.CutPrefix(text, "Mounted virtual thread #"); ok {
		p.dump.Virtuals, p.dump.Hides = true, true
		p.begin(Thread{Virtual: true})
		p.cur.JavaID, _ = strconv.ParseInt(id, 10, 64)
	} else if p.other(text); p.foreign {
		p.bare(text)
	}
}

// other reads a line in the notation of another tool.
func (p *hotspot) other(text string) {
	for _, part := range parts {
		if rest, ok := strings.CutPrefix(text, part.first); ok {
			part.read(p, rest)
			return
		}
	}
}

// lockLines are the lines under a frame that name locks.
var lockLines = []lockLine{
	{"locked ", NotWaiting},
	{"Locked ", NotWaiting}, // by Spring Boot, of synchronizers
	{"waiting to lock ", Blocked},
	{"waiting to re-lock in wait() ", Waiting}, // deriveLocks finds whether it is notified yet
	{"parking to wait for ", Parked},
	{"waiting on ", Waiting},
}

// initLine is the line that HotSpot prints after the frame that needs a class which another
// thread initialises.
const initLine = "waiting on the Class initialization monitor for "

func (p *hotspot) lock(text string) {
	if frame, bci, ok := strings.Cut(text, ") @bci="); ok {
		p.debuggerFrame(frame, bci)
		return
	}
	held, has := strings.CutPrefix(text, "locked ")
	if !has {
		held, has = strings.CutPrefix(text, "Locked ")
	}
	if has {
		held, synchronizer := strings.CutPrefix(held, "synchronizer ")
		if p.owned || synchronizer {
			p.dump.Ownables = p.dump.Ownables || synchronizer // by Apache Geode, above the frames
			p.cur.hold(p.names.named(held))
			return
		}
	}
	if p.owned && strings.HasPrefix(text, "<") {
		p.cur.hold(p.names.bracketed(text))
		return
	}
	if class, ok := strings.CutPrefix(text, initLine); ok {
		what := p.names.intern(format.Initialisation + JavaName(class))
		p.waits(Blocked, LockRef{Class: what, Name: what}) // the lock has no address
		return
	}
	if how, ok := p.lockIn(lockLines, text, p.names.named); ok && how != NotWaiting {
		p.dump.Addresses = p.dump.Addresses && strings.Contains(text, "<")
		if strings.Contains(text, ` owned by "`) && p.cur.Wait == Blocked && p.cur.State != "BLOCKED" {
			p.cur.Wait = Parked // VisualVM says of those that wait for a j.u.c. lock, too, that they wait to lock it
		}
	}
}

// thread begins a thread: `"name" #12 daemon prio=5 ... nid=0x1a2b ...`. The
// name may hold quotes: it ends at the last one.
func (p *hotspot) thread(line string) {
	end := geodeName(line)
	if end > 0 {
		p.dump.Addresses, line = false, line[:end+1] // it prints hashes; its owner is known by the lock
	} else {
		end = strings.LastIndexByte(line, '"')
	}
	name, rest := "", ""
	if end < 1 || line[0] != '"' {
		name, rest = damagedName(line)
	} else {
		name, rest = line[1:end], line[end+1:]
	}
	listed, info, again := infoName(line)
	if again {
		name = listed
	}
	p.begin(Thread{Name: p.names.intern(name), State: statedIn(rest)})
	p.begun(false)
	p.cur.stalled = strings.Contains(rest, " in Object.wait() ")
	if again {
		p.info(info)
	}
	p.carriers = p.carriers || carrier(p.cur.Name)
	p.dump.Hides = p.dump.Hides || strings.HasPrefix(p.cur.Name, virtuals)
	p.dump.Listed = p.dump.Listed || p.cur.Name == "VM Thread" && !p.fragment // the JVM's own come last
	for word := range strings.FieldsSeq(rest) {
		p.modern = p.modern || bracketed(word) // older ones print no such id
		switch key, value, _ := strings.Cut(word, "="); key {
		case "nid":
			p.cur.NativeID, _ = strconv.ParseInt(value, 0, 64)
		case "elapsed":
			p.cur.Elapsed = seconds(value)
			p.dump.Uptime = max(p.dump.Uptime, p.cur.Elapsed)
		default:
			if strings.HasPrefix(key, "#") && p.cur.JavaID == 0 {
				p.cur.JavaID, _ = strconv.ParseInt(key[1:], 10, 64)
			} else if id, ok := strings.CutPrefix(key, "t@"); ok {
				p.managed(id)
			}
		}
	}
	p.numbered()
}

// numbered notes the number of the current thread. A JVM gives each number once: two
// threads of one number belong to two processes.
func (p *hotspot) numbered() {
	if p.cur.JavaID == 0 || p.cur.NativeID == 0 {
		return
	}
	if p.called == nil {
		p.called = map[int64]int64{}
	}
	native, listed := p.called[p.cur.JavaID]
	p.dump.Fused = p.dump.Fused || listed && native != p.cur.NativeID
	p.called[p.cur.JavaID] = p.cur.NativeID
}

// statedIn returns the state in a first line: of dumps that have no other, or have lost it.
func statedIn(rest string) string {
	if strings.Contains(rest, " waiting for monitor entry") {
		return "BLOCKED"
	}
	if _, state, ok := strings.Cut(rest, stateMark); ok {
		state, _, _ = strings.Cut(state, " ")
		return state
	}
	last := strings.ToUpper(rest[strings.LastIndexByte(rest, ' ')+1:])
	if slices.Contains(threadStates, last) {
		return last
	}
	return ""
}

// bracketed matches a number in square brackets.
func bracketed(word string) bool {
	return len(word) > 2 && word[0] == '[' && strings.Trim(word[1:], "0123456789") == "]"
}

// virtuals begins the names of threads that a JVM starts with its first virtual thread.
const virtuals = "VirtualThread-"

// carrier reports whether a thread may be a carrier of virtual threads. Carriers have the
// same names as workers of other pools, and idle ones may be gone.
func carrier(name string) bool {
	return strings.HasPrefix(name, virtuals) || strings.HasPrefix(name, "ForkJoinPool-")
}

// seconds reads `1.79s`; 0 when it is none.
func seconds(text string) int64 {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return max(d.Nanoseconds(), 0)
}

// finish: not every JVM marks the end of a dump. If all of its threads are complete, the
// dump is accepted, but others may be missing.
func (p *hotspot) finish(eof bool) *Dump {
	whole := p.whole()
	p.next()
	p.reportDone()
	p.dump.Cut = eof && (p.report.cut || !p.fragment && !p.ended && !whole)
	p.dump.Fragment = !p.dump.Cut && !p.ended
	p.dump.Virtuals = p.dump.Virtuals || p.modern && p.carriers
	p.nameBlocked()
	return p.done()
}

// whole reports whether the current thread is complete: by the blank line after it, or by
// its outermost frame. With -l each thread that runs Java ends with the locks it owns.
func (p *hotspot) whole() bool {
	switch {
	case p.cur == nil:
		return len(p.dump.Threads) > 0
	case len(p.cur.Frames) == 0 && p.cur.State == "" && p.dump.Listed:
		return true // the JVM's own threads, after all others
	case p.dump.Ownables && !p.owned && p.cur.State != "":
		return false
	}
	return p.blank || outermost(p.last)
}

// outermost matches the frame in which a thread begins.
func outermost(line string) bool {
	return strings.HasSuffix(line, ")") &&
		(strings.Contains(line, "java.lang.Thread.run(") || strings.Contains(line, ".main("))
}
