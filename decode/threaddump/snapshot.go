package threaddump

import (
	"cmp"
	"slices"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// symbols gives threads, locks and stacks the ids they keep over all dumps.
type symbols struct {
	format.Output // what is named must be announced first

	rules       rules.Memo
	threads     map[threadKey]threadID
	locks       map[LockRef]format.ObjectID
	lastLock    format.ObjectID // the id given last
	stacks      format.Stacks
	seen        map[threadKey]int // in the current dump
	took        map[took]bool
	owned       map[string]bool // classes of locks that a dump showed an owner of
	parties     []format.Party  // the same: its threads with their stacks
	relocations relocations
	strangers   int // threads with the Java id of another one
}

// threadKey tells threads apart: by the Java id, else the native one. Names
// repeat, so nth counts within a dump. Of a thread that has both, the first
// native id met is left out, as not all dialects give it; another one belongs
// to another process.
type threadKey struct {
	java, native int64
	name         string
	nth          int
}

type threadID struct {
	id     format.ThreadID
	name   string
	native int64 // 0 while not known
}

func newSymbols(t *rules.Table) symbols {
	return symbols{rules: rules.NewMemo(t), threads: map[threadKey]threadID{}, locks: map[LockRef]format.ObjectID{},
		seen: map[threadKey]int{}, took: map[took]bool{}, owned: map[string]bool{}}
}

// snapshot is what a dump shows of contention.
type snapshot struct {
	live, idle uint32
	locks      []format.Event // contention events without time, in order of their first waiter
	others     []format.Event // what the idle ones do, without time
}

// snapshot turns a dump into events, and counts the owners that are missing.
func (y *symbols) snapshot(d *Dump, m *missing) *snapshot {
	s := &snapshot{}
	clear(y.seen)
	y.parties = y.parties[:0]
	for i := range d.Threads {
		t := &d.Threads[i]
		y.parties = append(y.parties, format.Party{Thread: y.thread(t), Stack: y.stacks.Announce(t.Frames, &y.Queue)})
	}
	y.relocations.follow(d, y.parties, y.locks)
	held := holds{map[LockRef][]format.Party{}, map[LockRef][][]format.Frame{}, map[LockRef]bool{}}
	at := map[LockRef]int{}
	for i := range d.Threads {
		t := &d.Threads[i]
		party := y.parties[i]
		enter := held.add(t, party)
		for _, ref := range t.Held {
			y.owned[ref.Class] = true
		}
		if len(t.Frames) == 0 && t.Wait == NotWaiting {
			continue // a thread of the VM itself
		}
		s.live++
		if enter {
			continue // it waits no more
		}
		verdict := y.verdict(t, party.Stack)
		if verdict.Verdict != rules.Lock {
			what := format.ActivityRunnable
			switch {
			case verdict.Verdict == rules.Unknown:
			case doing(t) == format.ActivitySleep && len(t.Held) > 0: // asleep inside of a critical section it runs
				what = format.ActivitySeen
			default:
				s.idle++
				what = doing(t)
			}
			s.others = append(s.others, format.Event{Kind: format.KindActivity, Activity: what, Thread: party.Thread, Stack: party.Stack, Resource: verdict.Verdict == rules.Resource})
			continue
		}
		n, ok := at[t.For]
		if !ok {
			n = len(s.locks)
			at[t.For] = n
			s.locks = append(s.locks, format.Event{Kind: format.KindContention, Object: y.lock(t.For, verdict.Kind), LockKind: verdict.Kind})
		}
		party.Mode = verdict.Mode
		s.locks[n].Waiters = append(s.locks[n].Waiters, party)
	}
	for ref, n := range at {
		if held.entered[ref] && len(held.owners[ref]) == 0 {
			s.locks[n].LockKind = format.KindUnknownLock // belongs to the object
			continue
		}
		m.own(&s.locks[n], held.owners[ref], d, ref, y.tells(s.locks[n].LockKind, d, ref))
	}
	for i := range d.Threads {
		if n, ok := at[d.Threads[i].For]; ok {
			y.tookAll(s.locks[n].Object, held.taken[d.Threads[i].For])
			delete(held.taken, d.Threads[i].For)
		}
	}
	return s
}

// holds are the owners of locks in a dump.
type holds struct {
	owners  map[LockRef][]format.Party
	taken   map[LockRef][][]format.Frame // with which stacks
	entered map[LockRef]bool             // their owner runs no instruction yet: that time is the hand-off
}

// add takes a thread, and reports whether it is just entering a monitor.
func (h *holds) add(t *Thread, party format.Party) bool {
	enters, enter := t.Enters()
	for _, ref := range t.Held {
		if enter && ref == enters {
			h.entered[ref] = true
		} else {
			h.owners[ref] = append(h.owners[ref], party)
		}
		if frames := t.Taking(ref); frames != nil {
			h.taken[ref] = append(h.taken[ref], frames)
		}
	}
	return enter
}

// tookAll tells with which stacks the owners of a lock took it: the dump shows
// that, while the waits of others show stacks of other instants.
func (y *symbols) tookAll(lock format.ObjectID, stacks [][]format.Frame) {
	for _, frames := range stacks {
		a := took{y.stacks.Announce(frames, &y.Queue), lock}
		if !y.took[a] {
			y.took[a] = true
			y.Push(format.Event{Kind: format.KindActivity, Activity: format.ActivityTook, Stack: a.stack, Object: lock})
		}
	}
}

// took is a stack with which a lock was taken.
type took struct {
	stack format.StackID
	lock  format.ObjectID
}

// tells reports whether a dump would show the owner of a lock. Synchronizers of the JDK have
// their owner noted, those of other libraries may not.
func (y *symbols) tells(kind format.LockKind, d *Dump, ref LockRef) bool {
	switch kind {
	case format.KindMonitor:
		return ref.Addr != 0 && !strings.HasPrefix(ref.Class, format.Initialisation)
	case format.KindSynchronizer:
		return d.Ownables && (strings.HasPrefix(ref.Class, jucPackage) || y.owned[ref.Class])
	}
	return false
}

// jucPackage is where the JDK has its locks.
const jucPackage = "java.util.concurrent."

// own names the owners of a lock. Where all threads stood still and are in the
// dump, a lock without an owner is free if the dump would show one. All others are held
// by a thread that the dump does not show.
func (m *missing) own(ev *format.Event, owners []format.Party, d *Dump, ref LockRef, told bool) {
	kind := ev.LockKind
	ev.LockKind = format.KindUnknownLock // belongs to the object
	for _, o := range owners {
		if !slices.ContainsFunc(ev.Waiters, func(w format.Party) bool { return w.Thread == o.Thread }) { // nobody waits for himself
			ev.Owners = append(ev.Owners, o)
		}
	}
	if len(ev.Owners) > 0 || told && d.Spread == 0 && d.Complete() {
		return
	}
	ev.Owners = append(ev.Owners, format.Party{})
	switch {
	case told && d.Virtuals:
		m.virtual += len(ev.Waiters)
	case told && d.Fragment:
		m.absent += len(ev.Waiters)
	case kind == format.KindReadWriteLock && d.Ownables:
		m.readers += len(ev.Waiters)
	case kind != format.KindMonitor && !d.Ownables && strings.HasPrefix(ref.Class, jucPackage):
		m.unlisted += len(ev.Waiters)
	}
}

// verdict says what a thread does: wait for a lock, nothing, or (Unknown)
// something.
func (y *symbols) verdict(t *Thread, stack format.StackID) rules.Result {
	if t.Wait == Blocked {
		return rules.Result{Verdict: rules.Lock, Kind: format.KindMonitor}
	}
	v := y.rules.Classify(t.For.Class, stack, t.Frames)
	waits := t.Wait != NotWaiting || strings.HasSuffix(t.State, "WAITING")
	if t.Wait != Parked && v.Verdict == rules.Lock || !waits && v.Verdict == rules.Resource {
		v = rules.Result{} // it runs, whatever a rule for parks says of its frames
	}
	if v.Verdict == rules.Unknown && waits {
		v.Verdict = rules.Idle
	}
	return v
}

// doing says how a thread is idle.
func doing(t *Thread) format.Activity {
	switch {
	case t.Wait == Waiting:
		return format.ActivityWait
	case len(t.Frames) > 0 && t.Frames[0].Class == "java.lang.Thread" && strings.HasPrefix(t.Frames[0].Method, "sleep"):
		return format.ActivitySleep
	}
	return format.ActivityPark
}

// thread returns the id of a thread.
func (y *symbols) thread(t *Thread) format.ThreadID {
	k := threadKey{java: t.JavaID}
	if t.JavaID == 0 {
		k = threadKey{native: t.NativeID, name: t.Name}
	} else if first := y.threads[k].native; first != 0 && t.NativeID != 0 && first != t.NativeID {
		k.native = t.NativeID
	}
	n := y.seen[k]
	y.seen[k]++
	k.nth = n
	before, ok := y.threads[k]
	now := threadID{before.id, t.Name, cmp.Or(before.native, t.NativeID)}
	if !ok {
		now.id = format.ThreadID(len(y.threads) + 1)
		if k.native != 0 && k.java != 0 {
			y.strangers++
		}
	}
	if now != before {
		y.threads[k] = now
	}
	if !ok || before.name != t.Name {
		y.Push(format.Event{Kind: format.KindThread, Thread: now.id, Name: t.Name})
	}
	return now.id
}

// lock returns the id of a lock. All that a dump does not name are one.
func (y *symbols) lock(ref LockRef, kind format.LockKind) format.ObjectID {
	id, ok := y.locks[ref]
	if !ok {
		y.lastLock++ // one that moved may have taken another's place in the table
		id = y.lastLock
		y.locks[ref] = id
		ev := format.Event{Kind: format.KindObject, Object: id, Class: ref.Class, Hash: ref.Addr, LockKind: kind, Name: ref.Name}
		if ref == (LockRef{}) {
			ev.Name = "a lock the dump does not name"
		}
		y.Push(ev)
	}
	return id
}
