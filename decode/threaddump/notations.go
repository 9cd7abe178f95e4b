package threaddump

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contend/format"
)

// One reader for what people paste. A thread of a trimmed dump is a first line, a state, frames and
// the lines that name locks, of which any may be missing, in the notation of any tool. A tool's
// notation is a line in one of the tables here; the reader of HotSpot's dumps uses them all.

// heads are first lines of a thread other than `"name" attributes`; their parts are the
// number of the thread, where there is one, and its name.
var heads = []struct {
	first   string // each begins with this
	pattern *regexp.Regexp
}{
	{"Name: ", regexp.MustCompile(`^Name: (?P<name>.+)$`)}, // JConsole
	// watchdogs of game servers
	{"Current Thread: ", regexp.MustCompile(`^Current Thread: (?P<name>.+)$`)},
	{"Thread ", regexp.MustCompile(`^Thread (?P<id>\d+) \((?P<name>[^()]*|.*[^)])\):$`)}, // Hadoop's /stacks
	{"Thread[#", regexp.MustCompile(`^Thread\[#(?P<id>\d+),(?P<name>.*),\d+,.*\]`)},      // jdk.tracePinnedThreads
	// the same, of a virtual thread
	{"VirtualThread[#", regexp.MustCompile(`^VirtualThread\[#(?P<id>\d+)(,(?P<name>.*))?\]`)},
}

// statedHead is such a line of a watchdog of Android programs, which ends in the state.
var statedHead = regexp.MustCompile(
	`^Caused by: .*_Thread: (\S.*) \(state = (NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED)\)$`,
)

// headOf reads a first line in one of these notations.
func headOf(text string) (t Thread, ok bool) {
	for _, h := range heads {
		if !strings.HasPrefix(text, h.first) {
			continue
		}
		m := h.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if i := h.pattern.SubexpIndex("id"); i > 0 {
			t.JavaID, _ = strconv.ParseInt(m[i], 10, 64)
		}
		t.Name = m[h.pattern.SubexpIndex("name")]
		return t, true
	}
	if m := statedHead.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "Caused by: ") {
		return Thread{Name: m[1], State: m[2]}, true
	}
	return t, false
}

// headMarks follow the name in a first line that has lost a quotation mark.
var headMarks = [...]string{" #", " daemon ", " prio=", " os_prio=", " cpu=", " tid=", " nid=", " Id="}

// looksLikeHead reports whether a line has the attributes of a thread's first line.
func looksLikeHead(line string) bool {
	if slices.ContainsFunc(headMarks[:], func(m string) bool { return strings.HasPrefix(line, m[1:]) }) {
		return false // the rest of one, in a line of its own
	}
	if line == "" || strings.HasPrefix(line, "at ") {
		return false
	}
	if c, _ := utf8.DecodeRuneInString(line); c != '"' &&
		(!unicode.IsLetter(c) && !unicode.IsDigit(c) || strings.Count(line, `"`) > 1) {
		return false // what stands before a whole one
	}
	return strings.Contains(line, " tid=") && (strings.Contains(line, " nid=") || strings.Contains(line, " prio="))
}

// damagedName is the name in a first line that is not whole.
func damagedName(line string) (name, rest string) {
	end := len(line)
	for _, mark := range headMarks {
		if i := strings.Index(line, mark); i > 0 {
			end = min(end, i)
		}
	}
	return strings.Trim(line[:end], `"`), line[end:]
}

// nameless is the name of a thread whose first line is not in the text.
const nameless = "a thread without its first line"

// Lines that only a thread of a dump has, by what they begin with. A dump may begin with one of them.
var anchorLines = [...]string{
	"- waiting to lock ", "- locked <0x", "- parking to wait for ", "- waiting on <0x", "- blocked on ",
	"waiting to lock monitor 0x", "waiting for ownable synchronizer 0x",
	"Current Thread: ",
}

// anchors reports whether a line can only be of a thread of a dump, whose first line may be lost.
func anchors(line string) bool {
	text := strings.TrimLeft(line, " \t")
	if text == "" || strings.IndexByte("-jSwCTV", text[0]) < 0 {
		return false
	}
	if state, ok := strings.CutPrefix(text, "java.lang.Thread.State: "); ok {
		state, _, _ = strings.Cut(state, " ")
		return slices.Contains(threadStates, state)
	}
	if t, head := headOf(text); head && t.State != "" {
		return true
	}
	if state, ok := strings.CutPrefix(text, "State: "); ok {
		state, on, _ := strings.Cut(state, " ")
		return slices.Contains(threadStates, state) && (on == "" || strings.HasPrefix(on, "on "))
	}
	if pinned := strings.HasPrefix(text, "Thread[#") || strings.HasPrefix(text, "VirtualThread[#"); pinned {
		return strings.HasSuffix(text, ",CarrierThreads]") || strings.Contains(text, " reason:")
	}
	return slices.ContainsFunc(anchorLines[:], func(p string) bool { return strings.HasPrefix(text, p) })
}

