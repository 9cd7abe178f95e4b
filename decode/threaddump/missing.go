package threaddump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"contend/format"
	"contend/format/human"
)

// absentOwner is an owner of a lock that is named and not in the dump.
type absentOwner struct{ thread, class string }

// maxAbsent bounds the absent owners that are named.
const maxAbsent = 3

// lists notes what a dump names without showing it.
func (m *missing) lists(d *Dump) {
	m.reported = cmp.Or(m.reported, d.Reported)
	for _, o := range d.Absent {
		if len(m.owners) <= maxAbsent && !slices.Contains(m.owners, o) {
			m.owners = append(m.owners, o)
		}
	}
}

// garbled says what a dump has that is not understood.
func garbled(d *Dump) string {
	example := strings.ToValidUTF8(d.Example, "\uFFFD")
	return human.Some(d.Garbled, "line looks", "lines look") + fmt.Sprintf(
		" like the first of a thread and could not be read, as %.60q: the thread is left out", example)
}

// guess notes a thread that may own a lock of which the dump shows no owner: it is in the method where
// others wait to enter or, for writers that wait for readers, in the method of these.
func (m *missing) guess(d *Dump) {
	for i := range d.Threads {
		t := &d.Threads[i]
		switch {
		case m.inside != "":
			return
		case len(t.Frames) == 0:
		case t.For.Unnamed() && t.For.Site != "":
			at := siteOf(t.Frames)
			if o, f := d.inMethod(t.For, at.Class, at.Method); o != nil {
				m.inside = fmt.Sprintf("%q is in %s.%s, where they wait, and may hold it", o.Name, f.Class, f.Method)
				if in := o.entered(); strings.HasPrefix(in, f.Class+"."+f.Method+":") {
					const form = "%q holds a monitor since %s, where they wait: probably this one"
					m.inside = fmt.Sprintf(form, o.Name, in)
				}
			}
		case t.Wait == Parked && sharedLock(t.For.Class) && !d.holds(t.For):
			for _, at := range t.Frames {
				if o, f := d.inMethod(t.For, at.Class, otherSide(at.Method)); o != nil {
					m.insideNamed = true
					m.inside = fmt.Sprintf("%q is in %s.%s and may hold %s", o.Name, f.Class, f.Method, t.For)
					break
				}
			}
		}
	}
}

// inMethod returns a thread that is in a method and does not wait for a lock, with the method's frame: rather
// one that holds a monitor since that method.
func (d *Dump) inMethod(lock LockRef, class, method string) (in *Thread, at format.Frame) {
	for i := range d.Threads {
		t := &d.Threads[i]
		n := slices.IndexFunc(t.Frames, func(f format.Frame) bool { return f.Class == class && f.Method == method })
		if n < 0 || t.For == lock {
			continue
		}
		if holds := strings.HasPrefix(t.entered(), class+"."+method+":"); in == nil || holds {
			if in, at = t, t.Frames[n]; holds {
				return in, at
			}
		}
	}
	return in, at
}

// holding notes a thread that holds a monitor without a name.
func (m *missing) holding(d *Dump) {
	for i := range d.Threads {
		t := &d.Threads[i]
		if at := t.entered(); at != "" && m.held == "" {
			m.held = fmt.Sprintf("%q holds a monitor since %s", t.Name, at)
		}
	}
}

// sharedLock reports whether a class is a read-write lock by its name.
func sharedLock(class string) bool {
	return strings.Contains(class, "ReadWrite") || strings.Contains(class, "RW") || strings.Contains(class, "Stamped")
}

// otherSide returns the method of readers that is named as one of writers, and the other way round; ""
// for another method.
func otherSide(method string) string {
	for _, pair := range [...][2]string{{"Read", "Write"}, {"Write", "Read"}, {"read", "write"}, {"write", "read"}} {
		if strings.Contains(method, pair[0]) {
			return strings.Replace(method, pair[0], pair[1], 1)
		}
	}
	return ""
}

// named writes the owners that are not in the text.
func (m *missing) named() string {
	var list []string
	for _, o := range m.owners[:min(len(m.owners), maxAbsent)] {
		list = append(list, fmt.Sprintf("%q (of %s)", o.thread, o.class))
	}
	if len(m.owners) > maxAbsent {
		list = append(list, "others")
	}
	return strings.Join(list, ", ")
}

