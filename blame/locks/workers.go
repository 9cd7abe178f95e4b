package locks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Executor is a pool of worker threads, and what the workers do. While all are busy, tasks wait in its queue,
// where no thread shows them.
type Executor struct {
	Pool    string  // the group of its threads
	Workers int     // threads
	Busy    float64 // of them, on average
	AllBusy float64 // the share of the time, or of the instants, at which none was idle
	// at which the workers were seen; 0 if their idle times are recorded
	Instants int
	Doing    []Holder // the places of the busy ones, in descending order; Shown is true
}

// Workers is a visitor that finds what the workers of executors do: of java.util.concurrent, Jetty and Tomcat.
type Workers struct {
	sites  *blame.Sites
	sym    *analysis.Symbols
	pools  map[uint32]*workerPool // by group of threads
	stacks blame.ByID[workerStack]

	instants instants
}

// workerPool is what is summed for one executor.
type workerPool struct {
	threads        blame.ThreadSet
	idle           threadTimes // when a worker was idle
	idles          int         // intervals in it
	idleNs         int64
	from, to       int64 // of all that is known of its threads
	doing          map[pendingUse]int64
	instants, full int // the latter without an idle worker
	seen, busy     int // workers at instants
	doingNow       map[pendingUse]int64
}

// workerStack is what a stack shows of a worker.
type workerStack struct {
	known, worker, idle bool
}

// maxWorkerStates bounds the states of workers at instants. Later instants are left out.
const maxWorkerStates = 1 << 19

// maxIdleSpans bounds the idle times of one executor that are kept.
const maxIdleSpans = 1 << 21

// NewWorkers returns an empty collector. The program's own code is that of blame.NewSites.
func NewWorkers(app *regexp.Regexp) *Workers {
	some := func(states []instantState) bool { return len(states) > 0 }
	return &Workers{
		sites:    blame.NewSites(app),
		pools:    map[uint32]*workerPool{},
		instants: newInstants(maxWorkerStates, some),
	}
}

// Begin implements analysis.Visitor.
func (w *Workers) Begin(sym *analysis.Symbols, _ int64) {
	w.sym = sym
	w.sites.Begin(sym)
}

// Slice implements analysis.Visitor.
func (w *Workers) Slice(*analysis.Slice) {}

// Monitor implements analysis.NonLockVisitor.
func (w *Workers) Monitor(*analysis.MonitorWaits) {}

// NonLockWait implements analysis.NonLockVisitor.
func (w *Workers) NonLockWait(*analysis.NonLockWait) {}

// stack returns what a stack shows.
func (w *Workers) stack(id format.StackID) *workerStack {
	s := w.stacks.Entry(int(id))
	if !s.known {
		*s = workerOf(w.sym.Frames(id))
	}
	return s
}

// workerLoops are the methods in which workers run tasks, by the ends of their classes.
var workerLoops = []struct{ class, method string }{
	{"ThreadPoolExecutor$Worker", "run"},
	{"QueuedThreadPool$Runner", "run"},
	{"QueuedThreadPool", "runJob"},
	{"ForkJoinWorkerThread", "run"},
}

// workerOf reads a stack. Jetty's selectors and acceptors run in its pool and never end: they are no workers.
func workerOf(frames []format.Frame) workerStack {
	s := workerStack{known: true}
	for _, f := range frames {
		switch {
		case strings.Contains(f.Class, "ManagedSelector"), strings.Contains(f.Class, "Acceptor"):
			return workerStack{known: true}
		case f.Method == "getTask", f.Method == "idleJobPoll", f.Method == "awaitWork", f.Method == "reservedWait":
			s.idle = true
		}
		s.worker = s.worker || slices.ContainsFunc(workerLoops, func(l struct{ class, method string }) bool {
			return f.Method == l.method && strings.HasSuffix(f.Class, l.class)
		})
	}
	return s
}

// pool returns the sums of the executor of a thread.
func (w *Workers) pool(thread format.ThreadID) *workerPool {
	p := w.pools[w.sym.Group(thread)]
	if p == nil {
		p = &workerPool{from: format.NoTime, doing: map[pendingUse]int64{}, doingNow: map[pendingUse]int64{}}
		w.pools[w.sym.Group(thread)] = p
	}
	p.threads.Insert(thread)
	return p
}

