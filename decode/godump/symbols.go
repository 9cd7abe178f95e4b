package godump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/decode/rules"
	"contend/format"

	"github.com/maruel/panicparse/v2/stack"
)

// symbols gives goroutines, locks and stacks the ids they keep over all
// dumps.
type symbols struct {
	rules    *rules.Table
	threads  map[int]format.ThreadID
	stacks   format.Stacks
	locks    map[lockKey]format.ObjectID
	metadata []format.Event // not delivered yet

	half, whole lockKey // the same lock in the dump at hand
}

// lockKey identifies a lock by its address or, where the dump does not show
// it, by the function that takes it.
type lockKey struct {
	class string
	addr  uint64
	site  string
}

// waiter is a goroutine that waits for a lock.
type waiter struct {
	lock  format.ObjectID
	party format.Party
}

func newSymbols(t *rules.Table) symbols {
	if t == nil {
		t = rules.Default()
	}
	return symbols{rules: t, threads: map[int]format.ThreadID{}, locks: map[lockKey]format.ObjectID{}}
}

// running are the states of goroutines that wait for nothing but a processor.
var running = map[string]bool{"running": true, "runnable": true, "syscall": true, "idle": true, "copystack": true, "preempted": true, "waiting": true}

// waits reports whether one waits. The collector may be looking at its stack.
func waits(g *stack.Goroutine) bool { return !running[strings.TrimSuffix(g.State, " (scan)")] }

// goroutine says what one does; w is set if it waits for a lock.
func (y *symbols) goroutine(g *stack.Goroutine) (w waiter, what rules.Verdict) {
	frames := framesOf(g)
	thread := y.thread(g.ID, frames)
	if !waits(g) {
		return w, rules.Unknown
	}
	res := y.rules.Classify("go:"+strings.ReplaceAll(g.State, " ", "-"), frames)
	if res.Verdict == rules.Lock {
		stack := y.stack(frames)
		w = waiter{y.lock(g, frames, res.Kind), format.Party{Thread: thread, Stack: stack, Mode: res.Mode}}
	}
	return w, res.Verdict
}

// idle says what a goroutine does that waits for no lock. What it waits for is
// not among the frames of a dump: it is put before them.
func (y *symbols) idle(g *stack.Goroutine, at int64, resource bool) format.Event {
	frames := framesOf(g)
	thread := y.thread(g.ID, frames)
	what := format.Frame{Method: "[" + strings.ToValidUTF8(strings.TrimSuffix(g.State, " (scan)"), "\uFFFD") + "]"}
	return format.Event{Kind: format.KindActivity, Activity: format.ActivityPark, Thread: thread, Stack: y.stack(append([]format.Frame{what}, frames...)),
		Time: at, End: at, Resource: resource}
}

// framesOf returns the frames, less those of every goroutine's bottom. Where none could be
// read the state tells the lock: sync.Mutex.Lock.
func framesOf(g *stack.Goroutine) []format.Frame {
	calls := g.Stack.Calls
	if lock, method, ok := strings.Cut(strings.TrimPrefix(strings.ToValidUTF8(g.State, "\uFFFD"), "sync."), "."); ok && len(calls) == 0 && strings.HasPrefix(g.State, "sync.") {
		return []format.Frame{{Class: "sync", Method: "(*" + lock + ")." + method}}
	}
	for len(calls) > 1 && calls[len(calls)-1].Func.Complete == "runtime.goexit" {
		calls = calls[:len(calls)-1]
	}
	calls = calls[:min(len(calls), format.MaxFrames)]
	frames := make([]format.Frame, 0, len(calls))
	for i := range calls {
		class, method := rules.SplitGo(calls[i].Func.Complete)
		frames = append(frames, format.Frame{Class: class, Method: method, File: strings.ToValidUTF8(strings.TrimSuffix(calls[i].SrcName, foreign), "\uFFFD"), Line: calls[i].Line})
	}
	return frames
}

// thread names a goroutine by the function it started in, which is its group.
func (y *symbols) thread(id int, frames []format.Frame) format.ThreadID {
	t, ok := y.threads[id]
	if ok {
		return t
	}
	t = format.ThreadID(len(y.threads) + 1)
	y.threads[id] = t
	group, _ := rules.StartOfGo(frames)
	y.metadata = append(y.metadata, format.Event{Kind: format.KindThread, Thread: t, Name: fmt.Sprintf("%s #%d", group, id), Group: group})
	return t
}

func (y *symbols) stack(frames []format.Frame) format.StackID {
	id, added := y.stacks.ID(frames)
	if added {
		y.metadata = append(y.metadata, format.Event{Kind: format.KindStack, Stack: id, Frames: frames})
	}
	return id
}

// keyOf identifies the lock a goroutine waits for. What methods of one type take for
// reading and for writing is one RWMutex.
func keyOf(g *stack.Goroutine, frames []format.Frame) lockKey {
	use := rules.GoUseOf(frames)
	key := lockKey{class: cmp.Or(use.Class, "lock"), addr: address(g.Stack.Calls)} // a rule of the user's calls it one
	if key.addr == 0 {
		key.site = cmp.Or(rules.GoName(use.At), "[unknown]")
		if end := strings.LastIndex(key.site, ")."); end > 0 && key.class == rwMutex {
			key.site = key.site[:end+1]
		}
	}
	return key
}

const rwMutex = "sync.RWMutex"

// joinHalves finds the two halves of the only RWMutex in a dump: the address often shows
// of those that wait to write alone, or of none. Of several nothing tells which belong
// together.
func (y *symbols) joinHalves(list []*stack.Goroutine) {
	var halves []lockKey
	packages, methods := map[string]bool{}, map[string]bool{}
	for _, g := range list {
		frames := framesOf(g)
		use := rules.GoUseOf(frames)
		if use.Class != rwMutex || !waits(g) {
			continue
		}
		packages[use.At.Class], methods[use.Method] = true, true
		if key := keyOf(g, frames); !slices.Contains(halves, key) {
			halves = append(halves, key)
		}
	}
	y.half, y.whole = lockKey{}, lockKey{}
	if len(halves) != 2 || len(packages) != 1 || len(methods) != 2 {
		return
	}
	if halves[0].addr == 0 {
		y.half, y.whole = halves[0], halves[1]
	} else if halves[1].addr == 0 {
		y.half, y.whole = halves[1], halves[0]
	}
}

func (y *symbols) lock(g *stack.Goroutine, frames []format.Frame, kind format.LockKind) format.ObjectID {
	key := keyOf(g, frames)
	if key == y.half {
		key = y.whole
	}
	name := ""
	if key.addr == 0 {
		name = fmt.Sprintf("%s of %s", key.class, key.site)
	}
	id, ok := y.locks[key]
	if !ok {
		id = format.ObjectID(len(y.locks) + 1)
		y.locks[key] = id
		y.metadata = append(y.metadata, format.Event{Kind: format.KindObject, Object: id, Class: key.class, LockKind: kind, Hash: key.addr, Name: name})
	}
	return id
}
