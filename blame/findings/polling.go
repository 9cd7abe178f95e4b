package findings

import (
	"slices"
	"strconv"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// polling is what the trace shows of threads that spin or sleep at one place: in a lock
// made of compareAndSet and sleep, which leaves no event.
type polling struct {
	stacks map[format.StackID]*pollStack
	spots  map[spotKey]*spot
	marked map[string]bool // methods in which threads were seen at a compareAndSet
	asleep map[format.ThreadID]sleeping
	grids  [pollSources]grid
	own    *blame.Sites
	spans  map[format.ThreadID]*sampledSpan
}

// pollSource is how a thread was seen at a place.
type pollSource uint8

const (
	sleepRecorded pollSource = iota // from when to when
	sleepSeen                       // at instants
	runSeen                         // at instants of all threads, as dumps are
	runSampled                      // at instants of its own
	pollSources
)

// place is a line of the program: Class.method:line, and the method.
type place struct{ line, method string }

// spotKey is the line of a place, and how threads were seen there.
type spotKey struct {
	line   string
	source pollSource
}

// spot is what was seen of threads at one place.
type spot struct {
	depth   int // of the place in stacks, from the innermost frame of the program; the least
	method  string
	threads map[format.ThreadID]*presence
	spins   bool  // some were seen at a compareAndSet or in onSpinWait
	ns      int64 // recorded
	sleeps  int64 // recorded
	again   int64 // of these: those that follow another at once
}

// presence is at which instants of a grid a thread was at a place.
type presence struct {
	seen int64 // in all
	at   instants
}

// pollStack is what a stack tells. Each is looked at once.
type pollStack struct {
	places []place // of the program's own code, innermost first
	spins  bool    // the innermost of them calls a compareAndSet, onSpinWait or yield
}

// sampledSpan is when a thread was sampled, and how often.
type sampledSpan struct{ first, last, n int64 }

// sleeping is the sleep of a thread that was recorded last.
type sleeping struct {
	stack  format.StackID
	end    int64
	length int64
}

const (
	retryGap  = 8       // between two tries is at most this part of a sleep
	maxPlaces = 8       // of a stack, innermost first
	maxSpots  = 1 << 12 // places
	maxAtSpot = 256     // threads
)

func newPolling() polling {
	return polling{stacks: map[format.StackID]*pollStack{}, spots: map[spotKey]*spot{}, marked: map[string]bool{}, asleep: map[format.ThreadID]sleeping{}, own: blame.NewSites(nil), spans: map[format.ThreadID]*sampledSpan{}}
}

// Activity implements analysis.ActivityVisitor.
func (p *polling) Activity(ev *format.Event, frames []format.Frame) {
	source, ok := pollSourceOf(ev)
	if !ok || len(frames) == 0 {
		return
	}
	s := p.stack(ev.Stack, frames)
	last := p.asleep[ev.Thread]
	if source == sleepRecorded {
		p.asleep[ev.Thread] = sleeping{ev.Stack, ev.End, ev.End - ev.Time}
	}
	if source == runSampled {
		p.sampled(ev)
	}
	from, to := p.bins(source, ev.Time, ev.End)
	for depth, place := range s.places {
		if depth > 0 && source >= runSeen {
			break // what it calls does not spin
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
				at.again++
			}
		}
		at.add(ev.Thread, from, to)
	}
}

// pollSourceOf says how an event shows a thread that may poll; false where it does not.
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

// stack returns what a stack tells.
func (p *polling) stack(id format.StackID, frames []format.Frame) *pollStack {
	if s := p.stacks[id]; s != nil {
		return s
	}
	s := &pollStack{}
	p.stacks[id] = s
	for i, f := range frames {
		if !p.own.Own(f) {
			continue
		}
		if len(s.places) == 0 {
			s.spins = i > 0 && !slices.ContainsFunc(frames[:i], func(f format.Frame) bool { return !spinFrame(f) })
		}
		method := analysis.MethodName(f)
		if s.spins && len(s.places) == 0 {
			p.marked[method] = true
		}
		if s.places = append(s.places, place{method + ":" + strconv.Itoa(f.Line), method}); len(s.places) == maxPlaces {
			break
		}
	}
	return s
}

// spot returns what is known of a place; nil where too many are.
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

// add notes that a thread was there at the instants from one to before another.
func (at *spot) add(t format.ThreadID, from, to int) {
	if at.threads[t] == nil && len(at.threads) == maxAtSpot {
		return
	}
	one := blame.At(at.threads, t)
	one.seen++
	one.at.set(from, to)
}

func (p *polling) sampled(ev *format.Event) {
	s := blame.At(p.spans, ev.Thread)
	if s.n == 0 {
		s.first, s.last = ev.Time, ev.Time
	}
	s.first, s.last, s.n = min(s.first, ev.Time), max(s.last, ev.Time), s.n+1
}

// bins returns the instants of the grid that an interval holds, the first and the one behind
// the last. It makes the grid coarser where the trace is longer.
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
					one.at.halve(source != sleepRecorded)
				}
			}
		}
	}
	g.first, g.last = min(g.first, start), max(g.last, end)
	from = int(max(start-g.start, 0) / g.width)
	if to = from + 1; source == sleepRecorded {
		if from = int((max(start-g.start, 0) + g.width - 1) / g.width); end < start {
			end = start
		}
		to = int((max(end-g.start, 0) + g.width - 1) / g.width)
	}
	if source != sleepRecorded {
		g.seen.set(from, to)
	}
	return from, to
}
