package locks

import (
	"slices"
	"strconv"
	"strings"

	"contend/analysis"
	"contend/format"
)

// poolLibrary is a library of pools, or of executors. All pools of one library count as one.
type poolLibrary struct {
	packages []string // of the pool and its objects
	own      bool     // a class of the program
	executor bool     // its workers compute what others wait for
	kind     Kind     // of what threads wait for; KindPool if ""
	waits    string   // the one method that waits for an object, if no name of a method that the program calls does
}

// poolLibraries are the libraries whose objects are followed from the taking method to the returning
// one.
var poolLibraries = [...]poolLibrary{
	{packages: []string{"java.util.concurrent.Semaphore."}, kind: KindSemaphore},
	{packages: []string{"golang.org/x/sync/semaphore."}, kind: KindSemaphore},
	{packages: []string{"database/sql."}, waits: "database/sql.(*DB).conn"},
	{packages: []string{"com.zaxxer.hikari."}},
	{packages: []string{"org.apache.commons.dbcp", "org.apache.commons.pool"}},
	{packages: []string{"org.apache.tomcat.dbcp."}},
	{packages: []string{"org.apache.tomcat.jdbc.pool."}},
	{packages: []string{"com.mchange.v2.c3p0.", "com.mchange.v2.resourcepool."}},
	{packages: []string{"com.alibaba.druid."}},
	{packages: []string{"org.vibur."}},
	{packages: []string{"org.apache.http."}, waits: "org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking"},
	{
		packages: []string{"org.apache.hc."},
		waits:    "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
	},
	{
		packages: []string{"java.util.concurrent.FutureTask.", "java.util.concurrent.CompletableFuture"},
		executor: true,
		kind:     KindResult,
	},
}

// Words in the names, in small letters, of a library's method that the program calls: it takes an
// object, or gives it back. Any other uses the object.
var (
	takes = []string{
		"getconnection", "getpooledconnection", "borrow", "checkout", "acquire", "lease", "requestconnection", "take",
	}
	returns = []string{"close", "release", "requite", "recycle", "checkin", "returnobject", "invalidate", "abort"}
)

// The methods of an executor's library that wait for a result, and those that run a task.
var (
	awaitResult = []string{"get", "join", "timedget", "waitingget"}
	runTask     = []string{"run", "exec", "runandreset"}
)

// phase is what a stack shows of a library's object.
type phase uint8

const (
	elsewhere phase = iota // no method of the library is on the stack
	taking                 // in a method that takes an object, or waits for a result
	returning              // in a method that gives the object back
	using                  // in a method of the object, or in a task
)

// has reports whether a frame is of the library.
func (l *poolLibrary) has(f format.Frame) bool {
	name := analysis.MethodName(f)
	return slices.ContainsFunc(l.packages, func(p string) bool { return strings.HasPrefix(name, p) })
}

// libraryOf returns the number of the library in which a stack takes an object; -1 if there is none.
func libraryOf(frames []format.Frame) int {
	for n := range poolLibraries {
		if what, _ := poolLibraries[n].read(frames); what == taking {
			return n
		}
	}
	return -1
}

// poolCall returns the number of the frame with which the program asks a pool for an object, and the pool's
// library; nil if a stack waits for no pool.
func poolCall(frames []format.Frame) (at int, of *poolLibrary) {
	for n := range poolLibraries {
		l := &poolLibraries[n]
		if l.executor {
			continue
		}
		if what, program := l.read(frames); what == taking {
			if at = len(frames) - len(program) - 1; !l.has(frames[at]) {
				at-- // below a proxy
			}
			return at, l
		}
	}
	return -1, nil
}

// fromOwnPool reports whether a method of the program takes an object of a pool of its own, by its name and
// that of its class.
func fromOwnPool(f format.Frame) bool {
	if !isOwn(f) || strings.Contains(f.Class, "/") {
		return false
	}
	class, method := strings.ToLower(f.Class[strings.LastIndexByte(f.Class, '.')+1:]), strings.ToLower(f.Method)
	if strings.Contains(method, "$") || hasAny(class, []string{"thread", "worker", "executor"}) {
		return false
	}
	return hasAny(method, []string{"borrow", "getconnection"}) ||
		strings.Contains(class, "pool") && (hasAny(method, takes) || strings.HasPrefix(method, "get"))
}

