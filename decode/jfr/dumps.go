package jfr

import (
	"maps"
	"slices"
	"strings"
	"time"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
	"contend/format/human"
)

// threadDump takes an embedded thread dump. It gives an evidence-only contention event for
// each contended lock. These, the runnable threads and the idle ones are kept until the instant of
// the dump is known.
func (r *Reader) threadDump(at int64, text string) {
	d := r.evidence.dumps.Parse(text)
	r.symbols.ids.virtual.jvm.ran = r.symbols.ids.virtual.jvm.ran || d.Hides
	// The constants of groups distinguish carriers from other pools.
	if meta := r.symbols.chunk.meta; meta != nil && meta.parts.group != nil {
		d.Virtuals = r.symbols.ids.virtual.jvm.ran
	}
	locks := dumpedLocks{}
	undated := undatedDump{asked: at}
	if d.Telling() && !strings.Contains(text, deadlockReport) {
		r.evidence.telling.addDump(at)
	}
	r.evidence.telling.initialises = d.Initialises()
	for i := range d.Threads {
		t := &d.Threads[i]
		if t.JavaID == 0 && len(t.Frames) == 0 {
			continue // a thread of the VM itself
		}
		thread := r.symbols.dumpThread(t)
		seen := observation{thread: thread, class: r.symbols.dumpClass(t.For), state: stateOf(t)}
		runnable := runs(t)
		stack := r.symbols.internStack(recorded(t.Frames))
		if runnable {
			undated.running = append(undated.running, format.Party{Thread: thread, Stack: stack})
		}
		switch kind, mode := r.symbols.waits(t, stack); {
		case kind != format.KindUnknownLock:
			ev := locks[t.For]
			if ev == nil {
				ev = &dumpedLock{
					event: format.Event{
						Kind:   format.KindContention,
						Weight: format.EvidenceOnly,
						Object: r.symbols.dumpLock(t.For, kind, stack),
					},
					kind: kind,
				}
				locks[t.For] = ev
			}
			ev.event.Waiters = append(ev.event.Waiters, format.Party{Thread: thread, Stack: stack, Mode: mode})
		case t.Wait != threaddump.NotWaiting:
			res := r.symbols.classify(r.symbols.intern(t.For.Class), stack)
			seen.idle, seen.resource = stack, res.Verdict == rules.Resource
		}
		undated.threads = append(undated.threads, seen)
	}
	r.addOwners(locks, d, at)
	order := slices.SortedFunc(
		maps.Keys(locks),
		func(a, b threaddump.LockRef) int { return int(locks[a].event.Object) - int(locks[b].event.Object) },
	)
	for _, ref := range order {
		// Without -l a dump shows no owner of a synchronizer, and it never shows owners in
		// other libraries. Virtual threads may own a lock that no listed thread owns.
		l := locks[ref]
		if free := l.kind == format.KindMonitor && d.Complete(); free || len(l.event.Owners) > 0 {
			undated.locks = append(undated.locks, l.event)
		}
	}
	r.evidence.dumpTimes.dumps.list = append(r.evidence.dumpTimes.dumps.list, undated)
}

// dumpedLocks are the locks that threads of a dump wait for.
type dumpedLocks map[threaddump.LockRef]*dumpedLock

type dumpedLock struct {
	event format.Event
	kind  format.LockKind
}

// addOwners adds the owners that a dump shows to its locks, and their acquisition stacks. A
// thread that waits for a lock, or is about to, does not own it yet.
func (r *Reader) addOwners(locks dumpedLocks, d *threaddump.Dump, at int64) {
	for i := range d.Threads {
		t := &d.Threads[i]
		entered, enters := t.Enters()
		for _, ref := range t.Held {
			l := locks[ref]
			if l == nil || ref == t.For || enters && ref == entered {
				continue
			}
			l.event.Owners = append(l.event.Owners, format.Party{
				Thread: r.symbols.dumpThread(t),
				Stack:  r.symbols.internStack(recorded(t.Frames)),
			})
			if frames := t.Taking(ref); frames != nil {
				r.symbols.queue.Push(
					format.Event{
						Kind:     format.KindActivity,
						Activity: format.ActivityTook,
						Stack:    r.symbols.internStack(recorded(frames)),
						Object:   l.event.Object,
						Time:     at,
						End:      at,
					},
				)
			}
		}
	}
}