// use names a busy worker's place and activity.
func (w *Workers) use(stack format.StackID, did format.Activity, waits bool) pendingUse {
	u := pendingUse{w.sites.Names().Value(w.sites.Waiter(stack)), blame.RecordedDoing(did)}
	switch {
	case waits:
		u.doing = blame.Blocked
	case u.doing == blame.DoingUnknown || u.doing == blame.AwaitingOthers:
		u.doing = w.sites.Doing(stack)
	}
	return u
}

// Did implements analysis.TimelineVisitor.
func (w *Workers) Did(d *analysis.Done) {
	s := w.stack(d.Stack)
	if !s.worker || d.End <= d.Start {
		return
	}
	p := w.pool(d.Thread)
	if p.from == format.NoTime {
		p.from, p.to = d.Start, d.End
	}
	p.from, p.to = min(p.from, d.Start), max(p.to, d.End)
	switch {
	case !s.idle:
		p.doing[w.use(d.Stack, d.Activity, d.Waits)] += d.End - d.Start
	case p.idles < maxIdleSpans:
		p.idle.addInterval(d.Thread, d.Start, d.End)
		p.idles++
		p.idleNs += d.End - d.Start
	}
}

// Activity implements analysis.ActivityVisitor: it collects the threads of an instant.
func (w *Workers) Activity(ev *format.Event, frames []format.Frame) {
	if !w.instants.shows(ev) {
		return
	}
	s := w.stacks.Entry(int(ev.Stack))
	if !s.known {
		*s = workerOf(frames)
	}
	if s.worker {
		one := instantState{thread: ev.Thread, stack: ev.Stack, doing: ev.Activity}
		w.instants.open = append(w.instants.open, one)
	}
}

// Instant implements analysis.InstantVisitor.
func (w *Workers) Instant(ev *format.Event) { w.instants.observe(ev) }

// count adds the workers of an instant.
func (w *Workers) count(instant []instantState) {
	idle, busy := map[*workerPool]int{}, map[*workerPool]int{}
	for _, one := range instant {
		s := w.stack(one.stack)
		if !s.worker {
			continue
		}
		p := w.pool(one.thread)
		if s.idle {
			idle[p]++
			continue
		}
		busy[p]++
		p.doingNow[w.use(one.stack, one.doing, one.waits)]++
	}
	for _, p := range w.pools {
		if n := idle[p] + busy[p]; n > 0 {
			p.instants++
			p.seen += n
			p.busy += busy[p]
			if idle[p] == 0 {
				p.full++
			}
		}
	}
}

// minWorkers is the least number of threads of an executor that is reported.
const minWorkers = 2

// Executors returns the pools of workers, those that are busy for most of the time first.
func (w *Workers) Executors() (list []Executor) {
	w.instants.finish()
	for _, instant := range w.instants.closed {
		w.count(instant)
	}
	w.instants.closed = nil
	for group, p := range w.pools {
		e := Executor{Pool: w.sym.Groups().Value(group), Workers: p.threads.Len(), Doing: []Holder{}}
		elapsed := float64(p.to - p.from)
		doing, whole := p.doing, elapsed
		switch {
		case e.Workers < minWorkers:
			continue
		case p.instants > 0 && (elapsed <= 0 || p.idles == 0): // of dumps alone
			e.Busy, e.AllBusy = float64(p.busy)/float64(p.instants), float64(p.full)/float64(p.instants)
			doing = p.doingNow
			whole = float64(p.instants)
			e.Instants = p.instants
		case elapsed > 0:
			e.Busy = max(float64(e.Workers)-float64(p.idleNs)/elapsed, 0)
			e.AllBusy = 1 - float64(p.idle.union().Len())/elapsed
		default:
			continue
		}
		for use, n := range doing {
			h := Holder{Site: use.site, Threads: float64(n) / whole, Shown: true}
			if use.doing != blame.DoingUnknown {
				h.Doing = use.doing.String()
			}
			if h.Threads >= minHolder {
				e.Doing = append(e.Doing, h)
			}
		}
		slices.SortFunc(e.Doing, func(a, b Holder) int {
			return cmp.Or(cmp.Compare(b.Threads, a.Threads), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Doing, b.Doing))
		})
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Executor) int {
		return cmp.Or(cmp.Compare(b.AllBusy, a.AllBusy), cmp.Compare(b.Busy, a.Busy), cmp.Compare(a.Pool, b.Pool))
	})
	return list
}