// ownPoolOf returns a pool of the program's own, as a library of one class.
func ownPoolOf(f format.Frame) *poolLibrary {
	return &poolLibrary{packages: []string{f.Class + "."}, own: true}
}

// read returns what a stack shows of the library, and the frames of the program that have to do with it,
// innermost first: those that called the library or, of a task, those inside of it.
func (l *poolLibrary) read(frames []format.Frame) (phase, []format.Frame) {
	for i := len(frames) - 1; i >= 0; i-- { // the outermost one was called by the program
		if !l.has(frames[i]) {
			continue
		}
		method, program := called(frames, i)
		switch {
		case l.own && fromOwnPool(frames[i]):
			return taking, program
		case l.own && hasAny(method, []string{"giveback", "return", "put"}):
			return returning, program
		case l.waits != "" && slices.ContainsFunc(frames[:i+1],
			func(f format.Frame) bool { return analysis.MethodName(f) == l.waits }):
			return taking, program
		case l.waits != "" && !hasAny(method, returns):
			return using, program
		case l.executor && slices.Contains(runTask, method):
			return using, frames[:i]
		case l.executor && slices.Contains(awaitResult, method), !l.executor && hasAny(method, takes):
			return taking, program
		case l.executor:
			return elsewhere, frames
		case givesBack(frames, i, method):
			return returning, program
		}
		return using, program
	}
	return elsewhere, frames
}

// called returns the library's method that the program called, of which frame i is the outermost, in small letters,
// and the frames of the program: a dynamic proxy between both has the name of the method, and the library another.
func called(frames []format.Frame, i int) (method string, program []format.Frame) {
	if i+1 < len(frames) && analysis.StableName(frames[i+1].Class) != frames[i+1].Class &&
		strings.Contains(frames[i+1].Class, "$Proxy") {
		i++
	}
	return strings.ToLower(frames[i].Method), frames[i+1:]
}

// givesBack reports whether a method that the program called gives the object back: not one that asks, nor that of a
// statement or result, which the library's outermost methods show.
func givesBack(frames []format.Frame, i int, method string) bool {
	part := func(f format.Frame) bool { return hasAny(strings.ToLower(f.Class), []string{"statement", "resultset"}) }
	return hasAny(method, returns) && !strings.HasPrefix(method, "is") &&
		!slices.ContainsFunc(frames[max(i-1, 0):i+1], part)
}

// borrowing is where the program takes an object: the frame of the method that has it until it gives
// it back, and the frames around that.
type borrowing struct {
	line   int
	around []format.Frame
}

// borrowers are the places of a program that take objects of one library.
type borrowers struct {
	library  *poolLibrary
	isOwn    func(format.Frame) bool
	uses     map[string]bool        // the program's methods on stacks that use or return an object
	ends     map[string]int         // by method that was seen returning one: the last line at which it has it
	byMethod map[string][]borrowing // by the borrowing method
}

