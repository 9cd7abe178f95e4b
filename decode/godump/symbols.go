package godump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"
)

// dumpNames gives goroutines, locks and stacks the ids they keep over all
// dumps.
type dumpNames struct {
	format.Output // metadata comes before its use

	rules   *rules.Table
	threads format.Interner[int] // by the number of the goroutine
	stacks  format.Stacks
	locks   format.Interner[lockKey]

	half, whole lockKey // the two halves of one lock in the current dump
}

// lockKey identifies a lock by its address or, if the dump does not show it, by the
// function that acquires it.
type lockKey struct {
	class string
	addr  uint64
	site  string
}

func newDumpNames(t *rules.Table) dumpNames {
	return dumpNames{rules: rules.OrDefault(t)}
}

// idleStack returns the stack of a goroutine that waits for something else than a lock. A
// dump has the reason outside of the frames; it becomes the innermost frame.
func (s *dumpNames) idleStack(g *goroutine) format.StackID {
	what := format.Frame{Method: "[" + strings.ToValidUTF8(strings.TrimSuffix(g.state, " (scan)"), "\uFFFD") + "]"}
	return s.stacks.Announce(append([]format.Frame{what}, g.frames...), &s.Queue)
}

// thread names a goroutine by the function it started in, which is its group.
func (s *dumpNames) thread(g *goroutine) format.ThreadID {
	n, added := s.threads.Intern(g.id)
	t := format.ThreadID(n + 1)
	if added {
		group, _ := gonames.Start(g.frames)
		s.Push(format.Event{Kind: format.KindThread, Thread: t, Name: fmt.Sprintf("%s #%d", group, g.id), Group: group})
	}
	return t
}

// keyOf identifies the lock a goroutine waits for. The methods of one type acquire one
// RWMutex, for reading and for writing.
func keyOf(g *goroutine) lockKey {
	use := gonames.UseOf(g.frames)
	key := lockKey{class: cmp.Or(use.Class, "lock"), addr: g.address()} // a rule of the user's calls it one
	if key.addr == 0 {
		key.site = cmp.Or(gonames.Name(use.At), "[unknown]")
		if end := strings.LastIndex(key.site, ")."); end > 0 && key.class == rwMutex {
			key.site = key.site[:end+1]
		}
	}
	return key
}

const rwMutex = "sync.RWMutex"

// joinHalves finds the two halves of the only RWMutex in a dump: often only writers show
// the address, or no goroutine does. With several RWMutexes the halves cannot be matched.
func (s *dumpNames) joinHalves(list []*goroutine) {
	var halves []lockKey
	packages, methods := map[string]bool{}, map[string]bool{}
	for _, g := range list {
		use := gonames.UseOf(g.frames)
		if use.Class != rwMutex || !g.waits() {
			continue
		}
		packages[use.At.Class], methods[use.Method] = true, true
		if key := keyOf(g); !slices.Contains(halves, key) {
			halves = append(halves, key)
		}
	}
	s.half, s.whole = lockKey{}, lockKey{}
	if len(halves) != 2 || len(packages) != 1 || len(methods) != 2 {
		return
	}
	if halves[0].addr == 0 {
		s.half, s.whole = halves[0], halves[1]
	} else if halves[1].addr == 0 {
		s.half, s.whole = halves[1], halves[0]
	}
}

func (s *dumpNames) lock(g *goroutine, kind format.LockKind) format.ObjectID {
	key := keyOf(g)
	if key == s.half {
		key = s.whole
	}
	n, added := s.locks.Intern(key)
	id := format.ObjectID(n + 1)
	if added {
		ev := format.Event{Kind: format.KindObject, Object: id, Class: key.class, LockKind: kind, Hash: key.addr}
		if key.addr == 0 {
			ev.Name = fmt.Sprintf("%s of %s", key.class, key.site)
		}
		s.Push(ev)
	}
	return id
}
