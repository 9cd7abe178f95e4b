package locks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Resource is one place of the program where threads wait for resources. Times are ns.
type Resource struct {
	What    string // the outermost waiting method of the library, or the name that the runtime has for it
	Site    string // the method of the program that called it, with its line; "" if none did
	Loop    bool   // the outermost method of a thread waits here, which may be idle
	Kind    Kind   // of what is waited for
	Waited  NonLockWait
	MaxNs   int64          // longest wait; 0 when waits were only sampled
	Stack   []format.Frame // the stack with most of the waiting
	Callers []Callers      // in descending order; empty if no method of the program called the site
	// Of a pool's objects, or of the tasks, while threads waited; see PoolUsers.
	Holders []Holder
	// The threads that ended waits, in descending order; some are unknown.
	Users []User
}

// User is a place of the program that ended waits or, if the place is unknown, the group of the
// threads.
type User struct {
	Site   string // the method of the program, with its line
	Group  string // of threads
	WaitNs int64  // of the waits they ended
}

// NonLockWait is waiting for resources, or of idle threads.
type NonLockWait struct {
	WaitNs  int64
	Waits   int64
	Waiters int // distinct threads
}

// Resources is a visitor that sums the waits that are not for locks. The zero value is empty.
type Resources struct {
	analysis.AnyQueue
	sym     *analysis.Symbols
	parts   map[stackKey]*resourcePart
	threads map[bool]*blame.ThreadSet // waiting for resources, and idle
}

// stackKey identifies sums before they have names.
type stackKey struct {
	resource bool
	stack    format.StackID
	activity format.Activity // for waits without a stack
}

type resourcePart struct {
	threads       blame.ThreadSet
	ns, waits, at int64           // at is the longest wait
	pool          *analysis.Union // the intervals with waiters, for a stack of a pool
	users         map[ender]int64
}

// ender is the stack and the group of the thread that ended a wait.
type ender struct {
	stack format.StackID // NoStack if unknown
	group uint32
}

// Begin implements analysis.Visitor.
func (c *Resources) Begin(sym *analysis.Symbols, _ int64) {
	*c = Resources{sym: sym, parts: map[stackKey]*resourcePart{}, threads: map[bool]*blame.ThreadSet{}}
}

// Slice implements analysis.Visitor.
func (c *Resources) Slice(*analysis.Slice) {}

// QueueSlice implements analysis.QueueVisitor.
func (c *Resources) QueueSlice(*analysis.Slice, int) {}

// Monitor implements analysis.NonLockVisitor.
func (*Resources) Monitor(*analysis.MonitorWaits) {}

// NonLockWait implements analysis.NonLockVisitor.
func (c *Resources) NonLockWait(a *analysis.NonLockWait) {
	p := blame.Entry(c.parts, stackKey{a.Resource, a.Stack, a.Activity})
	if p.threads.Len() == 0 && a.Resource {
		if _, of := poolCall(c.sym.Frames(a.Stack)); of != nil {
			p.pool = &analysis.Union{}
		}
	}
	p.ns += a.Ns
	p.waits += a.Waits
	p.at = max(p.at, a.LongestNs)
	if a.By != format.NoThread {
		if p.users == nil {
			p.users = map[ender]int64{}
		}
		p.users[ender{a.ByStack, c.sym.Group(a.By)}] += a.Ns
	}
	if p.pool != nil {
		p.pool.AddInterval(a.From, a.To)
	}
	p.threads.Insert(a.Thread)
	blame.Entry(c.threads, a.Resource).Insert(a.Thread)
}

// Resources returns the places where threads wait for resources, in descending order of waiting
// time. Places where threads may be idle come last.
func (c *Resources) Resources() []Resource { return c.list(true) }

// Idle returns the places of idle threads.
func (c *Resources) Idle() []Resource { return c.list(false) }

// Total returns the sum of all rows of Resources, or of Idle.
func (c *Resources) Total(resource bool) (s NonLockWait) {
	for key, p := range c.parts {
		if key.resource == resource {
			s.WaitNs, s.Waits = s.WaitNs+p.ns, s.Waits+p.waits
		}
	}
	s.Waiters = blame.Entry(c.threads, resource).Len()
	return s
}

// place identifies the stacks of one row.
type place struct {
	what, site string
	loop       bool
}

