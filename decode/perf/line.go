package perf

import (
	"bytes"
	"math"
)

// sample is the first line of an event, as perf script prints it:
//
//	worker-1 31956/31957 [001]  1354.022351: syscalls:sys_enter_futex: uaddr: 0x5560c4fd0120, op: ...
//
// The process and the CPU may be missing. The fields are parts of the line.
type sample struct {
	comm  []byte
	pid   int32 // none when not printed
	tid   int32
	cpu   int32 // none when not printed
	time  int64 // ns of the recording's clock
	event []byte
	args  []byte
}

// none stands for an unknown number.
const none = -1

// parse reads a line; false if no event begins there.
func (s *sample) parse(line []byte) bool {
	if len(line) == 0 || line[0] == '\t' || line[0] == '#' {
		return false
	}
	begin, end := s.clock(line)
	if end < 0 || !s.what(line[end:]) {
		return false
	}
	return s.task(line[:begin])
}

// clock finds the time, digits and a colon between blanks, and returns where it begins and
// the rest of the line. A command may contain colons, too.
func (s *sample) clock(line []byte) (begin, end int) {
	for at := 0; ; {
		colon := bytes.IndexByte(line[at:], ':')
		if colon < 0 {
			return -1, -1
		}
		colon += at
		at = colon + 1
		if at == len(line) || line[at] != ' ' {
			continue
		}
		begin := colon
		for begin > 0 && (isDigit(line[begin-1]) || line[begin-1] == '.') {
			begin--
		}
		if ns, ok := nanoseconds(line[begin:colon]); ok && begin > 0 && line[begin-1] == ' ' {
			s.time = ns
			return begin, at
		}
	}
}

// nanoseconds reads seconds with 6 or 9 decimals.
func nanoseconds(text []byte) (int64, bool) {
	dot := bytes.IndexByte(text, '.')
	if dot < 1 || dot > 10 {
		return 0, false
	}
	unit := int64(1000)
	switch len(text) - dot - 1 {
	case 9:
		unit = 1
	case 6:
	default:
		return 0, false
	}
	sec, ok := decimal(text[:dot])
	part, ok2 := decimal(text[dot+1:])
	return sec*1e9 + part*unit, ok && ok2 && sec < math.MaxInt64/2_000_000_000
}

// what reads the name of the event and its arguments. The period of a sample may precede the
// name.
func (s *sample) what(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " ")
	if word, after, ok := bytes.Cut(rest, blank); ok && len(word) > 0 {
		if _, period := decimal(word); period {
			rest = bytes.TrimLeft(after, " ")
		}
	}
	word, args, _ := bytes.Cut(rest, blank)
	name, colon := bytes.CutSuffix(word, colonMark)
	if len(name) == 0 || !colon && !bytes.HasPrefix(name, recordPrefix) {
		return false
	}
	s.event, s.args = name, args
	return true
}

var (
	blank        = []byte(" ")
	colonMark    = []byte(":")
	recordPrefix = []byte("PERF_RECORD_")
)

// task reads the text before the time, from its end: the CPU, the thread and its process,
// and the command, which may contain blanks.
func (s *sample) task(text []byte) bool {
	s.cpu = none
	s.pid = none
	s.tid = none
	for {
		text = bytes.TrimRight(text, " ")
		word := text[bytes.LastIndexByte(text, ' ')+1:]
		if len(word) == 0 {
			return false
		}
		text = text[:len(text)-len(word)]
		if word[0] == '[' && word[len(word)-1] == ']' {
			if cpu, ok := decimal(word[1 : len(word)-1]); ok {
				s.cpu = id(cpu)
			}
			continue
		}
		if s.threadOf(word) {
			s.comm = bytes.TrimSpace(text)
			return true
		}
	}
}

// threadOf reads 31957 or 31956/31957; a thread that has ended is -1.
func (s *sample) threadOf(word []byte) bool {
	pid, tid, both := bytes.Cut(word, slash)
	if !both {
		tid = pid
	}
	if string(tid) == "-1" {
		return true
	}
	t, ok := decimal(tid)
	if !ok {
		return false
	}
	s.tid = id(t)
	if both {
		p, ok := decimal(pid)
		s.pid = id(p)
		return ok
	}
	return true
}

var slash = []byte("/")

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// decimal reads a number without a sign.
func decimal(text []byte) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	for _, c := range text {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// hexadecimal parses digits with or without 0x; rest is the text after them.
func hexadecimal(text []byte) (n uint64, rest []byte, ok bool) {
	text = bytes.TrimPrefix(text, hexMark)
	i := 0
	for ; i < len(text) && i < 16; i++ {
		c := text[i] | 0x20
		switch {
		case isDigit(text[i]):
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return n, text[i:], i > 0
		}
	}
	return n, text[i:], i > 0
}

var hexMark = []byte("0x")

// id is the number of a thread, process or CPU; none if it is invalid.
func id(n int64) int32 {
	if n > math.MaxInt32 {
		return none
	}
	return int32(n)
}

// field returns the number after a name: uaddr: 0x5560, prev_pid=31957. Its prefix gives
// the base; false if there is none.
func field(args []byte, name string) (n uint64, ok bool) {
	text, ok := after(args, name)
	if !ok {
		return 0, false
	}
	text = bytes.TrimLeft(text, " ")
	if bytes.HasPrefix(text, hexMark) {
		n, _, ok = hexadecimal(text)
		return n, ok
	}
	end := 0
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	d, ok := decimal(text[:end])
	return uint64(d), ok
}

// after returns the text after a name in a list of fields.
func after(args []byte, name string) ([]byte, bool) {
	for at := 0; ; {
		i := bytes.Index(args[at:], []byte(name))
		if i < 0 {
			return nil, false
		}
		if at += i; at == 0 || args[at-1] == ' ' {
			return args[at+len(name):], true
		}
		at += len(name)
	}
}
