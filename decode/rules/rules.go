// Package rules separates contention, waiting for resources and idleness: an editable table of
// class and frame patterns classifies parks and waits. It reads no recording.
package rules

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/format"
)

//go:embed default.rules
var defaultText []byte

// header is the first line of a rule file.
const header = "# contend rules 1"

// Verdict is the class of a wait.
type Verdict uint8

// The verdicts.
const (
	Unknown  Verdict = iota // no rule matches
	Lock                    // contention for a lock
	Idle                    // nothing to do
	Resource                // a wait for a pool, queue, permit or result of other threads
)

// Result is the table's answer for a wait. Kind and Mode are only set for locks.
type Result struct {
	Verdict Verdict
	Kind    format.LockKind
	Mode    format.Mode
}

// Table is an ordered list of rules.
type Table struct {
	rules []rule
}

type rule struct {
	class  string
	frames []string
	result Result
}

// Site is a site at which threads spin, sleep or park without a named object, and which a
// rule declares as a lock.
type Site struct {
	Rule   int    // its number among those rules, from 0
	Name   string // the first frame pattern of the rule
	Frame  int    // the outermost frame that a pattern matched: those inside it are the lock's own
	Result Result
}

// Text returns the rules contend ships with.
func Text() []byte { return bytes.Clone(defaultText) }

// Default returns the table of Text.
func Default() *Table {
	t, err := Parse(bytes.NewReader(defaultText), "default.rules")
	if err != nil {
		panic(err) // the embedded table is a test's concern, not a user's
	}
	return t
}

// OrDefault returns t, or the table of Text if t is nil.
func OrDefault(t *Table) *Table {
	if t == nil {
		return Default()
	}
	return t
}

// Parse reads a rule file. The error is a *format.Error with the line:
// ErrNotMine when the header is missing, ErrCorrupt for a bad rule.
func Parse(r io.Reader, name string) (*Table, error) {
	t := &Table{}
	in := bufio.NewScanner(r)
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		fail := func(err error, hint string) (*Table, error) {
			return nil, &format.Error{Pos: format.Pos{File: name, Line: line}, What: "rule", Err: err, Hint: hint}
		}
		switch {
		case line == 1 && text != header:
			return fail(format.ErrNotMine, fmt.Sprintf("a rule file begins with %q; see 'contend rules'", header))
		case text == "" || text[0] == '#':
			continue
		}
		r, err := parseRule(strings.Fields(text))
		if err != nil {
			return fail(err, "see 'contend rules' for examples")
		}
		t.rules = append(t.rules, r)
	}
	if err := in.Err(); err != nil {
		return nil, &format.Error{Pos: format.Pos{File: name}, What: "rules", Err: err}
	}
	return t, nil
}

func parseRule(words []string) (rule, error) {
	var r rule
	switch words[0] {
	case "idle":
		r.result.Verdict = Idle
		words = words[1:]
	case "resource":
		r.result.Verdict = Resource
		words = words[1:]
	case "lock":
		if len(words) < 4 {
			return r, fmt.Errorf("%w: lock needs a kind, a mode and a class", format.ErrCorrupt)
		}
		kind, ok := format.ParseLockKind(words[1])
		if !ok {
			return r, fmt.Errorf("%w: no kind of lock is called %q", format.ErrCorrupt, words[1])
		}
		mode, ok := format.ParseMode(words[2])
		if !ok {
			return r, fmt.Errorf("%w: no mode is called %q", format.ErrCorrupt, words[2])
		}
		r.result = Result{Lock, kind, mode}
		words = words[3:]
	default:
		return r, fmt.Errorf("%w: a rule begins with lock, resource or idle, not %q", format.ErrCorrupt, words[0])
	}
	if len(words) == 0 {
		return r, fmt.Errorf("%w: the class pattern is missing", format.ErrCorrupt)
	}
	r.class, r.frames = words[0], words[1:]
	if r.class == "-" {
		r.class = ""
	}
	return r, nil
}

// Classify classifies a wait on an object of a class, with a stack. It walks the table;
// callers that often see the same class and stack remember the result.
func (t *Table) Classify(class string, frames []format.Frame) Result {
	for i := range t.rules {
		if r := &t.rules[i]; r.matches(class, frames) {
			return r.result
		}
	}
	return Result{}
}

// Sites returns how many rules declare sites: rules for locks that name frames and, by "-",
// no class.
func (t *Table) Sites() (n int) {
	for i := range t.rules {
		if t.rules[i].declares() {
			n++
		}
	}
	return n
}

func (r *rule) declares() bool {
	return r.result.Verdict == Lock && r.class == "" && len(r.frames) > 0
}

// Site returns the declared site that a stack is at, by the first rule that matches.
func (t *Table) Site(frames []format.Frame) (s Site, ok bool) {
	n := 0
	for i := range t.rules {
		r := &t.rules[i]
		if !r.declares() {
			continue
		}
		if r.matches("", frames) {
			s = Site{Rule: n, Name: r.frames[0], Result: r.result}
			for _, pattern := range r.frames {
				s.Frame = max(
					s.Frame,
					slices.IndexFunc(frames, func(f format.Frame) bool { return matchesFrame(pattern, &f) }),
				)
			}
			return s, true
		}
		n++
	}
	return s, false
}

func (r *rule) matches(class string, frames []format.Frame) bool {
	if !Match(r.class, class) {
		return false
	}
	for _, pattern := range r.frames {
		if !slices.ContainsFunc(frames, func(f format.Frame) bool { return matchesFrame(pattern, &f) }) {
			return false
		}
	}
	return true
}

// matchesFrame joins the names only if that costs no allocation: it is called for each rule
// and each frame.
func matchesFrame(pattern string, f *format.Frame) bool {
	if f.Class == "" { // a function of a native program
		return Match(pattern, f.Method)
	}
	var room [256]byte
	return Match(pattern, append(append(append(room[:0], f.Class...), '.'), f.Method...))
}

// Match reports whether text matches a pattern in which * stands for any characters. It
// takes time proportional to the product of the lengths at worst.
func Match[T string | []byte](pattern string, text T) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == text[i]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Memo is a table that remembers its answers. It distinguishes stacks by their ids, which
// one decoder gives.
type Memo struct {
	table *Table
	said  map[question]Result
}

// question is the key of an answer.
type question struct {
	class string
	stack format.StackID
}

// NewMemo returns a Memo of a table, or of the default one.
func NewMemo(t *Table) Memo { return Memo{OrDefault(t), map[question]Result{}} }

// Classify classifies a wait on an object of a class, with the id and the frames of its
// stack.
func (m *Memo) Classify(class string, stack format.StackID, frames []format.Frame) Result {
	q := question{class, stack}
	res, ok := m.said[q]
	if !ok {
		res = m.table.Classify(class, frames)
		m.said[q] = res
	}
	return res
}
