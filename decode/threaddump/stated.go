package threaddump

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reports of crashes and of programs that do not respond begin a thread with `main (BLOCKED)`. In any other
// text that line says little. So it counts where frames follow, and only in a text that begins with such a
// thread or has two of them in a row.

// nameAndState matches such a line. Some reports have numbers behind it.
var nameAndState = regexp.MustCompile(`^(\S.*) \(([A-Za-z]+(?:[_ ][A-Za-z]+)?)\)(?::tid=(\d+)(?: .*)?)?:?$`)

// statedThread reads `main (BLOCKED)` and `main (timed waiting):tid=1 systid=27562`.
func statedThread(line string) (t Thread, ok bool) {
	m := nameAndState.FindStringSubmatch(line)
	if m == nil {
		return t, false
	}
	t.Name, t.State = m[1], strings.ToUpper(strings.ReplaceAll(m[2], " ", "_"))
	t.JavaID, _ = strconv.ParseInt(m[3], 10, 64)
	if t.State == "NATIVE" || t.State == "SUSPENDED" || t.State == "SLEEPING" {
		t.State = androidStates[t.State]
	}
	return t, slices.Contains(threadStates, t.State)
}

// StatedThreads reports whether the first bytes of a text show threads that begin with their name and state.
func StatedThreads(start []byte) bool {
	first := true
	in := false
	blocks := 0
	head := "" // the line before, if it begins a thread
	for line := range strings.Lines(string(start)) {
		line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimLeft(line, " \t")
		if text == "" {
			continue
		}
		_, begins := statedThread(line)
		frame := bareFrame(strings.TrimPrefix(text, "at ")) || in && isPart(text) ||
			text[0] == '#' || text[0] == '|' // native ones, attributes
		switch {
		case begins:
			head = line
		case frame && head != "":
			if blocks++; first || blocks == 2 {
				return true
			}
			in, head = true, ""
		case !frame || !in:
			first = false
			in = false
			head = ""
			blocks = 0
		}
	}
	return false
}

// statedDialect is the notation of such threads. Only a stream of them has it.
var statedDialect = dialect{
	name:   "threads with their states",
	header: never,
	thread: func(line string) bool {
		_, ok := statedThread(line)
		return ok
	},
	open: func(n *names, before []string, line string) parser {
		p := newHotSpot(n, before, line).(*hotspot)
		p.stated = true
		return p
	},
}
