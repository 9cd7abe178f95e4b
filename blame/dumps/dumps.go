// Package dumps sums what threads do at the instants of thread dumps: how many are in which state,
// which of them have the same stack, and which did not move from one dump to the next.
//
//	dumps.go     the instants, as the source reports them
//	overview.go  the last dump, and how it differs from those before
package dumps

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// State is what a thread does at an instant.
type State uint8

// The states. A thread that waits in its outermost method, where it may have nothing to do, is Idle.
const (
	Waiting  State = iota // for a lock
	Resource              // waiting for a pool, a queue, a permit or a result of other threads
	Running               // or ready to run
	InIO                  // in a socket, a file or a pipe
	Asleep
	Idle
	States
)

var stateNames = [States]string{"lock", "resource", "running", "io", "asleep", "idle"}

// String returns the name of a state in JSON.
func (s State) String() string { return stateNames[s] }

// Collector is a visitor that receives the instants of dumps. It keeps some 100 bytes for each thread
// and each dump.
type Collector struct {
	sites   *blame.Sites
	sym     *analysis.Symbols
	open    instant
	all     []*process
	current *process

	runnable bool // an instant showed one
}

// Runnable reports whether the instants show threads that run, as dumps do. Samples of contention do
// not.
func (c *Collector) Runnable() bool { return c.runnable }

// process is one process with its dumps.
type process struct {
	threads map[format.ThreadID]*sighting
	dumps   []Dump
}

// Dump is the number of threads at one instant, and how many of them had the stack of the dump before.
type Dump struct {
	TimeNs  int64
	Threads int
	Same    int // in the dump before, with the same stack and state
	Moved   int // in the dump before, with another
	New     int // not in the dump before
	Ended   int // in the dump before, and not in this one
}

// sighting is what the latest dumps show of a thread.
type sighting struct {
	shown shown
	last  int // number of the latest dump with the thread
	since int // number of the first dump of those in a row in which it did the same
}

// shown is what one dump shows of a thread.
type shown struct {
	stack    format.StackID
	lock     format.ObjectID // that it waits for
	activity format.Activity
	resource bool
	waits    bool // for a lock
}

// instant is a dump of which not all threads may have been read.
type instant struct {
	time    int64
	live    int
	threads map[format.ThreadID]shown
}

// New returns an empty collector. The program's own code is that of blame.NewSites.
func New(app *regexp.Regexp) *Collector {
	return &Collector{sites: blame.NewSites(app), open: instant{time: format.NoTime}}
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, _ int64) {
	c.sym = sym
	c.sites.Begin(sym)
}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(*analysis.Slice) {}

// Activity implements analysis.ActivityVisitor.
func (c *Collector) Activity(ev *format.Event, _ []format.Frame) {
	if ev.Time != c.open.time || ev.End > ev.Time {
		return
	}
	c.runnable = c.runnable || ev.Activity == format.ActivityRunnable
	c.open.threads[ev.Thread] = shown{stack: ev.Stack, activity: ev.Activity, resource: ev.Resource}
}

// Instant implements analysis.InstantVisitor.
func (c *Collector) Instant(ev *format.Event) {
	switch ev.Kind {
	case format.KindSetting:
		c.finish()
		c.current = nil
	case format.KindTick:
		c.finish()
		if c.open.threads == nil {
			c.open.threads = map[format.ThreadID]shown{}
		}
		c.open.time, c.open.live = ev.Time, int(ev.Live)
	case format.KindContention:
		if ev.Time != c.open.time {
			return
		}
		for _, w := range ev.Waiters {
			c.open.threads[w.Thread] = shown{stack: w.Stack, lock: ev.Object, waits: true}
		}
	}
}

// finish takes the open instant. It is a dump if it shows every live thread.
func (c *Collector) finish() {
	in := &c.open
	if in.time != format.NoTime && in.live > 0 && len(in.threads) >= in.live {
		if c.current == nil {
			c.current = &process{threads: map[format.ThreadID]*sighting{}}
			c.all = append(c.all, c.current)
		}
		c.current.add(in)
	}
	clear(in.threads)
	in.time = format.NoTime
}

// add compares a dump with the one before.
func (p *process) add(in *instant) {
	number := len(p.dumps)
	d := Dump{TimeNs: in.time, Threads: len(in.threads)}
	for id, now := range in.threads {
		was := p.threads[id]
		switch {
		case was == nil:
			was = &sighting{last: -1}
			p.threads[id] = was
			fallthrough
		case was.last != number-1:
			was.since = number
			d.New++
		case was.shown == now:
			d.Same++
		default:
			was.since = number
			d.Moved++
		}
		was.shown, was.last = now, number
	}
	if number > 0 {
		d.Ended = p.dumps[number-1].Threads - d.Same - d.Moved
	} else {
		d.New = 0
	}
	p.dumps = append(p.dumps, d)
}
