package findings

import (
	"regexp"
	"slices"
	"strconv"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// polling collects the places in which threads spin or sleep: a lock made of compareAndSet and
// sleep leaves no event of its own.
type polling struct {
	stacks      map[format.StackID]*pollStack
	spots       map[spotKey]*spot
	spinMethods map[string]bool // methods with samples in a compareAndSet
	lastSleep   map[format.ThreadID]recordedSleep
	grids       [pollSources]grid
	own         *blame.Sites
	sampling    map[format.ThreadID]*samplingSpan
}

// pollSource is the kind of observation of a thread at a place.
type pollSource uint8

const (
	sleepRecorded pollSource = iota // an interval
	sleepSeen                       // at an instant
	runSeen                         // at an instant of all threads, as in a dump
	runSampled                      // at an instant of this thread alone
	pollSources
)

// place is a line of the program: Class.method:line, and the method.
type place struct{ line, method string }

// spotKey is a line of the program and the kind of observation.
type spotKey struct {
	line   string
	source pollSource
}

// spot is what was observed at one place by one source.
type spot struct {
	depth   int // smallest depth of the place in stacks, from the innermost frame of the program
	method  string
	threads map[format.ThreadID]*presence
	spins   bool  // some were in a compareAndSet or in onSpinWait
	ns      int64 // of recorded sleeps
	sleeps  int64 // recorded
	retries int64 // recorded sleeps that follow another at once
}

// presence is the instants of a grid at which a thread was at a place.
type presence struct {
	times    int64 // number of observations
	instants instants
}

// pollStack caches the places of a stack.
type pollStack struct {
	places []place // of the program's own code, innermost first
	spins  bool    // the innermost of them calls a compareAndSet, onSpinWait or yield
}

// samplingSpan is the time from the first to the last sample of a thread, and their number.
type samplingSpan struct{ first, last, n int64 }

// recordedSleep is the last recorded sleep of a thread.
type recordedSleep struct {
	stack  format.StackID
	end    int64
	length int64
}

const (
	retryGap  = 8       // the time between two tries is at most 1/retryGap of the sleep
	maxPlaces = 8       // of a stack, innermost first
	maxSpots  = 1 << 12 // places
	maxAtSpot = 256     // threads
)

func newPolling(app *regexp.Regexp) polling {
	return polling{
		own:         blame.NewSites(app),
		stacks:      map[format.StackID]*pollStack{},
		spots:       map[spotKey]*spot{},
		spinMethods: map[string]bool{},
		lastSleep:   map[format.ThreadID]recordedSleep{},
		sampling:    map[format.ThreadID]*samplingSpan{},
	}
}

// Activity implements analysis.ActivityVisitor.
func (p *polling) Activity(ev *format.Event, frames []format.Frame) {
	source, ok := pollSourceOf(ev)
	if !ok || len(frames) == 0 {
		return
	}
	s := p.stack(ev.Stack, frames)
	last := p.lastSleep[ev.Thread]
	if source == sleepRecorded {
		p.lastSleep[ev.Thread] = recordedSleep{ev.Stack, ev.End, ev.End - ev.Time}
	}
	if source == runSampled {
		p.sampled(ev)
	}
	from, to := p.bins(source, ev.Time, ev.End)
	for depth, place := range s.places {
		if depth > 0 && source >= runSeen {
			break // only the innermost place spins
		}
		at := p.spot(spotKey{place.line, source}, depth, place.method)
		if at == nil {
			continue
		}
		at.spins = at.spins || s.spins && source >= runSeen
		if source == sleepRecorded {
			at.ns += ev.End - ev.Time
			at.sleeps++
			if last.stack == ev.Stack && ev.Time >= last.end && ev.Time-last.end <= last.length/retryGap {
				at.retries++
			}
		}
		at.addThread(ev.Thread, from, to)
	}
}

// pollSourceOf returns the source of an event; false if it cannot show polling.
func pollSourceOf(ev *format.Event) (pollSource, bool) {
	switch whole := ev.End > ev.Time; ev.Activity {
	case format.ActivitySleep:
		if whole {
			return sleepRecorded, true
		}
		return sleepSeen, true
	case format.ActivityRunnable:
		return runSeen, !whole
	case format.ActivityRun, format.ActivitySeen:
		return runSampled, !whole
	}
	return 0, false
}

// stack returns the cached places of a stack.
func (p *polling) stack(id format.StackID, frames []format.Frame) *pollStack {
	if s := p.stacks[id]; s != nil {
		return s
	}
	s := &pollStack{}
	p.stacks[id] = s
	for i, f := range frames {
		if !p.own.IsOwnCode(f) {
			continue
		}
		if len(s.places) == 0 {
			s.spins = i > 0 && !slices.ContainsFunc(frames[:i], func(f format.Frame) bool { return !spinFrame(f) })
		}
		method := analysis.MethodName(f)
		if s.spins && len(s.places) == 0 {
			p.spinMethods[method] = true
		}
		s.places = append(s.places, place{method + ":" + strconv.Itoa(f.Line), method})
		if len(s.places) == maxPlaces {
			break
		}
	}
	return s
}

// spot returns the spot of a key, making it on first use; nil if there are too many.
func (p *polling) spot(k spotKey, depth int, method string) *spot {
	at := p.spots[k]
	if at == nil && len(p.spots) < maxSpots {
		at = &spot{depth: depth, method: method, threads: map[format.ThreadID]*presence{}}
		p.spots[k] = at
	}
	if at != nil {
		at.depth = min(at.depth, depth)
	}
	return at
}

// addThread notes that a thread was there at the instants from from to before to.
func (at *spot) addThread(t format.ThreadID, from, to int) {
	if at.threads[t] == nil && len(at.threads) == maxAtSpot {
		return
	}
	one := blame.Entry(at.threads, t)
	one.times++
	one.instants.set(from, to)
}

func (p *polling) sampled(ev *format.Event) {
	s := blame.Entry(p.sampling, ev.Thread)
	if s.n == 0 {
		s.first, s.last = ev.Time, ev.Time
	}
	s.first = min(s.first, ev.Time)
	s.last = max(s.last, ev.Time)
	s.n++
}

// bins returns the instants of the grid that an interval covers, as from and the one after the
// last. It makes the grid coarser if the interval ends after it.
func (p *polling) bins(source pollSource, start, end int64) (from, to int) {
	g := &p.grids[source]
	if g.width == 0 {
		*g = grid{start: start, width: gridWidth, first: start, last: start}
	}
	for max(start, end)-g.start >= gridLen*g.width {
		g.width *= 2
		g.seen.halve(source != sleepRecorded)
		for k, at := range p.spots {
			if k.source == source {
				for _, one := range at.threads {
					one.instants.halve(source != sleepRecorded)
				}
			}
		}
	}
	g.first, g.last = min(g.first, start), max(g.last, end)
	from = int(max(start-g.start, 0) / g.width)
	to = from + 1
	if source == sleepRecorded {
		from = int((max(start-g.start, 0) + g.width - 1) / g.width)
		if end < start {
			end = start
		}
		to = int((max(end-g.start, 0) + g.width - 1) / g.width)
	}
	if source != sleepRecorded {
		g.seen.set(from, to)
	}
	return from, to
}
