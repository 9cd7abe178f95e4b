package document

import (
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/dumps"
	"contend/format"
)

// Threads is the document of `contend threads`: what threads do in thread dumps.
type Threads struct {
	Schema    string     `json:"schema"`
	Trace     Trace      `json:"trace"`
	Dumps     Dumps      `json:"dumps"`
	Deadlocks []Deadlock `json:"deadlocks"`
	Coverage  Coverage   `json:"coverage"`
}

// Dumps are thread dumps: how they follow each other, and what the threads of the last one do. Of
// several processes, it is the last one of each.
type Dumps struct {
	Taken     []Dump       `json:"taken"` // by process, in order
	Processes int          `json:"processes"`
	Threads   int          `json:"threads"`
	States    ThreadStates `json:"states"`
	// threads that are not idle, with the same stack in all of the stuckOver dumps
	Stuck     int           `json:"stuck"`
	StuckOver int           `json:"stuckOver"` // 0 if no process has two dumps
	Groups    []ThreadGroup `json:"groups"`
	Stacks    []ThreadStack `json:"stacks"`  // without idle threads, in descending order of stuck, then of all threads
	Omitted   int           `json:"omitted"` // stacks beyond the limit
}

// Dump is one thread dump.
type Dump struct {
	TimeNs  int64 `json:"timeNs"`
	Threads int   `json:"threads"`
	Same    int   `json:"same"`  // with the stack and state of the dump before
	Moved   int   `json:"moved"` // in the dump before as well, with another stack or state
	New     int   `json:"new"`   // not in the dump before
	Ended   int   `json:"ended"` // in the dump before only
}

// ThreadStates are numbers of threads by what they do.
type ThreadStates struct {
	Lock     int `json:"lock"`     // waiting for a lock
	Resource int `json:"resource"` // waiting for a pool, a queue, a permit or a result
	Running  int `json:"running"`  // or ready to run
	IO       int `json:"io"`
	Asleep   int `json:"asleep"`
	Idle     int `json:"idle"`
}

// ThreadGroup is the threads whose names differ by numbers only.
type ThreadGroup struct {
	Group   string       `json:"group"`
	Threads int          `json:"threads"`
	States  ThreadStates `json:"states"`
}

// ThreadStack is the threads with one stack and one state.
type ThreadStack struct {
	State   string   `json:"state"` // a key of ThreadStates
	Threads int      `json:"threads"`
	Stuck   int      `json:"stuck"`
	Groups  []string `json:"groups"`          // of the threads, the largest first
	Class   string   `json:"class,omitempty"` // of the lock that they wait for
	Locks   int      `json:"locks,omitempty"` // the number of locks of that class
	What    string   `json:"what,omitempty"`  // the waiting method of a pool or queue
	Doing   string   `json:"doing,omitempty"` // "in socket I/O"; empty if the stack does not show it
	Site    string   `json:"site"`            // the innermost line of the program's own code
	Stack   Stack    `json:"stack"`
}

// MaxThreadStacks is the number of stacks that a document lists at most.
const MaxThreadStacks = 1 << 9

// NewDumps returns the document of thread dumps; nil if the input has none.
func NewDumps(sym *analysis.Symbols, o *dumps.Overview) *Dumps {
	if o == nil {
		return nil
	}
	d := &Dumps{
		Taken:     make([]Dump, len(o.Dumps)),
		Processes: o.Processes,
		Threads:   o.Threads,
		States:    states(o.ByState),
		Stuck:     o.Stuck,
		StuckOver: o.Over,
		Groups:    make([]ThreadGroup, len(o.Groups)),
		Stacks:    []ThreadStack{},
	}
	for i, one := range o.Dumps {
		d.Taken[i] = Dump(one)
	}
	for i := range o.Groups {
		g := &o.Groups[i]
		d.Groups[i] = ThreadGroup{g.Name, g.Threads, states(g.ByState)}
	}
	for i := range o.Stacks {
		s := &o.Stacks[i]
		if s.State == dumps.Idle {
			continue
		}
		if len(d.Stacks) == MaxThreadStacks {
			d.Omitted++
			continue
		}
		d.Stacks = append(d.Stacks, newThreadStack(sym, s))
	}
	return d
}

// Limit leaves the first n stacks.
func (d *Dumps) Limit(n int) {
	if more := len(d.Stacks) - n; more > 0 {
		d.Stacks, d.Omitted = d.Stacks[:n], d.Omitted+more
	}
}

// IsDump reports whether a format is that of dumps of all threads.
func IsDump(format string) bool {
	return strings.HasPrefix(format, "thread dump") || strings.HasPrefix(format, "goroutine dump")
}

func newThreadStack(sym *analysis.Symbols, s *dumps.Stack) ThreadStack {
	row := ThreadStack{
		State:   s.State.String(),
		Threads: s.Threads,
		Stuck:   s.Stuck,
		Groups:  s.Groups,
		Locks:   s.Locks,
		What:    s.What,
		Site:    s.Site,
		Stack:   NewStack(s.Frames),
	}
	if s.Lock != format.NoObject {
		row.Class = sym.ClassName(s.Lock)
	}
	if s.State == dumps.InIO && s.Doing != blame.DoingUnknown {
		row.Doing = s.Doing.String()
	}
	if row.Stack == nil {
		row.Stack = Stack{}
	}
	return row
}

func states(by [dumps.States]int) ThreadStates {
	return ThreadStates{
		Lock:     by[dumps.Waiting],
		Resource: by[dumps.Resource],
		Running:  by[dumps.Running],
		IO:       by[dumps.InIO],
		Asleep:   by[dumps.Asleep],
		Idle:     by[dumps.Idle],
	}
}
