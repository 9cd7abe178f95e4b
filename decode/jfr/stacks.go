package jfr

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"contend/format"
)

// stack resolves a stack's key. Equal stacks share an id across chunks.
func (s *resolver) stack(key int64) format.StackID {
	if key == 0 {
		return format.NoStack
	}
	if id := s.known.stacks.get(key); id != 0 {
		return format.StackID(id - 1)
	}
	if p := s.chunk.meta.parts.stack; s.early && p != nil && s.chunk.pools[p.pool].get(key) == 0 {
		return format.NoStack // JDK 17 may have written it with the chunk before, which is no damage
	}
	frames, entry, cut, nameless := s.stackFrames(key)
	id := s.stackOf(frames)
	if nameless {
		s.ids.nameless[id] = struct{}{}
	}
	if entry {
		s.ids.entries[id] = struct{}{}
	}
	if cut {
		s.ids.cut[id] = struct{}{}
	}
	s.known.stacks.set(key, uint32(id)+1)
	return id
}

// maxFrames bounds a stack; the JDK stops at 2048 itself.
const maxFrames = 1 << 14

// stackFrames reads the frames of a stack, valid until the next call; entry reports that
// the innermost is at the entry of a synchronized method, cut that the outermost are
// missing, nameless that a name is.
func (s *resolver) stackFrames(key int64) (frames []frame, entry, cut, nameless bool) {
	var v values
	p := s.chunk.meta.parts.frame
	if p == nil || !s.constant(s.chunk.meta.parts.stack, key, &v) {
		return nil, false, false, false
	}
	cut = v[slotTruncated] != 0
	c := s.chunk.cursor(int(v[slotFrames]))
	n := min(c.count("frames"), maxFrames)
	frames = s.frames[:0]
	for i := range n {
		if p.run(&c, &v); !s.read(&c) {
			break
		}
		s.sameLine(&v)
		m := s.numbered(v[slotMethod])
		entry = entry || i == 0 && s.known.named[m-1].synchronized
		nameless = nameless || s.known.named[m-1].unnamed
		frames = append(frames, frame{s.known.numbers[m-1], max(int32(v[slotLine]), 0)})
	}
	s.frames = frames
	return frames, entry, cut, nameless
}

// method resolves a method's key. The result is valid until the next call.
func (s *resolver) method(key int64) *methodName { return &s.known.named[s.numbered(key)-1] }

// numbered returns the number of a method in the chunk, plus one.
func (s *resolver) numbered(key int64) uint32 {
	if i := s.known.methods.get(key); i != 0 {
		return i
	}
	var v values
	m := methodName{method: "[unknown method]"}
	before := s.unnamed
	if s.constant(s.chunk.meta.parts.method, key, &v) {
		class, name := s.class(v[slotClass]), s.symbol(s.chunk.meta.parts.method, &v)
		if s.ids.words.List[name] == "" && s.unnamed > before {
			name = s.wordOf(m.method)
		}
		number, added := s.ids.methods.Intern(method{class, name})
		m = methodName{
			class:        s.ids.classes.List[class],
			method:       s.ids.words.List[name],
			synchronized: v[slotModifiers]&synchronizedFlag != 0,
			number:       number,
		}
		if added {
			s.misspelled(m.class + "." + m.method)
		}
	} else {
		m.number, _ = s.ids.methods.Intern(method{0, s.wordOf(m.method)})
	}
	m.unnamed = s.unnamed > before
	s.known.named, s.known.numbers = append(s.known.named, m), append(s.known.numbers, m.number)
	s.known.methods.set(key, uint32(len(s.known.named)))
	return uint32(len(s.known.named))
}

// maxSleeps bounds the stacks made up for sleeps.
const maxSleeps = 1 << 12

// sleepStack stands for the stack of a sleep that was recorded without one:
// a single frame that gives the time asked for, in nanoseconds.
func (s *resolver) sleepStack(asked int64) format.StackID {
	id, ok := s.ids.sleeps[asked]
	if !ok && len(s.ids.sleeps) < maxSleeps {
		id = s.internStack(
			[]format.Frame{{Class: "java.lang.Thread", Method: fmt.Sprintf("sleep(%v)", time.Duration(asked))}},
		)
		s.ids.sleeps[asked] = id
	}
	return id
}

// method is a class, and the number of the name of a method of it.
type method struct{ class, name uint32 }

// spelled writes frames out.
func (ids *identities) spelled(frames []frame) []format.Frame {
	out := make([]format.Frame, len(frames))
	for i, f := range frames {
		m := ids.methods.List[f.method]
		out[i] = format.Frame{Class: ids.classes.List[m.class], Method: ids.words.List[m.name], Line: int(f.line)}
	}
	return out
}

// frame is a frame in few bytes, since each chunk has its stacks anew.
type frame struct {
	method uint32 // its number
	line   int32
}

// internStack is stackOf for frames of other sources.
func (s *resolver) internStack(frames []format.Frame) format.StackID {
	list := make([]frame, len(frames))
	for i, f := range frames {
		number, _ := s.ids.methods.Intern(method{s.intern(f.Class), s.wordOf(f.Method)})
		list[i] = frame{number, int32(min(f.Line, math.MaxInt32))}
	}
	return s.stackOf(list)
}

// mixing is random, so that no file can be made whose stacks all have the same hash.
var mixing = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func mixed(sum uint64) uint64 {
	hi, lo := bits.Mul64(sum^mixing[0], mixing[1])
	return hi ^ lo
}

// stackOf returns the stack of some frames, and announces it when it is new.
func (s *resolver) stackOf(frames []frame) format.StackID {
	if len(frames) == 0 {
		return format.NoStack
	}
	ids, sum := &s.ids, uint64(len(frames))
	for _, f := range frames {
		sum = mixed(sum ^ uint64(f.method)<<32 ^ uint64(uint32(f.line)))
	}
	for _, id := range ids.stacks[sum] {
		if slices.Equal(ids.brief[id], frames) {
			return id
		}
	}
	id := format.StackID(len(ids.frames))
	ids.frames, ids.brief = append(ids.frames, ids.spelled(frames)), append(ids.brief, slices.Clone(frames))
	ids.stacks[sum] = append(ids.stacks[sum], id)
	s.queue.Push(format.Event{Kind: format.KindStack, Stack: id, Frames: ids.frames[id]})
	return id
}
