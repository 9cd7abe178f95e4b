package jfr

import (
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"contend/format"
)

// stack resolves a stack's key. Equal stacks share an id across chunks.
func (r *Reader) stack(key int64) format.StackID {
	if key == 0 {
		return format.NoStack
	}
	if id := r.known.stacks.get(key); id != 0 {
		return format.StackID(id - 1)
	}
	frames, entry, cut := r.stackFrames(key)
	id := r.internStack(frames)
	if entry {
		r.ids.entries[id] = struct{}{}
	}
	if cut {
		r.ids.cut[id] = struct{}{}
	}
	r.known.stacks.set(key, uint32(id)+1)
	return id
}

// maxFrames bounds a stack; the JDK stops at 2048 itself.
const maxFrames = 1 << 14

// stackFrames reads the frames of a stack; entry says that the innermost is of
// a method that is synchronized, cut that the outermost are missing.
func (r *Reader) stackFrames(key int64) (frames []format.Frame, entry, cut bool) {
	var v values
	p := r.meta.parts.frame
	if p == nil || !r.constant(r.meta.parts.stack, key, &v) {
		return nil, false, false
	}
	cut = v[slotTruncated] != 0
	c := r.cursor(int(v[slotFrames]))
	n := min(c.count("frames"), maxFrames)
	frames = make([]format.Frame, 0, n)
	for i := range n {
		p.run(&c, &v)
		if c.err != nil {
			break
		}
		m := r.method(v[slotMethod])
		entry = entry || i == 0 && m.synchronized
		frames = append(frames, format.Frame{Class: m.class, Method: m.method, Line: max(int(int32(v[slotLine])), 0)})
	}
	return frames, entry, cut
}

func (r *Reader) method(key int64) methodName {
	if i := r.known.methods.get(key); i != 0 {
		return r.known.named[i-1]
	}
	m := methodName{method: "[unknown method]"}
	var v values
	if r.constant(r.meta.parts.method, key, &v) {
		m = methodName{r.ids.names[r.class(v[slotClass])], r.symbol(r.meta.parts.method, &v), v[slotModifiers]&synchronizedFlag != 0}
	}
	r.known.named = append(r.known.named, m)
	r.known.methods.set(key, uint32(len(r.known.named)))
	return m
}

// maxSleeps bounds the stacks made up for sleeps.
const maxSleeps = 1 << 12

// sleepStack stands for the stack of a sleep that was recorded without one:
// a single frame that gives the time asked for, in nanoseconds.
func (r *Reader) sleepStack(asked int64) format.StackID {
	id, ok := r.ids.sleeps[asked]
	if !ok && len(r.ids.sleeps) < maxSleeps {
		id = r.internStack([]format.Frame{{Class: "java.lang.Thread", Method: fmt.Sprintf("sleep(%v)", time.Duration(asked))}})
		r.ids.sleeps[asked] = id
	}
	return id
}

func (r *Reader) internStack(frames []format.Frame) format.StackID {
	if len(frames) == 0 {
		return format.NoStack
	}
	var h maphash.Hash
	h.SetSeed(r.ids.seed)
	for _, f := range frames {
		h.WriteString(f.Class)
		h.WriteString(f.Method)
		h.WriteByte(byte(f.Line))
	}
	sum := h.Sum64()
	for _, id := range r.ids.stacks[sum] {
		if slices.Equal(r.ids.frames[id], frames) {
			return id
		}
	}
	id := format.StackID(len(r.ids.frames))
	r.ids.frames = append(r.ids.frames, frames)
	r.ids.stacks[sum] = append(r.ids.stacks[sum], id)
	r.queue.Push(format.Event{Kind: format.KindStack, Stack: id, Frames: frames})
	return id
}
