package threaddump

import (
	"strconv"
	"strings"

	"contend/format"
)

// Dumps of HotSpot's form that others write: VisualVM and Spring Boot from what
// java.lang.management tells, IntelliJ from the same with fewer words, and
// jhsdb from the memory of a process or a core.

// managed begins a thread of VisualVM or Spring Boot: `"name" - Thread t@12`.
// They print identity hashes for addresses.
func (p *hotspot) managed(id string) {
	p.cur.JavaID, _ = strconv.ParseInt(id, 10, 64)
	p.known(p.cur.JavaID)
	p.dump.Addresses, p.dump.Marks = false, false
}

// ownedBy reads the owner behind a lock: `<1f> (a C) owned by "name" t@12`.
// Who waits for a j.u.c. lock is said to wait to lock it as well.
func (p *hotspot) ownedBy(text string) {
	_, owner, ok := strings.Cut(text, ` owned by "`)
	if !ok {
		return
	}
	if p.cur.Wait == Blocked && p.cur.State != "BLOCKED" {
		p.cur.Wait = Parked
	}
	name, id, ok := strings.Cut(owner, `" t@`)
	number, err := strconv.ParseInt(id, 10, 64)
	if ok && err == nil {
		p.claims = append(p.claims, claim{number, p.names.intern(name), number, p.cur.For})
	}
}

// on reads IntelliJ's ` on CLASS@1f owned by "name" Id=12`. Its threads have no
// ids: the owner is found by name.
func (p *hotspot) on(text string) {
	ref, owner, owned := strings.Cut(text, ` owned by "`)
	how := Parked
	if p.cur.State == "BLOCKED" {
		how = Blocked
	}
	p.dump.Addresses, p.dump.Marks = false, false
	p.waits(how, p.names.hashed(ref))
	if end := strings.LastIndex(owner, `" Id=`); owned && end >= 0 {
		p.relations = append(p.relations, relation{p.cur.Name, how, p.cur.For, p.names.intern(owner[:end])})
	}
}

// debuggerFrame reads jhsdb's `a.B.f(int) @bci=1, line=2 (Compiled frame)`, cut
// behind the arguments.
func (p *hotspot) debuggerFrame(text, rest string) {
	name, _, _ := strings.Cut(text, "(")
	_, line, _ := strings.Cut(rest, "line=")
	p.lineFrame(name, line)
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

// lineFrame adds a frame whose file is not known.
func (p *hotspot) lineFrame(name, line string) {
	line, _, _ = strings.Cut(line, " ")
	number, _ := strconv.Atoi(line)
	if f, ok := p.names.frame(name, dotted); ok && len(p.cur.Frames) < format.MaxFrames {
		f.Line = max(number, 0)
		p.cur.Frames = append(p.cur.Frames, f)
	}
}