// placeSum is the sum over the stacks of one place.
type placeSum struct {
	resource Resource
	stack    format.StackID // the stack with most of the waiting
	most     int64          // that waiting
	threads  blame.ThreadSet
	called   callers
	users    map[User]int64
}

// list joins the stacks of each place.
func (c *Resources) list(resource bool) []Resource {
	places := map[place]*placeSum{}
	for key, p := range c.parts {
		if key.resource != resource {
			continue
		}
		frames := c.sym.Frames(key.stack)
		what, site, loop := Place(frames)
		loop = loop && resource // every place of idle threads may be a loop
		if what == "" {
			what = unnamed[min(int(key.activity), len(unnamed)-1)]
		}
		sum := blame.Entry(places, place{what, site, loop})
		if sum.called == nil {
			*sum = placeSum{
				resource: Resource{What: what, Site: site, Loop: loop},
				most:     -1,
				called:   callers{},
				users:    map[User]int64{},
			}
		}
		if site != "" {
			if at, of := poolCall(frames); of != nil {
				frames = frames[callerOf(frames, at):]
			}
			sum.called.addStack(frames, p.ns)
		}
		for by, ns := range p.users {
			sum.users[c.user(by)] += ns
		}
		sum.resource.Waited.WaitNs += p.ns
		sum.resource.Waited.Waits += p.waits
		sum.resource.MaxNs = max(sum.resource.MaxNs, p.at)
		if p.ns > sum.most || p.ns == sum.most && key.stack < sum.stack {
			sum.most, sum.stack = p.ns, key.stack
		}
		sum.threads.Join(&p.threads)
	}
	var rows []Resource
	for _, sum := range places {
		sum.resource.Stack = append([]format.Frame{}, c.sym.Frames(sum.stack)...)
		rows = append(rows, sum.row())
	}
	slices.SortFunc(rows, func(a, b Resource) int {
		return cmp.Or(
			blame.CompareBool(a.Loop, b.Loop),
			cmp.Compare(b.Waited.WaitNs, a.Waited.WaitNs),
			cmp.Compare(a.Site, b.Site),
			cmp.Compare(a.What, b.What),
		)
	})
	return rows
}

// row completes the row of a place with its sums by thread, by caller and by user.
func (s *placeSum) row() Resource {
	r := s.resource
	r.Waited.Waiters, r.Callers = s.threads.Len(), s.called.list()
	for u, ns := range s.users {
		u.WaitNs = ns
		r.Users = append(r.Users, u)
	}
	slices.SortFunc(r.Users, func(a, b User) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Group, b.Group))
	})
	if _, of := poolCall(r.Stack); of != nil {
		r.Kind = cmp.Or(of.kind, KindPool)
	} else {
		r.Kind = r.kind()
	}
	return r
}

// user returns the place that ended a wait.
func (c *Resources) user(by ender) User {
	if by.stack != format.NoStack {
		if what, site, _ := Place(c.sym.Frames(by.stack)); cmp.Or(site, what) != "" {
			return User{Site: cmp.Or(site, what)}
		}
	}
	return User{Group: c.sym.Groups().Value(by.group)}
}

// unnamed are the names of waits without a stack.
var unnamed = [...]string{
	format.ActivityUnknown: "[unclassified]",
	format.ActivityWait:    "[Object.wait]",
	format.ActivityPark:    "[parked]",
	format.ActivitySleep:   "[asleep]",
}

// libraries are the packages whose frames wait on behalf of the program.
var libraries = [...]string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.",
	"sync.", "internal/", "runtime.", "time.", "golang.org/x/sync/",
}

// platform are those of them that implement waiting. In a thread of libraries alone, another one
// takes the place of the program.
var platform = [...]string{"java.lang.", "java.util.concurrent.", "jdk.internal.", "sun.misc.", "sync.", "runtime."}

// outermost are the classes whose methods begin a thread. No frame of the program is outside of
// them.
var outermost = [...]string{"java.lang.Thread", "java.lang.VirtualThread", "jdk.internal.", "runtime"}

// goWaits are functions of Go's runtime, by the object they wait for.
var goWaits = map[string]string{
	"runtime.chanrecv1": "[chan receive]", "runtime.chanrecv2": "[chan receive]", "runtime.chanrecv": "[chan receive]",
	"runtime.chansend1": "[chan send]", "runtime.chansend": "[chan send]", "runtime.selectgo": "[select]",
}

// isOwn reports whether a frame is of the program's own code, by its name.
var isOwn = blame.NewSites(nil).IsOwnCode

