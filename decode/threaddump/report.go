package threaddump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// report reads the deadlock report of the JVM, which names for each thread the lock it
// waits for and its owner. Without jstack's -l nothing else shows the owner of a
// java.util.concurrent lock. It follows the threads; jhsdb prints it before them, and users
// often post only the report.
type report struct {
	within bool
	begun  int     // how many relations there were before it
	stacks bool    // within the stacks it repeats
	cut    bool    // it ends within the names of a circle
	waiter string  // the thread whose lock is read next
	ref    LockRef // the lock whose owner is read next
}

// reportHead begins each report; there is one for each cycle.
const reportHead = "Found one Java-level deadlock"

func reportStarts(line string) bool { return strings.HasPrefix(line, reportHead) }

// stacksHead begins the stacks of a report, which people quote without the lines before.
const stacksHead = "Java stack information for the threads listed above"

// reports reports whether a report begins with a line, whole or cut.
func reports(line string) bool { return reportStarts(line) || strings.HasPrefix(line, stacksHead) }

const jvmFound = "the JVM reports a deadlock"

// reportEnds matches `Found 2 deadlocks.` and `Found a total of 2 deadlocks.`
func reportEnds(line string) bool {
	return strings.HasPrefix(line, "Found ") &&
		(strings.HasSuffix(line, " deadlock.") || strings.HasSuffix(line, " deadlocks."))
}

// reportLine takes a line within a report; false for a line that is not part of it. Its
// stacks repeat those of the threads above, if there are any: a lock line that is counted
// twice is a lock held twice.
func (p *hotspot) reportLine(line, text string) bool {
	r := &p.report
	switch name, named := reportedName(line); {
	case reportStarts(line):
		p.reportDone()
		r.begun = len(p.relations)
		r.stacks = false
		r.waiter = ""
	case reportEnds(line):
		p.next()
		p.reportDone()
		r.within = false
	case strings.HasPrefix(line, "==="), strings.Trim(line, "`~") == "": // the title may end with a fence
	case strings.HasPrefix(line, stacksHead):
		r.stacks = true
	case named && r.stacks:
		if p.next(); !p.listed(name) {
			p.begin(Thread{Name: p.names.intern(name)})
		}
	case named:
		r.waiter = p.names.intern(name)
	case r.stacks && (text != line || isPart(text)): // pasted text may have lost its indents
		if p.cur != nil {
			p.part(text)
		}
	case r.waiter != "" && p.relation(text):
	default:
		return text != line
	}
	return true
}

// isPart reports whether a line can follow a thread's first line.
func isPart(text string) bool { return strings.HasPrefix(text, "at ") || strings.HasPrefix(text, "- ") }

// reportedName reads `"name":`.
func reportedName(line string) (name string, ok bool) {
	name, ok = strings.CutSuffix(line, `":`)
	if !ok || len(name) < 2 || name[0] != '"' {
		return "", false
	}
	return name[1:], true
}

// reportWaits are the lines that name a lock: of HotSpot, and of jhsdb.
var reportWaits = []struct {
	prefix string
	mark   string // before the lock's address
	how    Wait
}{
	{"waiting for ownable synchronizer ", "synchronizer ", Parked},
	{"waiting to lock monitor ", "object ", Blocked},
	{"waiting to lock Monitor@", "Object@", Blocked},
}

// relation reads the two lines under a name: the lock, and the thread that holds it;
// false for another line.
func (p *hotspot) relation(text string) bool {
	for _, w := range reportWaits {
		if !strings.HasPrefix(text, w.prefix) {
			continue
		}
		_, rest, _ := strings.Cut(text, w.mark)
		hex, class, _ := strings.Cut(rest, ",")
		addr, err := strconv.ParseUint(strings.TrimPrefix(hex, "0x"), 16, 64)
		_, class, ok := strings.Cut(class, "a ")
		class, _, _ = strings.Cut(class, ")")
		if p.report.ref = (LockRef{}); err == nil && ok {
			p.report.ref = p.names.ref(class, addr)
			p.relations = append(p.relations, relation{p.report.waiter, w.how, p.report.ref, ""})
		}
		return true
	}
	_, owner, ok := strings.Cut(text, `which is held by "`)
	if ok && strings.HasSuffix(owner, `"`) && p.report.ref != (LockRef{}) {
		p.relations[len(p.relations)-1].owner = p.names.intern(strings.TrimSuffix(owner, `"`))
	}
	return ok
}

// listed reports whether the dump shows the stack of a thread of a name.
func (b *builder) listed(name string) bool {
	return slices.ContainsFunc(b.dump.Threads, func(t Thread) bool { return t.Name == name && len(t.Frames) > 0 })
}

// reportDone notes what a report says that the text does not show: it may be cut off, and its
// names may be edited. That there is a deadlock is the JVM's own word.
func (p *hotspot) reportDone() {
	list := p.relations[p.report.begun:]
	if !p.report.within || p.dump.Reported != "" {
		return
	}
	if len(list) == 0 && !p.report.stacks {
		p.report.cut = true
		p.dump.Reported = jvmFound + ", and the text does not show who waits for whom"
		return
	}
	for _, r := range list {
		says := fmt.Sprintf("%s: %q waits for %s", jvmFound, r.waiter, r.ref)
		switch {
		case r.owner == "":
			p.report.cut = true
			p.dump.Reported = says + ", and the rest of its report is not in the text"
			return
		case !slices.ContainsFunc(list, func(o relation) bool { return o.waiter == r.owner }):
			p.dump.Reported = fmt.Sprintf("%s, held by %q, which is not in its report", says, r.owner)
			return
		}
	}
}

// relation is a thread that waits for a lock held by another one, by their names, which may
// repeat.
type relation struct {
	waiter string
	how    Wait
	ref    LockRef
	owner  string
}

// relate adds the relations to the threads. An owner that the stacks show has precedence.
func (d *Dump) relate(list []relation) {
	for _, r := range list {
		if t := d.named(r.waiter, r.ref); t.For == (LockRef{}) {
			t.Wait, t.For = r.how, r.ref
		}
	}
	for _, r := range list {
		if r.owner == "" || d.holds(r.ref) {
			continue
		}
		if !slices.ContainsFunc(d.Threads, func(t Thread) bool { return t.Name == r.owner }) {
			d.Absent = append(d.Absent, absentOwner{r.owner, r.ref.Class})
		}
		waits := LockRef{} // the lock that the owner waits for distinguishes it from threads of the same name
		if i := slices.IndexFunc(list, func(o relation) bool { return o.waiter == r.owner }); i >= 0 {
			waits = list[i].ref
		}
		d.named(r.owner, waits).hold(r.ref)
	}
}

// holds reports whether a thread holds a lock.
func (d *Dump) holds(ref LockRef) bool {
	return slices.ContainsFunc(d.Threads, func(t Thread) bool { return slices.Contains(t.Held, ref) })
}

// named returns the thread of a name; of several, the one that waits for a lock. It adds a
// thread that is not listed.
func (d *Dump) named(name string, waits LockRef) *Thread {
	at := -1
	for i := range d.Threads {
		t := &d.Threads[i]
		if t.Name == name && (at < 0 || t.For == waits) {
			at = i
			if t.For == waits {
				break
			}
		}
	}
	if at < 0 {
		at = len(d.Threads)
		d.Threads = append(d.Threads, Thread{Name: name})
	}
	return &d.Threads[at]
}
