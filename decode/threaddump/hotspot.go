package threaddump

import (
	"strconv"
	"strings"

	"contend/format"
)

// ParseHotSpot reads the text of one HotSpot thread dump, as jstack and the
// jdk.ThreadDump event give it. Lines it does not know are passed over; what
// follows the threads (JNI references, the deadlock report, which repeats
// lock lines) is not read.
func ParseHotSpot(text string) *Dump {
	p := hotspot{dump: &Dump{}}
	for len(text) > 0 && !p.done {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		p.line(strings.TrimRight(line, "\r"))
	}
	p.finish()
	return p.dump
}

type hotspot struct {
	dump   *Dump
	cur    *Thread
	locked []LockRef // monitor lines of the current thread, innermost first
	owned  bool      // within "Locked ownable synchronizers"
	done   bool
}

func (p *hotspot) line(line string) {
	text := strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(line, `"`):
		p.finish()
		if t, ok := threadLine(line); ok {
			p.cur = &t
		}
	case strings.HasPrefix(text, "Found one Java-level deadlock"), strings.HasPrefix(text, "JNI global refs"), strings.HasPrefix(text, "Found a total of"):
		p.finish()
		p.done = true
	case p.cur == nil:
	case strings.HasPrefix(text, "java.lang.Thread.State: "):
		p.cur.State, _, _ = strings.Cut(strings.TrimPrefix(text, "java.lang.Thread.State: "), " ")
	case strings.HasPrefix(text, "at "):
		if f, ok := frame(text[3:]); ok {
			p.cur.Frames = append(p.cur.Frames, f)
		}
	case strings.HasPrefix(text, "- "):
		p.lock(text[2:])
	case strings.HasPrefix(text, "Locked ownable synchronizers"):
		p.owned = true
	}
}

// lockLines are the lines under a frame. What a thread waits for comes with
// its innermost frames.
var lockLines = []struct {
	prefix string
	wait   Wait
}{
	{"waiting to lock ", Blocked},
	{"waiting to re-lock in wait() ", Blocked},
	{"parking to wait for ", Parked},
	{"waiting on ", Waiting},
}

func (p *hotspot) lock(text string) {
	if ref, ok := strings.CutPrefix(text, "locked "); ok {
		p.locked = append(p.locked, lockRef(ref))
		return
	}
	for _, l := range lockLines {
		if rest, ok := strings.CutPrefix(text, l.prefix); ok {
			if p.cur.Wait == NotWaiting {
				p.cur.Wait, p.cur.For = l.wait, lockRef(rest)
			}
			return
		}
	}
	if p.owned && strings.HasPrefix(text, "<") {
		p.cur.Held = append(p.cur.Held, lockRef(text))
	}
}

// finish completes the current thread. A monitor it waits on or is about to
// enter again was released, although the frames below still print it as
// locked.
func (p *hotspot) finish() {
	if p.cur == nil {
		return
	}
	for _, ref := range p.locked {
		if ref.Addr != 0 && (p.cur.Wait == NotWaiting || p.cur.Wait == Parked || ref != p.cur.For) && !holds(p.cur.Held, ref) {
			p.cur.Held = append(p.cur.Held, ref)
		}
	}
	p.dump.Threads = append(p.dump.Threads, *p.cur)
	p.cur, p.locked, p.owned = nil, p.locked[:0], false
}

func holds(list []LockRef, ref LockRef) bool {
	for _, l := range list {
		if l == ref {
			return true
		}
	}
	return false
}

// threadLine reads `"name" #12 daemon prio=5 ... nid=0x1a2b ...`. The name may
// hold quotes: it ends at the last one that attributes follow.
func threadLine(line string) (t Thread, ok bool) {
	end := strings.LastIndexByte(line, '"')
	if end < 1 {
		return t, false
	}
	t.Name = strings.ToValidUTF8(line[1:end], "\uFFFD")
	for _, word := range strings.Fields(line[end+1:]) {
		switch key, value, _ := strings.Cut(word, "="); {
		case word[0] == '#' && t.JavaID == 0:
			t.JavaID, _ = strconv.ParseInt(word[1:], 10, 64)
		case word == "daemon":
			t.Daemon = true
		case key == "nid":
			t.NativeID, _ = strconv.ParseInt(value, 0, 64)
		}
	}
	return t, true
}

// ClassName takes off what names a hidden class differently in each run:
// Truth$$Lambda$87/0x00007f6bd0008210 becomes Truth$$Lambda.
func ClassName(name string) string {
	if i := strings.Index(name, "$$Lambda"); i >= 0 {
		return name[:i+len("$$Lambda")]
	}
	if i := strings.LastIndex(name, "/0x"); i >= 0 {
		return name[:i]
	}
	return name
}

// frame reads `java.base@17/java.lang.Thread.run(Thread.java:840)`.
func frame(text string) (f format.Frame, ok bool) {
	where := ""
	if i := strings.IndexByte(text, '('); i >= 0 {
		text, where = text[:i], strings.TrimSuffix(text[i+1:], ")")
	}
	if i := strings.LastIndexByte(where, '/'); i >= 0 { // module before the file, JDK 17
		where = where[i+1:]
	}
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 {
		return f, false
	}
	class := ClassName(text[:dot])
	if i := strings.LastIndexByte(class, '/'); i >= 0 { // loader and module before the class
		class = class[i+1:]
	}
	f.Class, f.Method = strings.ToValidUTF8(class, "\uFFFD"), strings.ToValidUTF8(text[dot+1:], "\uFFFD")
	switch file, line, found := strings.Cut(where, ":"); {
	case where == "Native Method":
		f.Line = -1
	case found:
		f.File = file
		f.Line, _ = strconv.Atoi(line)
	case where != "Unknown Source":
		f.File = file
	}
	return f, true
}

// lockRef reads `<0x000000069d4004f8> (a java.util.Vector)`.
func lockRef(text string) (ref LockRef) {
	if text == "" || text[0] != '<' {
		return ref
	}
	addr, rest, _ := strings.Cut(text[1:], ">")
	ref.Addr, _ = strconv.ParseUint(strings.TrimPrefix(addr, "0x"), 16, 64)
	if _, class, ok := strings.Cut(rest, "(a "); ok {
		ref.Class = strings.ToValidUTF8(strings.TrimSuffix(strings.TrimSpace(class), ")"), "\uFFFD")
	}
	return ref
}