// Place returns the waiting method of a stack, and the method of the program that called it. loop
// reports whether that is the program's outermost method, and not a task of an executor. For a pool these
// are the method that the program called, and its caller.
func Place(frames []format.Frame) (what, site string, loop bool) {
	if at, of := poolCall(frames); of != nil {
		if n := callerOf(frames, at); n < len(frames) {
			site = siteText(frames[n])
		}
		return analysis.MethodName(frames[at]), site, false
	}
	what, n := waitOf(frames, library)
	if !slices.ContainsFunc(frames, func(f format.Frame) bool { return !library(f) }) {
		inner, at := waitOf(frames, waiting)
		if inner != "" {
			what, n = inner, at
		}
		if at == len(frames) || !slices.ContainsFunc(frames[at:], func(f format.Frame) bool { return !waiting(f) }) {
			return what, "", false
		}
	} else if n == len(frames) || library(frames[n]) {
		return what, "", false
	}
	called := slices.ContainsFunc(frames[n+1:], func(f format.Frame) bool { return !begins(f) })
	return what, siteText(frames[n]), !called
}

// callerOf returns the number of the program's innermost frame outside of a pool's; of the innermost one that
// is of no platform, if all are of libraries.
func callerOf(frames []format.Frame, pool int) int {
	outside := frames[pool+1:]
	n := slices.IndexFunc(outside, isOwn)
	if n < 0 {
		n = slices.IndexFunc(outside, func(f format.Frame) bool { return !library(f) })
	}
	if n < 0 {
		return len(frames)
	}
	return pool + 1 + n
}

func siteText(f format.Frame) string {
	if f.Line > 0 {
		return analysis.MethodName(f) + ":" + strconv.Itoa(f.Line)
	}
	return analysis.MethodName(f)
}

// waitOf returns the outermost of the innermost frames that are of a library, and the number of the
// frame that called it.
func waitOf(frames []format.Frame, of func(format.Frame) bool) (what string, n int) {
	for n < len(frames) && of(frames[n]) && (what == "" || !body(frames[n])) {
		if strings.Contains(frames[n].Class, "$$Lambda") || reflects(frames[n]) {
			n++
			continue // a generated or intermediate frame: its caller is more useful
		}
		what = analysis.MethodName(frames[n])
		if wait, ok := goWaits[what]; ok {
			what = wait
		}
		n++
	}
	return what, n
}

// waiting reports whether a frame of a library is one of those that implement waiting.
func waiting(f format.Frame) bool {
	return strings.HasPrefix(f.Method, "[") || strings.Contains(f.Class, "$$Lambda") ||
		f.Class == "sync" || f.Class == "runtime" ||
		slices.ContainsFunc(platform[:], func(p string) bool { return strings.HasPrefix(f.Class, p) })
}

// reflects reports whether a frame is of reflection, which only calls another method.
func reflects(f format.Frame) bool {
	return strings.HasPrefix(f.Class, "java.lang.reflect.") || strings.HasPrefix(f.Class, "sun.reflect.") ||
		strings.HasPrefix(f.Class, "jdk.internal.reflect.") ||
		strings.HasPrefix(f.Class, "java.lang.invoke.")
}

// body reports whether a frame of a library is the body of a thread, whose name does not show what
// the thread waits for.
func body(f format.Frame) bool {
	return (f.Method == "run" || f.Method == "runWith" || f.Method == "runWorker" || f.Method == "mainLoop") &&
		!strings.Contains(f.Class, "$$Lambda")
}

// begins reports whether a frame belongs to the code that begins a thread.
func begins(f format.Frame) bool {
	if f.Class == "" {
		return analysis.NativeLibrary(f)
	}
	return strings.Contains(f.Class, "$$Lambda") ||
		slices.ContainsFunc(outermost[:], func(p string) bool { return strings.HasPrefix(f.Class, p) })
}

// library reports whether a frame belongs to a library.
func library(f format.Frame) bool {
	if f.Class == "" {
		return analysis.NativeLibrary(f)
	}
	return strings.HasPrefix(f.Method, "[") || strings.Contains(f.Class, "$$Lambda") || f.Class == "sync" ||
		f.Class == "runtime" ||
		f.Class == "time" ||
		slices.ContainsFunc(libraries[:], func(p string) bool { return strings.HasPrefix(f.Class, p) })
}
