package profile

import (
	"strconv"
	"strings"

	"contend/format"
)

// countDistance is the time between counts without times, ns.
const countDistance = int64(1)

// lock returns a lock, new ones with the metadata given.
func (r *Counts) lock(n int, made format.Event) *lock {
	l := r.locks[n]
	if l == nil {
		l = &lock{id: format.ObjectID(len(r.locks) + 1)}
		r.locks[n] = l
		made.Kind = format.KindObject
		made.Object = l.id
		made.Name = "lock " + strconv.Itoa(n)
		// A thread waits for one lock at a time, but the counts do not say which thread: each
		// lock has a waiter of its own.
		r.Push(made, format.Event{Kind: format.KindThread, Thread: format.ThreadID(l.id), Name: "[unknown thread]"})
	}
	return l
}

// stack gives frames an id; equal ones of two locks may have two.
func (r *Counts) stack(frames []format.Frame) format.StackID {
	if len(frames) == 0 {
		return format.NoStack
	}
	r.stacks++
	r.Push(format.Event{Kind: format.KindStack, Stack: r.stacks, Frames: frames})
	return r.stacks
}

// counts reads `0=551, 1=1,` or `0=2 1=2`.
func (r *Counts) counts(text string) error {
	for field := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ' ' || c == ',' }) {
		number, value, ok := strings.Cut(field, "=")
		n, err := strconv.Atoi(number)
		v, err2 := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || err2 != nil || n < 0 || n > maxLock || v < 0 {
			return errLine
		}
		r.count(r.lock(n, format.Event{Class: "java.util.concurrent.locks.Lock", LockKind: format.KindSynchronizer}), v)
	}
	return nil
}

// count notes that a lock's count is now total. One that fell began anew.
func (r *Counts) count(l *lock, total int64) {
	more := total - l.count
	if more < 0 {
		more = total
	}
	l.count = total
	if more == 0 {
		return
	}
	r.last = max(r.now, r.last+countDistance) // each event is an instant of its own, so that it keeps its weight
	r.Push(format.Event{
		Kind:    format.KindContention,
		Time:    r.last,
		Weight:  more,
		Count:   uint64(more),
		Object:  l.id,
		Owners:  []format.Party{{}},
		Waiters: []format.Party{{Thread: format.ThreadID(l.id), Stack: l.stack}},
	})
}

// frames reads frames such as `java.base/java.nio.file.Files.find(Files.java:482), ` or
// `Sync.enter:2,  `, and returns the rest.
func frames(text string) (list []format.Frame, rest string) {
	for {
		text = strings.TrimLeft(text, " ")
		end := strings.Index(text, ",")
		if end < 0 {
			return list, text
		}
		f, ok := frame(text[:end])
		if !ok {
			return list, text
		}
		list = append(list, f)
		text = text[end+1:]
	}
}

func frame(text string) (f format.Frame, ok bool) {
	name, where, parens := strings.Cut(text, "(")
	if parens {
		where = strings.TrimSuffix(where, ")")
		f.File, where, _ = strings.Cut(where, ":")
	} else if name, where, ok = strings.Cut(text, ":"); !ok {
		return f, false
	}
	f.Line, _ = strconv.Atoi(where)
	f.Line = max(f.Line, 0)
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return f, false
	}
	f.Class, f.Method = name[:dot], name[dot+1:]
	return f, true
}
