package gotrace

import (
	"fmt"
	"time"

	"contend/decode/rules"
	"contend/format"

	"golang.org/x/exp/trace"
)

// wait is a wait for a lock, kept until its lock is known: 64 bytes.
type wait struct {
	start, woken, end int64 // of the trace's clock; woken is 0 when it was not
	thread, waker     format.ThreadID
	stack, unlock     format.StackID
	site              site
	mode              format.Mode
	kind              format.LockKind
}

// keep books a wait that ends. Who gave the lock back uses the same one.
func (r *Reader) keep(g *goroutine, end int64) {
	u := r.stacks.use(g.stack)
	if u.class == "" {
		u.class = "lock" // a rule of the user's calls it one
	}
	w := wait{start: g.blocked, woken: g.woken, end: end, thread: g.thread, waker: g.waker,
		stack: g.stack, unlock: g.unlock, site: r.sites.of(&u), mode: g.mode, kind: g.kind}
	if w.waker != format.NoThread {
		by := r.stacks.use(w.unlock)
		r.sites.join(w.site, r.sites.of(&by))
	}
	if w.woken != 0 {
		r.late += w.end - w.woken
	}
	r.waits = append(r.waits, w)
}

// closing is how far the end of the trace has been delivered.
type closing struct {
	objects []format.ObjectID // by representative site
	waits   int
	shown   bool // the evidence of the next wait has been delivered
	owner   [1]format.Party
	waiter  [1]format.Party
}

// finish ends what goes on when the trace does, and names the locks.
func (r *Reader) finish() {
	for _, g := range r.goroutines {
		switch {
		case g.state != trace.GoWaiting && g.woken == 0:
		case g.verdict == rules.Lock:
			r.keep(g, r.last)
		default:
			r.idle(g, r.last)
		}
	}
	if r.events > 0 {
		r.push(format.Event{Kind: format.KindRecording, Time: r.wall(r.first), End: r.wall(r.last)})
	}
	c := &r.closing
	c.objects = make([]format.ObjectID, len(r.sites.keys))
	count := format.ObjectID(0)
	for i := range r.waits {
		w := &r.waits[i]
		root := r.sites.find(w.site)
		if c.objects[root] != format.NoObject {
			continue
		}
		count++
		c.objects[root] = count
		r.push(format.Event{Kind: format.KindObject, Object: count, Class: r.sites.keys[root].class, LockKind: w.kind, Name: r.sites.name(root)})
	}
	if count > 0 {
		r.warnings = append(r.warnings, format.Warning{Code: "identity", Text: fmt.Sprintf(
			"Go traces name no locks: the %d here are told apart by the places that use them, joined where one wakes another", count)})
	}
	if r.late > 0 {
		r.warnings = append(r.warnings, format.Warning{Code: "scheduling", Text: fmt.Sprintf(
			"%v of the waiting for locks passed between a goroutine's waking and its running", time.Duration(r.late).Round(time.Microsecond))})
	}
}

// close delivers the waits, each after the evidence of who gave the lock back
// at its end; false when all are.
func (r *Reader) close(ev *format.Event) bool {
	c := &r.closing
	if c.waits >= len(r.waits) {
		return false
	}
	w := &r.waits[c.waits]
	object := c.objects[r.sites.find(w.site)]
	ev.Reset()
	ev.Object = object
	if !c.shown && w.waker != format.NoThread {
		c.shown = true
		u := r.stacks.use(w.unlock)
		c.owner[0] = format.Party{Thread: w.waker, Stack: w.unlock, Mode: mode(u.shared())}
		c.waiter[0] = format.Party{Thread: w.thread, Stack: w.stack, Mode: w.mode}
		ev.Kind, ev.Weight, ev.Time = format.KindContention, format.EvidenceOnly, r.wall(w.woken-1)
		ev.Owners, ev.Waiters = c.owner[:], c.waiter[:]
		return true
	}
	c.shown = false
	c.waits++
	ev.Kind, ev.Thread, ev.Owner, ev.Mode = format.KindWait, w.thread, w.waker, w.mode
	ev.Time, ev.End, ev.Stack = r.wall(w.start), r.wall(w.end), w.stack
	return true
}

func mode(shared bool) format.Mode {
	if shared {
		return format.Shared
	}
	return format.Exclusive
}

// lost says that the trace is damaged from here on.
func (r *Reader) lost(err error) {
	r.in.drain()
	n := r.in.taken() - r.in.good()
	code, why := "truncated", format.ErrTruncated.Error()
	if !r.in.early(err) {
		code, why = "lost-data", format.ErrCorrupt.Error()
	}
	pos := format.Pos{File: r.in.name, Off: r.in.good()}
	r.warnings = append(r.warnings, format.Warning{Code: code, Text: fmt.Sprintf("%s: generation: %s; %d bytes not read", pos, why, n)})
	r.push(format.Event{Kind: format.KindGap, Time: r.wall(r.last), End: r.wall(r.last), Bytes: n, Name: why})
}
