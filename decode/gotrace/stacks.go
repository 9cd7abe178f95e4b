package gotrace

import (
	"path"
	"slices"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"

	"golang.org/x/exp/trace"
)

// stacks gives each call stack one id for the whole trace; the trace itself
// numbers them anew in each generation.
type stacks struct {
	rules   rules.Memo
	classes map[string]string         // of reasons to wait, as the rules see them
	handles map[handle]format.StackID // of this generation
	ids     format.Stacks
	byID    []stack // by id; 0 is the absent one
	frames  []format.Frame
	calls   format.Interner[uint64] // instructions that release locks
	inside  map[[2]format.StackID]bool
}

// handle is the trace's number of a stack, with the annotation in force.
type handle struct {
	stack trace.Stack
	note  uint32
}

// stack is the cached information about a call stack.
type stack struct {
	frames []format.Frame
	use    gonames.Use
}

func (s *stacks) init(table *rules.Table) {
	*s = stacks{
		rules:   rules.NewMemo(table),
		classes: map[string]string{"": "go:unknown"},
		handles: map[handle]format.StackID{},
		byID:    make([]stack, 1),
		inside:  map[[2]format.StackID]bool{},
	}
}

// forgetHandles drops the handles of a generation, which hold its tables.
func (s *stacks) forgetHandles() { clear(s.handles) }

// id returns the id of a stack, and its frames when it is new.
func (s *stacks) id(at trace.Stack, note uint32, notes *annotations) (id format.StackID, added []format.Frame) {
	if at == trace.NoStack {
		return format.NoStack, nil
	}
	h := handle{at, note}
	if id, ok := s.handles[h]; ok {
		return id, nil
	}
	s.frames = s.frames[:0]
	for f := range at.Frames() {
		class, method := gonames.Split(f.Func)
		s.frames = append(
			s.frames,
			format.Frame{Class: class, Method: method, File: fileName(f.File), Line: int(min(f.Line, 1<<31-1))},
		)
	}
	if len(s.frames) == 0 {
		return format.NoStack, nil
	}
	s.frames = notes.frames(note, s.frames)
	id, isNew := s.ids.ID(s.frames)
	if isNew {
		added = slices.Clone(s.frames)
		s.byID = append(s.byID, stack{added, gonames.UseOf(added)})
	}
	s.handles[h] = id
	return id, added
}

// callOf returns the number of the instruction at which the program calls a lock.
func (s *stacks) callOf(at trace.Stack) uint32 {
	for f := range at.Frames() {
		if pkg, _ := gonames.Split(f.Func); !gonames.OfLocks(pkg) {
			n, _ := s.calls.Intern(f.PC)
			return n + 1
		}
	}
	return 0
}

// within reports whether a stack may be of the same call of the function that acquired a lock as the stack
// that did. A stack that is unknown, or cut, may be.
func (s *stacks) within(acquired, now format.StackID) bool {
	if acquired == now || now == format.NoStack {
		return true
	}
	key := [2]format.StackID{acquired, now}
	in, known := s.inside[key]
	if !known {
		_, own := gonames.OfLock(calls(s.framesOf(acquired)))
		frames := calls(s.framesOf(now))
		if rest := len(frames) - len(own); len(own) == 0 || len(frames) >= maxFrames {
			in = true
		} else if rest >= 0 {
			frames = frames[rest:]
			in = frames[0].Class == own[0].Class && frames[0].Method == own[0].Method &&
				slices.Equal(frames[1:], own[1:])
		}
		if len(s.inside) == maxPairs {
			clear(s.inside)
		}
		s.inside[key] = in
	}
	return in
}

// calls returns the frames of a stack without its annotation.
func calls(frames []format.Frame) []format.Frame {
	for n := len(frames); n > 0; n-- {
		if class := frames[n-1].Class; class != format.RegionClass && class != format.TaskClass {
			return frames[:n]
		}
	}
	return nil
}

// maxPairs is how many pairs of stacks are remembered.
const maxPairs = 1 << 16

// maxFrames is how many frames the runtime records of a stack.
const maxFrames = 128

// framesOf returns the frames of a stack, innermost first.
func (s *stacks) framesOf(id format.StackID) []format.Frame { return s.byID[id].frames }

// use returns how a stack uses a lock, if it does.
func (s *stacks) use(id format.StackID) gonames.Use { return s.byID[id].use }

// classify returns the verdict of the rules on a wait. Its class is the reason that the
// trace gives: go:chan-receive; go:unknown for a goroutine that waited before the recording
// began.
func (s *stacks) classify(reason string, id format.StackID) rules.Result {
	class, ok := s.classes[reason]
	if !ok {
		class = "go:" + strings.ReplaceAll(reason, " ", "-")
		s.classes[strings.Clone(reason)] = class
	}
	return s.rules.Classify(class, id, s.framesOf(id))
}

// fileName returns the last part of a path, of whichever system.
func fileName(of string) string {
	return strings.ToValidUTF8(path.Base(strings.ReplaceAll(of, `\`, "/")), "\uFFFD")
}