// runs reports whether a thread could run, as far as a dump shows it: native code may wait,
// and so may a runnable thread during class initialisation.
func runs(t *threaddump.Thread) bool {
	return t.State == "RUNNABLE" && t.Wait == threaddump.NotWaiting && len(t.Frames) > 0 && t.Frames[0].Line >= 0
}

// deadlockReport is in the text after the threads if the JVM found a deadlock. The JVM
// knows the owners of java.util.concurrent locks, which the dump may not show.
const deadlockReport = "Java-level deadlock"

// tellingDumps are the thread dumps that would show a deadlock: they list all threads that
// may hold a lock.
type tellingDumps struct {
	count       int
	last        int64
	initialises string // a method of the last dump that may wait for a class to be initialised
}

func (d *tellingDumps) addDump(at int64) {
	d.last = max(d.last, at)
	d.count++
}

// unwatched is how long a recording may continue after its last dump, ns: dumps once a second are usual.
const unwatched = int64(15e8)

// blind returns why a deadlock may not show. Its threads record no wait, so only thread
// dumps or the samples of an agent show it; no dump lists virtual threads, and a sample
// shows only some of them.
func (r *Reader) blind() string {
	switch end := r.symbols.chunk.head.end(); {
	case r.symbols.ids.virtual.any():
		return "virtual threads ran, which are not in the thread dumps of a recording"
	case r.evidence.agent.follows:
		return ""
	case r.evidence.telling.count == 0:
		return "no thread dump is in the recording, and a wait in a deadlock never ends and is not recorded"
	case r.evidence.telling.initialises != "":
		return threaddump.UnmarkedWaits(r.evidence.telling.initialises)
	case end-r.evidence.telling.last > unwatched:
		return human.Say(
			"the last thread dump is %v before the end of the recording",
			time.Duration(end-r.evidence.telling.last),
		)
	}
	return ""
}

// waits returns the kind of the lock a thread of a dump waits for; KindUnknownLock for
// a thread that waits for none.
func (s *resolver) waits(t *threaddump.Thread, stack format.StackID) (format.LockKind, format.Mode) {
	switch t.Wait {
	case threaddump.Blocked:
		if t.For.Addr == 0 && !initialised(t.For) {
			break
		}
		return format.KindMonitor, format.Exclusive
	case threaddump.Parked:
		if v := s.classify(s.intern(t.For.Class), stack); v.Verdict == rules.Lock {
			return v.Kind, v.Mode
		}
	}
	return format.KindUnknownLock, format.Exclusive
}

// dumpLock returns the id of a lock in a dump. A lock for class initialisation is known by
// the name of the class in dumps, and by an address in events.
func (s *resolver) dumpLock(ref threaddump.LockRef, kind format.LockKind, at format.StackID) format.ObjectID {
	if initialised(ref) {
		return s.object(s.dumpClass(ref), int64(s.intern(ref.Class)), initSpace, kind, at)
	}
	return s.object(s.dumpClass(ref), int64(ref.Addr), heapSpace, kind, at)
}

// dumpClass is the class that events have of a lock of a dump.
func (s *resolver) dumpClass(ref threaddump.LockRef) uint32 {
	if initialised(ref) {
		return s.intern(initLock)
	}
	return s.intern(ref.Class)
}

// initialised reports whether threads wait there for a class to be initialised.
func initialised(ref threaddump.LockRef) bool {
	return strings.HasPrefix(ref.Class, format.Initialisation)
}

// dumpThread finds the recording's thread: by its Java id, which both give.
func (s *resolver) dumpThread(t *threaddump.Thread) format.ThreadID {
	if id, ok := s.ids.byJava[t.JavaID]; ok {
		return id
	}
	id := s.threadID(threadKey{t.JavaID, t.NativeID, t.Name}, "")
	if t.JavaID != 0 {
		s.ids.byJava[t.JavaID] = id
	}
	return id
}

// recorded returns the frames of a dump as recorded events have them: without a file, and
// native code is not marked.
func recorded(frames []format.Frame) []format.Frame {
	frames = slices.Clone(frames)
	for i := range frames {
		frames[i].File, frames[i].Line = "", max(frames[i].Line, 0)
	}
	return frames
}