// missing counts what the dumps did not show.
type missing struct {
	cut         []format.Damage // of dumps that were cut, or fused
	spread      int64           // the largest time between the first and last thread of a dump, ns
	disordered  int             // dumps not later than the previous one
	unlisted    int             // waits on j.u.c. locks in dumps that list no owners of those
	readers     int             // waits on read-write locks that only readers can hold
	virtual     int             // waits for locks without an owner in a dump, which virtual threads may hold
	absent      int             // the same in a dump with missing threads
	unnamed     int             // waits for locks that a dump does not name
	inside      string          // which thread may hold such a lock, or one without a known owner
	held        string          // a thread that holds a monitor without a name
	insideNamed bool            // inside is about a lock that is named
	unnamedNow  int             // the same, of the current dump
	owners      []absentOwner   // that are named and not in their dumps
	mixed       int             // dumps without locks
	reported    string          // what the JVM says of a deadlock that the threads do not show
	initialises string          // a method of the last dump that may wait for a class to be initialised
	hides       bool            // there may be unlisted virtual threads
}

func (m *missing) warnings(dumps int, timed bool) (w []format.Warning) {
	advise := func(when bool, code, hint, text string, args ...any) {
		if when {
			w = append(w, format.Warning{Code: code, Text: human.Say(text, args...), Hint: hint})
		}
	}
	add := func(when bool, code, text string, args ...any) { advise(when, code, "", text, args...) }
	inside := ""
	if m.inside != "" && !m.insideNamed {
		inside = "; " + m.inside
	}
	for i := range m.cut {
		add(true, m.cut[i].Code, "%s: %s", m.cut[i].Pos.File, m.cut[i].Why)
	}
	add(
		dumps == 1,
		format.CodeSingleDump,
		"one thread dump counts threads, it does not measure time: take several to see how long they wait",
	)
	add(
		dumps > 1 && !timed,
		format.CodeNoTimes,
		"the %v thread dumps have no time: they count the threads seen waiting, in all of them together",
		dumps,
	)
	add(
		m.spread > 1,
		format.CodeNotOneInstant,
		"threads were inspected one after the other, over up to %v: owners may have changed in between",
		time.Duration(m.spread),
	)
	add(
		m.spread == 1,
		format.CodeNotOneInstant,
		"threads were inspected one after the other: owners may have changed in between",
	)
	add(
		m.disordered > 0,
		format.CodeClock,
		"%s later than the previous one: placed right after it",
		human.Some(m.disordered, "thread dump is not", "thread dumps are not"),
	)
	advise(
		m.unlisted > 0,
		format.CodeUnlistedOwners,
		"take it with -l (jstack -l, jcmd PID Thread.print -l)",
		"owners of java.util.concurrent locks are not in the dump for %s",
		human.Some(m.unlisted, "wait", "waits"),
	)
	add(
		m.readers > 0,
		format.CodeReaders,
		"%s no owner: threads that hold the read lock are invisible in a thread dump",
		human.Some(m.readers, "wait on a read-write lock has", "waits on read-write locks have"),
	)
	advise(
		m.virtual > 0,
		format.CodeUnlistedOwners,
		"jcmd PID Thread.dump_to_file -format=json does",
		"%s that no thread in the dump holds: virtual threads may, which the dump does not list",
		human.Some(m.virtual, "wait is for a lock", "waits are for locks"),
	)
	advise(
		m.hides,
		format.CodeUnlistedThreads,
		"'jcmd PID Thread.dump_to_file FILE' writes them, from JDK 24 on with their locks",
		"virtual threads may run, which are not in the dump",
	)
	advise(
		m.mixed > 0,
		format.CodeUnlistedLocks,
		"take it without --mixed, with --locks",
		"jhsdb --mixed wrote %s: it names locks only where it found a deadlock",
		counted(m.mixed),
	)
	add(m.reported != "", format.CodeDeadlock, "%s", m.reported)
	advise(
		m.unnamed > 0,
		format.CodeUnlistedLocks,
		"take the dump with 'jstack -l PID' and keep all of it",
		"%s not named in the text: it shows the threads' states and calls, and not whether they wait for the same "+
			"lock%s",
		human.Some(m.unnamed, "wait is for a lock that is", "waits are for locks that are"),
		inside,
	)
	add(
		m.held != "" && m.inside == "",
		format.CodeUnlistedThreads,
		"%s: the text does not show who waits for it",
		m.held,
	)
	add(
		m.insideNamed,
		format.CodeAbsentOwners,
		"the text does not show the owners of all locks: %s",
		m.inside,
	)
	add(
		len(m.owners) > 0,
		format.CodeAbsentOwners,
		"the text names owners that it does not show: %s",
		m.named(),
	)
	add(
		m.absent > 0,
		format.CodeUnlistedOwners,
		"%s not in the text, which has only some threads of a dump",
		human.Some(m.absent, "wait is for a lock whose owner is", "waits are for locks whose owners are"),
	)
	return w
}

// counted writes how many dumps.
func counted(n int) string {
	if n == 1 {
		return "a thread dump"
	}
	return human.Say("%v thread dumps", n)
}
