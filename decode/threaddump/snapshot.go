package threaddump

import (
	"cmp"
	"slices"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// dumpNames gives threads, locks and stacks the ids they keep over all dumps.
type dumpNames struct {
	format.Output // metadata comes before its use

	rules       rules.Memo
	threads     map[threadKey]threadID
	locks       map[LockRef]format.ObjectID
	lastLock    format.ObjectID // the id given last
	stacks      format.Stacks
	seen        map[threadKey]int // in the current dump
	acquired    map[acquireStack]bool
	owned       map[string]bool // classes of locks that a dump showed an owner of
	parties     []format.Party  // of the current dump: its threads with their stacks
	relocations relocations
	reusedIDs   int // threads with the Java id of another thread: dumps of several processes
}

// threadKey distinguishes threads by the Java id, else the native one. Names repeat, so nth
// counts within a dump. The first native id that a Java id has is left out, as not all
// dialects give it; another one belongs to another process.
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

func newDumpNames(t *rules.Table) dumpNames {
	return dumpNames{
		rules:    rules.NewMemo(t),
		threads:  map[threadKey]threadID{},
		locks:    map[LockRef]format.ObjectID{},
		seen:     map[threadKey]int{},
		acquired: map[acquireStack]bool{},
		owned:    map[string]bool{},
	}
}

// snapshot is the contention that a dump shows.
type snapshot struct {
	live, idle uint32
	locks      []format.Event // contention events without time, in order of their first waiter
	others     []format.Event // activities of idle threads, without time
}

// snapshot turns a dump into events, and counts the owners that are missing.
func (s *dumpNames) snapshot(d *Dump, m *missing) *snapshot {
	s.announce(d)
	s.relocations.follow(d, s.parties, s.locks)
	held := holds{map[LockRef][]format.Party{}, map[LockRef][][]format.Frame{}, map[LockRef]bool{}}
	out, at := s.classify(d, &held)
	for ref, n := range at {
		if held.entered[ref] && len(held.owners[ref]) == 0 {
			out.locks[n].LockKind = format.KindUnknownLock // belongs to the object
			continue
		}
		m.setOwners(&out.locks[n], held.owners[ref], d, ref, s.showsOwner(out.locks[n].LockKind, d, ref))
	}
	for i := range d.Threads {
		if n, ok := at[d.Threads[i].For]; ok {
			s.acquiredWith(out.locks[n].Object, held.taken[d.Threads[i].For])
			delete(held.taken, d.Threads[i].For)
		}
	}
	return out
}

// announce gives the threads of a dump and their stacks ids.
func (s *dumpNames) announce(d *Dump) {
	clear(s.seen)
	s.parties = s.parties[:0]
	for i := range d.Threads {
		t := &d.Threads[i]
		s.parties = append(s.parties, format.Party{Thread: s.thread(t), Stack: s.stacks.Announce(t.Frames, &s.Queue)})
	}
}

// classify sorts the threads of a dump into waiters, idle threads and others, and adds the
// owners to held. at is the index of each lock in the snapshot.
func (s *dumpNames) classify(d *Dump, held *holds) (out *snapshot, at map[LockRef]int) {
	out, at = &snapshot{}, map[LockRef]int{}
	for i := range d.Threads {
		t := &d.Threads[i]
		party := s.parties[i]
		enter := held.addThread(t, party)
		for _, ref := range t.Held {
			s.owned[ref.Class] = true
		}
		if len(t.Frames) == 0 && t.Wait == NotWaiting {
			continue // a thread of the VM itself
		}
		out.live++
		if enter {
			continue // it waits no more
		}
		verdict := s.verdict(t, party.Stack)
		if verdict.Verdict != rules.Lock {
			what := format.ActivityRunnable
			switch {
			case verdict.Verdict == rules.Unknown:
			case doing(t) == format.ActivitySleep && len(t.Held) > 0:
				// a sleep inside a critical section is running time
				what = format.ActivitySeen
			default:
				out.idle++
				what = doing(t)
			}
			out.others = append(
				out.others,
				format.Event{
					Kind:     format.KindActivity,
					Activity: what,
					Thread:   party.Thread,
					Stack:    party.Stack,
					Resource: verdict.Verdict == rules.Resource,
				},
			)
			continue
		}
		n, ok := at[t.For]
		if !ok {
			n = len(out.locks)
			at[t.For] = n
			out.locks = append(
				out.locks,
				format.Event{Kind: format.KindContention, Object: s.lock(t.For, verdict.Kind), LockKind: verdict.Kind},
			)
		}
		party.Mode = verdict.Mode
		out.locks[n].Waiters = append(out.locks[n].Waiters, party)
	}
	return out, at
}

// holds are the owners of locks in a dump.
type holds struct {
	owners  map[LockRef][]format.Party
	taken   map[LockRef][][]format.Frame // acquisition stacks of its owners
	entered map[LockRef]bool             // their owner runs no instruction yet: that time is the hand-off
}

// addThread takes a thread, and reports whether it is just entering a monitor.
func (h *holds) addThread(t *Thread, party format.Party) bool {
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

// acquiredWith adds the stacks with which the owners of a lock acquired it: the dump shows them,
// while the waits of others show stacks of other instants.
func (s *dumpNames) acquiredWith(lock format.ObjectID, stacks [][]format.Frame) {
	for _, frames := range stacks {
		a := acquireStack{s.stacks.Announce(frames, &s.Queue), lock}
		if !s.acquired[a] {
			s.acquired[a] = true
			s.Push(format.Event{Kind: format.KindActivity, Activity: format.ActivityTook, Stack: a.stack, Object: lock})
		}
	}
}

// acquireStack is a stack with which a lock was acquired.
type acquireStack struct {
	stack format.StackID
	lock  format.ObjectID
}

// showsOwner reports whether a dump would show the owner of a lock. Synchronizers of the JDK
// record their owner; those of other libraries may not.
func (s *dumpNames) showsOwner(kind format.LockKind, d *Dump, ref LockRef) bool {
	switch kind {
	case format.KindMonitor:
		return !ref.Unnamed() && !strings.HasPrefix(ref.Class, format.Initialisation)
	case format.KindSynchronizer:
		return d.Ownables && !ref.Unnamed() && (strings.HasPrefix(ref.Class, jucPackage) || s.owned[ref.Class])
	}
	return false
}

// jucPackage is the JDK's package of locks.
const jucPackage = "java.util.concurrent."

// setOwners sets the owners of a lock. If the dump lists all threads at one instant and would
// show an owner, a lock without one is free. Otherwise an unlisted thread holds it.
func (m *missing) setOwners(ev *format.Event, owners []format.Party, d *Dump, ref LockRef, showsOwner bool) {
	kind := ev.LockKind
	ev.LockKind = format.KindUnknownLock // belongs to the object
	for _, o := range owners {
		if !slices.ContainsFunc(
			ev.Waiters,
			func(w format.Party) bool { return w.Thread == o.Thread },
		) { // no thread waits for itself
			ev.Owners = append(ev.Owners, o)
		}
	}
	if len(ev.Owners) > 0 || showsOwner && d.Spread == 0 && d.Complete() {
		return
	}
	ev.Owners = append(ev.Owners, format.Party{})
	switch {
	case ref.Unnamed():
		m.unnamed += len(ev.Waiters)
		m.unnamedNow += len(ev.Waiters)
	case showsOwner && d.Virtuals:
		m.virtual += len(ev.Waiters)
	case showsOwner && d.Fragment:
		m.absent += len(ev.Waiters)
	case kind == format.KindReadWriteLock && d.Ownables:
		m.readers += len(ev.Waiters)
	case kind != format.KindMonitor && !d.Ownables && strings.HasPrefix(ref.Class, jucPackage):
		m.unlisted += len(ev.Waiters)
	}
}

// verdict returns the activity of a thread: waiting for a lock, idle, or unknown.
func (s *dumpNames) verdict(t *Thread, stack format.StackID) rules.Result {
	if t.Wait == Blocked {
		return rules.Result{Verdict: rules.Lock, Kind: format.KindMonitor}
	}
	v := s.rules.Classify(t.For.Class, stack, t.Frames)
	waits := t.Wait != NotWaiting || strings.HasSuffix(t.State, "WAITING")
	if t.Wait != Parked && v.Verdict == rules.Lock || !waits && v.Verdict == rules.Resource {
		v = rules.Result{} // it runs; rules for parks do not apply
	}
	if v.Verdict == rules.Unknown && waits {
		v.Verdict = rules.Idle
	}
	return v
}

// doing returns the kind of idleness of a thread.
func doing(t *Thread) format.Activity {
	if t.Wait == Waiting {
		return format.ActivityWait
	}
	for i := range t.Frames { // a virtual thread parks in its sleep
		switch f := &t.Frames[i]; {
		case f.Class == "java.lang.Thread" && strings.HasPrefix(f.Method, "sleep"):
			return format.ActivitySleep
		case !parking(f) && !strings.HasPrefix(f.Class, "java.lang.VirtualThread") &&
			f.Class != "jdk.internal.vm.Continuation":
			return format.ActivityPark
		}
	}
	return format.ActivityPark
}

// thread returns the id of a thread.
func (s *dumpNames) thread(t *Thread) format.ThreadID {
	k := threadKey{java: t.JavaID}
	if t.JavaID == 0 {
		k = threadKey{native: t.NativeID, name: t.Name}
	} else if first := s.threads[k].native; first != 0 && t.NativeID != 0 && first != t.NativeID {
		k.native = t.NativeID
	}
	n := s.seen[k]
	s.seen[k]++
	k.nth = n
	before, ok := s.threads[k]
	now := threadID{before.id, t.Name, cmp.Or(before.native, t.NativeID)}
	if !ok {
		now.id = format.ThreadID(len(s.threads) + 1)
		if k.native != 0 && k.java != 0 {
			s.reusedIDs++
		}
	}
	if now != before {
		s.threads[k] = now
	}
	if !ok || before.name != t.Name {
		s.Push(format.Event{Kind: format.KindThread, Thread: now.id, Name: t.Name})
	}
	return now.id
}

// lock returns the id of a lock. All that a dump does not name are one.
func (s *dumpNames) lock(ref LockRef, kind format.LockKind) format.ObjectID {
	id, ok := s.locks[ref]
	if !ok {
		s.lastLock++ // a lock that moved may have replaced another one in the table
		id = s.lastLock
		s.locks[ref] = id
		ev := format.Event{
			Kind:     format.KindObject,
			Object:   id,
			Class:    ref.Class,
			Hash:     ref.Addr,
			LockKind: kind,
			Name:     ref.Name,
		}
		if ref.Unnamed() && ref.Class == "" {
			ev.Name = "a lock the dump does not name"
		}
		s.Push(ev)
	}
	return id
}
