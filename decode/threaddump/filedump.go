package threaddump

import (
	"strconv"
	"strings"
)

// file reads the text of `jcmd PID Thread.dump_to_file`, JDK 21 to 25. It lists virtual
// threads, and since JDK 24 locks. The JVM looks at one thread after the other, at the time
// that each one's first line gives.
type file struct {
	builder
	first, last int64
	blank       bool
}

// fileThread matches `#22 "vault-1" virtual BLOCKED 2026-11-21T07:15:49.9Z`.
func fileThread(line string) bool { return fileOpens(line) && strings.Count(line, `"`) > 1 }

// fileOpens matches the beginning of such a line; the name may continue in the next line.
func fileOpens(line string) bool {
	number, rest, ok := strings.Cut(line, " ")
	if !ok || len(number) < 2 || number[0] != '#' || !strings.HasPrefix(rest, `"`) {
		return false
	}
	_, err := strconv.ParseInt(number[1:], 10, 64)
	return err == nil
}

func newFile(n *names, before []string, _ string) parser {
	return &file{builder: newBuilder(n, timeBefore(before))}
}

func (p *file) line(line string) bool {
	text := strings.TrimLeft(line, " \t")
	if text == "" {
		p.blank = p.cur != nil
		return true
	}
	if fileThread(line) {
		return p.thread(line)
	}
	if p.cur == nil ||
		text == line && !isPart(text) &&
			!bareFrame(text) { // all that belongs to a thread is indented, unless it was pasted so
		return true
	}
	p.blank = false
	if lock, ok := strings.CutPrefix(text, "- "); ok {
		p.lockIn(lockLines, lock, p.names.hashed)
	} else {
		p.frame(strings.TrimPrefix(text, "at "), dotted) // JDK 21 writes no "at"
	}
	return true
}

// bareFrame matches a frame as JDK 21 writes it:
// java.base/java.lang.Thread.run(Thread.java:1).
func bareFrame(text string) bool {
	name, _, ok := strings.Cut(text, "(")
	return ok && strings.HasSuffix(text, ")") && strings.Contains(name, ".") && !strings.Contains(name, " ")
}

// thread begins a thread; false when it was there before, in this dump.
func (p *file) thread(line string) bool {
	p.next()
	number, rest, _ := strings.Cut(line, " ")
	id, _ := strconv.ParseInt(number[1:], 10, 64)
	if !p.known(id) {
		return false
	}
	end := strings.LastIndexByte(rest, '"')
	p.begin(Thread{Name: p.names.intern(rest[1:end]), JavaID: id})
	p.blank = false
	for word := range strings.FieldsSeq(rest[end+1:]) {
		if t, ok := timeIn(word); ok {
			p.seenAt(t)
		} else if word == "virtual" {
			p.cur.Virtual = true
		} else if p.cur.State == "" {
			p.cur.State = p.names.intern(word)
		}
	}
	return true
}

// seenAt notes when a thread was looked at.
func (p *file) seenAt(t int64) {
	if p.first == 0 {
		p.first = t
	}
	p.last = max(p.last, t)
	p.dump.Spread = max(p.last-p.first, 1)
}

// finish: each thread ends with a blank line; a last one without is cut off.
func (p *file) finish(cut bool) *Dump {
	p.dump.Cut = cut && p.cur != nil && !p.blank
	p.dump.Spread = max(p.dump.Spread, 1) // JDK 21 does not say how long it took
	return p.done()
}
