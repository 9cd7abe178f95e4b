package godump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// symbols gives goroutines, locks and stacks the ids they keep over all
// dumps.
type symbols struct {
	format.Output // what is named must be announced first

	rules   *rules.Table
	threads format.Numbers[int] // by the number of the goroutine
	stacks  format.Stacks
	locks   format.Numbers[lockKey]

	half, whole lockKey // the same lock in the dump at hand
}

// lockKey identifies a lock by its address or, where the dump does not show
// it, by the function that takes it.
type lockKey struct {
	class string
	addr  uint64
	site  string
}

func newSymbols(t *rules.Table) symbols {
	return symbols{rules: rules.OrDefault(t)}
}

// idleStack is the stack of a goroutine that waits for no lock. What it waits for is not
// among the frames of a dump: it is put before them.
func (y *symbols) idleStack(g *goroutine) format.StackID {
	what := format.Frame{Method: "[" + strings.ToValidUTF8(strings.TrimSuffix(g.state, " (scan)"), "\uFFFD") + "]"}
	return y.stacks.Announce(append([]format.Frame{what}, g.frames...), &y.Queue)
}

// thread names a goroutine by the function it started in, which is its group.
func (y *symbols) thread(g *goroutine) format.ThreadID {
	n, added := y.threads.Of(g.id)
	t := format.ThreadID(n + 1)
	if added {
		group, _ := rules.StartOfGo(g.frames)
		y.Push(format.Event{Kind: format.KindThread, Thread: t, Name: fmt.Sprintf("%s #%d", group, g.id), Group: group})
	}
	return t
}

// keyOf identifies the lock a goroutine waits for. What methods of one type take for
// reading and for writing is one RWMutex.
func keyOf(g *goroutine) lockKey {
	use := rules.GoUseOf(g.frames)
	key := lockKey{class: cmp.Or(use.Class, "lock"), addr: g.address()} // a rule of the user's calls it one
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
func (y *symbols) joinHalves(list []*goroutine) {
	var halves []lockKey
	packages, methods := map[string]bool{}, map[string]bool{}
	for _, g := range list {
		use := rules.GoUseOf(g.frames)
		if use.Class != rwMutex || !g.waits() {
			continue
		}
		packages[use.At.Class], methods[use.Method] = true, true
		if key := keyOf(g); !slices.Contains(halves, key) {
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

func (y *symbols) lock(g *goroutine, kind format.LockKind) format.ObjectID {
	key := keyOf(g)
	if key == y.half {
		key = y.whole
	}
	n, added := y.locks.Of(key)
	id := format.ObjectID(n + 1)
	if added {
		ev := format.Event{Kind: format.KindObject, Object: id, Class: key.class, LockKind: kind, Hash: key.addr}
		if key.addr == 0 {
			ev.Name = fmt.Sprintf("%s of %s", key.class, key.site)
		}
		y.Push(ev)
	}
	return id
}
