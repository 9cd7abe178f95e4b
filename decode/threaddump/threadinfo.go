package threaddump

import (
	"slices"
	"strconv"
	"strings"
)

// info reads the output of java.lang.management.ThreadInfo.toString, which monitoring
// programs log. It has no header and no time; a thread that repeats begins the next dump.
// Up to JDK 20 it has at most eight frames, and monitors only if their frame is among them,
// but it names the owner of the lock that a thread waits for. Jenkins writes the same with
// the group of each thread.
type info struct {
	builder
	owned bool // within "Number of locked synchronizers"
}

// infoMarks follow the name, which may contain quotes.
var infoMarks = []string{`" daemon prio=`, `" prio=`, `" Id=`}

// infoThread matches `"name" daemon prio=5 Id=13 BLOCKED on C@1f owned by "n" Id=12`.
func infoThread(line string) bool {
	_, _, ok := infoName(line)
	return ok
}

func infoName(line string) (name, rest string, ok bool) {
	if !strings.HasPrefix(line, `"`) || !strings.Contains(line, " Id=") {
		return "", "", false
	}
	end := -1
	for _, mark := range infoMarks {
		if i := strings.Index(line, mark); i > 0 && (end < 0 || i < end) {
			end = i
		}
	}
	if end < 0 {
		return "", "", false
	}
	return line[1:end], line[end+1:], true
}

func newInfo(n *names, before []string, _ string) parser {
	p := &info{builder: newBuilder(n, timeBefore(before))}
	p.dump.Ownables = true
	return p
}

func (p *info) line(line string) bool {
	if name, rest, ok := infoName(line); ok {
		return p.thread(name, rest)
	}
	if p.cur == nil {
		return true
	}
	text := strings.TrimLeft(line, " \t")
	if frame, ok := strings.CutPrefix(text, "at "); ok {
		p.frame(frame, dotted)
	} else if ref, ok := strings.CutPrefix(text, "-  locked "); ok {
		p.locks(p.names.hashed(ref), len(p.cur.Frames)-1)
	} else if strings.HasPrefix(text, "Number of locked synchronizers") {
		p.owned = true
	} else if ref, ok := strings.CutPrefix(text, "- "); ok && p.owned {
		p.cur.hold(p.names.hashed(ref))
	}
	return true
}

// thread reads a first line from after the name; false if the dump already has the thread.
func (p *info) thread(name, rest string) bool {
	_, rest, _ = strings.Cut(rest, " Id=")
	number, rest, _ := strings.Cut(rest, " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return true
	}
	p.next()
	if !p.known(id) {
		return false
	}
	state, rest := threadState(rest)
	p.begin(Thread{Name: p.names.intern(name), JavaID: id, State: p.names.intern(state)})
	p.owned = false
	if rest, waits := strings.CutPrefix(rest, "on "); waits { // CLASS@1f owned by "name" Id=12 (in native)
		ref, _, _ := strings.Cut(rest, " ")
		p.waitsByState(p.names.hashed(ref))
		p.ownedBy(rest)
	}
	return true
}

// threadStates are the names of java.lang.Thread.State.
var threadStates = []string{"NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "TERMINATED"}

// threadState splits a line after its state. A group may precede the state, and its name
// may contain blanks.
func threadState(text string) (state, rest string) {
	if group := text; strings.HasPrefix(text, "Group=") {
		for group != "" {
			_, group, _ = strings.Cut(group, " ")
			if state, rest, _ := strings.Cut(group, " "); slices.Contains(threadStates, state) {
				return state, rest
			}
		}
	}
	state, rest, _ = strings.Cut(text, " ")
	return state, rest
}

// finish: a cut looks like the end.
func (p *info) finish(bool) *Dump { return p.done() }