// lead returns the lines before an anchor that are of the same thread, and its first line if that is
// among them.
func lead(before []string, line string) []string {
	from := len(before)
	if _, head := headOf(line); head {
		return nil
	}
	for from > 0 && isPart(strings.TrimLeft(before[from-1], " \t")) {
		from--
	}
	if from == 0 {
		return before
	}
	text := strings.TrimLeft(before[from-1], " \t")
	_, head := headOf(text)
	_, reported := reportedName(text)
	if head || reported || text[0] == '"' || looksLikeHead(text) || from == len(before) && stated(line) {
		from--
	}
	return before[from:]
}

// stated reports whether a line gives a thread's state.
func stated(line string) bool { return strings.Contains(line, "State: ") }

// parts are the lines under a thread's first, by what they begin with.
var parts = []struct {
	first string
	read  func(p *hotspot, rest string)
}{
	{"State: ", (*hotspot).stateOn},
	{"PID: ", func(p *hotspot, rest string) {
		if _, state, ok := strings.Cut(rest, "| State: "); ok {
			p.stateOn(state)
		}
	}},
	{"on ", (*hotspot).on},
	{"Blocked on ", (*hotspot).on},
	{"Waiting on ", (*hotspot).on},
	{"blocked on ", (*hotspot).on},
	{"Blocked by ", func(p *hotspot, rest string) { // number (name)
		if _, name, ok := strings.Cut(strings.TrimSuffix(rest, ")"), " ("); ok {
			p.heldBy(name)
		}
	}},
	{"waiting for ", func(p *hotspot, rest string) { // of IntelliJ's debugger
		if owner, lock, ok := strings.Cut(rest, " to release lock on "); ok {
			p.waitsByState(p.names.bracketed(lock))
			p.heldBy(owner)
		}
	}},
	{"local variable: ", (*hotspot).variable},
	{"Locked on:", (*hotspot).holdsAt}, // of watchdogs
}

// stateOn reads `BLOCKED on CLASS@1f owned by: name`, all but the state if there is any.
func (p *hotspot) stateOn(text string) {
	state, rest, _ := strings.Cut(strings.TrimRight(text, " "), " ")
	p.cur.State = p.names.intern(state)
	if lock, ok := strings.CutPrefix(rest, "on "); ok {
		p.on(lock)
	}
}

// heldBy notes the owner of the lock that the current thread waits for, by its name.
func (p *hotspot) heldBy(name string) {
	if !p.cur.For.Unnamed() {
		p.relations = append(p.relations, relation{p.cur.Name, p.cur.Wait, p.cur.For, p.names.intern(name)})
	}
}

// holdsAt notes that the current thread holds a monitor without a name, entered in a frame.
func (p *hotspot) holdsAt(frame string) {
	if f, ok := p.names.frame(frame, dotted); ok {
		p.cur.hold(LockRef{Site: p.names.intern(heldAt + frameText(&f))})
	}
}

// variable reads `CLASS#28` under a frame, in the thread list of a heap dump: under those of a
// synchronizer it is the lock.
func (p *hotspot) variable(text string) {
	class, number, ok := strings.Cut(text, "#")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || len(p.cur.Frames) == 0 ||
		!strings.HasPrefix(p.cur.Frames[len(p.cur.Frames)-1].Class, QueuedSynchronizer) ||
		strings.HasPrefix(class, QueuedSynchronizer) || class == "java.lang.Thread" {
		return
	}
	p.dump.Addresses = false
	ref := p.names.ref(class, n)
	ref.Name = p.names.intern(ref.Class + " (#" + number + ")") // as the heap dump's other views name it
	p.waits(Parked, ref)
}

// bare reads a frame without "at ", as tools print them that have a notation of their own.
func (p *hotspot) bare(text string) {
	text, _, holds := strings.Cut(text, " <== monitors:") // of a pinned virtual thread
	if bareFrame(text) && len(p.cur.Frames) < format.MaxFrames {
		p.frame(text, dotted)
		if holds {
			p.holdsAt(text)
		}
	}
}