// newBorrowers reads all stacks of a trace; takers are those with which threads waited for an object.
// A method has an object if the trace shows it using or returning one that no method inside of it took.
// One that takes an object and was never seen with one hands it to its caller, if a caller was seen with
// one, or if its name says so.
func newBorrowers(
	l *poolLibrary,
	sym *analysis.Symbols,
	isOwn func(format.Frame) bool,
	takers map[format.StackID]bool,
) *borrowers {
	b := &borrowers{l, isOwn, map[string]bool{}, map[string]int{}, map[string][]borrowing{}}
	if l.executor {
		return b
	}
	took := map[string]bool{} // the program's methods on the stacks of takers
	for id := range takers {
		_, program := l.read(sym.Frames(id))
		for _, f := range program {
			took[analysis.MethodName(f)] = true
		}
	}
	later := map[string]int{} // by method of takers, the last line in which it did something else
	for id := 1; id <= sym.Stacks(); id++ {
		what, program := l.read(sym.Frames(format.StackID(id)))
		if what == elsewhere {
			for _, f := range program {
				if name := analysis.MethodName(f); took[name] && isOwn(f) {
					later[name] = max(later[name], f.Line)
				}
			}
		}
		if what != using && what != returning {
			continue
		}
		for _, f := range program {
			name := analysis.MethodName(f)
			if !isOwn(f) {
				continue // a library's thread has no object of the program
			}
			if b.uses[name] = true; took[name] {
				if last, known := b.ends[name]; what == returning || known {
					b.ends[name] = max(last, f.Line)
				}
				break
			}
		}
	}
	for id := range takers {
		_, program := l.read(sym.Frames(id))
		i := slices.IndexFunc(program, func(f format.Frame) bool { return b.uses[analysis.MethodName(f)] })
		if i < 0 {
			i = handedTo(program, isOwn)
			// a method that goes on behind the line did not only take it for its caller, whatever its name
			goesOn := func(f format.Frame) bool { return later[analysis.MethodName(f)] > f.Line }
			if n := slices.IndexFunc(program, goesOn); n >= 0 && n < i {
				i = n
			}
		}
		if i >= 0 {
			name := analysis.MethodName(program[i])
			b.byMethod[name] = append(b.byMethod[name], borrowing{program[i].Line, program[i+1:]})
		}
	}
	return b
}

// handsOn are words in the names, in small letters, of methods that take an object for their caller.
var handsOn = []string{"get", "open", "connect", "borrow", "acquire", "take", "lease", "checkout", "obtain"}

// handedTo returns the number of the innermost frame of the program whose method, by its name, does not
// take an object for its caller; -1 if there is none.
func handedTo(program []format.Frame, isOwn func(format.Frame) bool) int {
	last := -1
	for i, f := range program {
		if !isOwn(f) {
			continue
		}
		if last = i; !hasAny(strings.ToLower(f.Method), handsOn) {
			break
		}
	}
	return last
}

// holding is what a stack shows of a thread and an object.
type holding struct {
	known bool
	phase phase
	site  string // where the thread took it, or is with it
	shown bool   // a method of the object, or of the task, is on the stack
}

// read returns what a stack shows. A thread that is in a method which took an object, behind the line
// that took it and not behind the last that returns one, has it still.
func (b *borrowers) read(frames []format.Frame) holding {
	what, program := b.library.read(frames)
	h := holding{known: true, phase: what}
	switch what {
	case using:
		h.shown = true
		if h.site = b.borrowedAt(program, 0); h.site == "" {
			h.site = b.innermost(program)
		}
	case elsewhere:
		if h.site = b.borrowedAt(program, 1); h.site != "" {
			h.phase = using
		}
	}
	return h
}

// borrowedAt returns the line that took the object a thread has, at least some lines before that of its
// stack; "" if none did.
func (b *borrowers) borrowedAt(frames []format.Frame, behind int) string {
	for i, f := range frames {
		name := analysis.MethodName(f)
		best := -1
		for _, at := range b.byMethod[name] {
			end, known := b.ends[name]
			over := behind > 0 && known && end >= at.line && f.Line > end
			if at.line+behind > f.Line || over || !calledAlike(frames[i+1:], at.around) {
				continue
			}
			best = max(best, at.line)
		}
		if best >= 0 {
			return name + ":" + strconv.Itoa(best)
		}
	}
	return ""
}

// calledAlike reports whether two lists of callers are the same methods, as far as both go.
func calledAlike(a, b []format.Frame) bool {
	for i := range min(len(a), len(b)) {
		if a[i].Method != b[i].Method || a[i].Class != b[i].Class {
			return false
		}
	}
	return true
}

// innermost returns the innermost line of the program's own code. Of a task it is the outermost.
func (b *borrowers) innermost(frames []format.Frame) string {
	i := slices.IndexFunc(frames, b.isOwn)
	if b.library.executor {
		for n, f := range frames {
			if b.isOwn(f) && !strings.Contains(f.Class, "$$Lambda") {
				i = n
			}
		}
	}
	if i < 0 {
		return ""
	}
	return analysis.MethodName(frames[i]) + ":" + strconv.Itoa(frames[i].Line)
}
