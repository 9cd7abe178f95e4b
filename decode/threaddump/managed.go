package threaddump

import (
	"slices"
	"strconv"
	"strings"

	"contend/format"
)

// Dumps in HotSpot's form from other tools: VisualVM and Spring Boot use
// java.lang.management, IntelliJ the same with fewer words, and jhsdb the memory of a
// process or a core.

// managed begins a thread of VisualVM or Spring Boot: `"name" - Thread t@12`.
// They print identity hashes for addresses.
func (p *hotspot) managed(id string) {
	p.cur.JavaID, _ = strconv.ParseInt(id, 10, 64)
	p.known(p.cur.JavaID)
	p.dump.Addresses, p.dump.Marks = false, false
}

// on reads `CLASS@1f owned by "name" Id=12` of IntelliJ, and `CLASS@1f owned by: name` of JConsole.
// Their threads have no ids: the owner is found by name.
func (p *hotspot) on(text string) {
	ref, owner, owned := strings.Cut(text, " owned by")
	p.dump.Addresses, p.dump.Marks = false, false
	p.waitsByState(p.names.hashed(ref))
	owner, _ = strings.CutPrefix(owner, ":")
	if owner = strings.TrimLeft(owner, " "); !owned || owner == "" {
		return
	}
	if end := strings.LastIndex(owner, `" Id=`); end > 0 && owner[0] == '"' {
		owner = owner[1:end]
	}
	p.heldBy(owner)
}

// info reads ` Id=12 BLOCKED on CLASS@1f owned by "name" Id=13` behind a name: listeners of tests print
// the threads of a deadlock once more like this, behind all threads.
func (p *hotspot) info(rest string) {
	_, rest, _ = strings.Cut(rest, " Id=")
	_, rest, _ = strings.Cut(rest, " ")
	listed := func(t Thread) bool { return t.Name == p.cur.Name && t.For == (LockRef{}) }
	if i := slices.IndexFunc(p.dump.Threads, listed); i >= 0 {
		p.title = i
	}
	p.stateOn(rest)
}

// debuggerFrame reads jhsdb's `a.B.f(int) @bci=1, line=2 (Compiled frame)`, cut after the
// arguments.
func (p *hotspot) debuggerFrame(text, rest string) {
	name, _, _ := strings.Cut(text, "(")
	_, line, _ := strings.Cut(rest, "line=")
	p.lineFrame(name, line)
	if p.vmState == "BLOCKED" && len(p.cur.Frames) == 1 {
		p.cur.State = stateAt(&p.cur.Frames[0])
		if p.cur.State == "BLOCKED" {
			p.blocked = append(p.blocked, len(p.dump.Threads))
		}
	}
}

// debuggerThread reads the first line of a thread of jstack -F up to JDK 8: `Thread 4260:
// (state = BLOCKED)`, with the number that the operating system gave it.
func debuggerThread(line string) (id int64, state string, ok bool) {
	number, state, ok := strings.Cut(strings.TrimPrefix(line, "Thread "), ": (state = ")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, strings.TrimSuffix(state, ")"), ok && err == nil
}

// debugger begins a thread of jhsdb; false if none begins.
func (p *hotspot) debugger(line string) bool {
	id, state, ok := debuggerThread(line)
	if !ok || p.ended && !p.alone {
		return false
	}
	p.begin(Thread{Name: "Thread " + strconv.FormatInt(id, 10), NativeID: id})
	p.owned = false
	p.blank = false
	p.last = ""
	p.vmState = state
	if state != "BLOCKED" {
		p.cur.State = "RUNNABLE"
	}
	return true
}

// stateAt is the state of a thread that the VM calls blocked, by its innermost frame: it
// may wait for anything.
func stateAt(f *format.Frame) string {
	switch {
	case f.Class == "java.lang.Thread" && strings.HasPrefix(f.Method, "sleep"):
		return "TIMED_WAITING"
	case f.Class == "java.lang.Object" && strings.HasPrefix(f.Method, "wait"),
		strings.HasSuffix(f.Class, ".Unsafe") && f.Method == "park":
		return "WAITING"
	}
	return "BLOCKED"
}

// nameBlocked gives the threads of a debugger the names of its deadlock report, which lists
// a cycle from the thread that comes first. This distinguishes two threads if no other
// waits for a monitor.
func (p *hotspot) nameBlocked() {
	if len(p.relations) != len(p.blocked) || len(p.blocked) > 2 {
		return
	}
	for i, at := range p.blocked {
		p.dump.Threads[at].Name = p.relations[i].waiter
	}
}

// geodeName returns where the name of a thread ends in a dump of Apache Geode: `"a"
// tid=0x16 owned by "b" tid=0x15`; 0 for another first line.
func geodeName(line string) int {
	end := strings.Index(line, `" tid=0x`)
	if end < 1 {
		return 0
	}
	id, rest, _ := strings.Cut(line[end+len(`" tid=0x`):], " ")
	if _, err := strconv.ParseUint(id, 16, 64); err != nil ||
		rest != "" && !strings.HasPrefix(rest, `owned by "`) && rest[0] != '(' {
		return 0
	}
	return end
}

// mixed reads a frame of jhsdb --mixed: `0x7f  * a.B.f(int) bci:1 line:2
// (Interpreted frame)`. Native ones are passed over.
func (p *hotspot) mixed(text string) {
	p.dump.Mixed = true
	_, java, ok := strings.Cut(text, "\t* ")
	if !ok {
		return
	}
	name, rest, _ := strings.Cut(java, "(")
	_, line, _ := strings.Cut(rest, "line:")
	p.lineFrame(name, line)
}

// lineFrame adds a frame of an unknown file.
func (p *hotspot) lineFrame(name, line string) {
	line, _, _ = strings.Cut(line, " ")
	number, _ := strconv.Atoi(line)
	if f, ok := p.names.frame(name, dotted); ok && len(p.cur.Frames) < format.MaxFrames {
		f.Line = max(number, 0)
		p.cur.Frames = append(p.cur.Frames, f)
	}
}
