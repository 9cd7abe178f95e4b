package decode

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"contend/decode/jfr"
	"contend/decode/native"
	"contend/format"
	"contend/format/human"
)

// leastFollowed is the share of the waiting of a class, by the flight recording, that an agent
// must have recorded for its waits and holds to replace those of the flight recording.
const leastFollowed = 0.9

// leastWaiting is the waiting below which that share says nothing, ns.
const leastWaiting = int64(10e6)

// followed is what an agent recorded of contended locks beside a flight recording: their waits and
// holds. It is nil if the agent recorded none. The flight recording's waits for these locks are held back until
// the agent's trace is read: those that the agent recorded too are left out, and the others come last.
type followed struct {
	classes  map[string]*followedClass // without those whose owners are to be inferred
	from, to int64                     // of the flight recording: the agent's events outside are left out
	warnings []format.Warning

	locks map[format.ObjectID]*followedClass // of both, by their ids in the output
	waits map[format.ThreadID][]flightWait   // of the flight recording
	seen  map[format.ThreadID][]seenWait     // of the agent
	edges map[format.ObjectID][]edge         // of the agent's waits and holds, by lock

	held     map[string]bool          // classes whose holds the agent has
	theirs   map[format.ObjectID]bool // of the agent's trace, locks of the followed classes
	inferred map[format.ObjectID]bool // the same of others of held
}

// followedClass is a class of locks that an agent followed.
type followedClass struct {
	since int64 // from then on
	// the agent recorded nearly all waiting: where it saw a thread wait and no hold, the lock was free
	whole bool
	busy  bool // some lock was sampled instead: waits of the flight recording since then are left out
}

// flightWait is a wait of the flight recording for a lock of a followed class. Its stack is whole.
type flightWait struct {
	start, end int64
	object     format.ObjectID
	stack      format.StackID
	owner      format.ThreadID
	mode       format.Mode
	failed     bool
}

// seenWait is a wait that the agent recorded.
type seenWait struct {
	start, end int64
	object     format.ObjectID
}

func newFollowed() *followed {
	return &followed{
		classes: map[string]*followedClass{},
		from:    format.NoTime,
		locks:   map[format.ObjectID]*followedClass{},
		waits:   map[format.ThreadID][]flightWait{},
		seen:    map[format.ThreadID][]seenWait{},
		edges:   map[format.ObjectID][]edge{},

		held:     map[string]bool{},
		theirs:   map[format.ObjectID]bool{},
		inferred: map[format.ObjectID]bool{},
	}
}

// follow compares the waits of both, class by class. It reads both to their ends.
func follow(flight, samples *io.SectionReader, o jfr.Options, infer bool) (*followed, error) {
	f := newFollowed()
	theirs, err := native.NewReader(anew(samples), sampleFile)
	if err != nil {
		return nil, err
	}
	since := map[string]int64{}
	held, until, err := waiting(theirs, nil, since)
	if err != nil || len(held)+len(since) == 0 {
		return nil, err
	}
	r, err := jfr.NewReader(anew(flight), flightFile, o)
	if err != nil {
		return nil, err
	}
	recorded, _, err := waiting(r, f, nil)
	if err != nil {
		return nil, err
	}
	f.to = min(f.to, until)
	for class := range held {
		f.held[class] = true
	}
	if infer {
		return f, nil
	}
	classes := slices.Sorted(maps.Keys(since)) // perhaps no hold of some was seen
	classes = append(classes, slices.Collect(maps.Keys(held))...)
	slices.Sort(classes)
	for _, class := range slices.Compact(classes) {
		f.compare(class, max(f.from, since[class]), held[class], recorded[class])
	}
	return f, nil
}

// compare decides how a class is followed, by its waits in both.
func (f *followed) compare(class string, since int64, theirs, recorded []classWait) {
	ns, all := overlap(theirs, since, f.to), begunSince(recorded, since, f.to)
	few := all < leastWaiting
	if !f.held[class] && few {
		return
	}
	c := &followedClass{since: since, whole: few || float64(ns) >= leastFollowed*float64(all)}
	c.busy = slices.ContainsFunc(theirs, func(w classWait) bool { return w.sampled })
	if c.whole || f.held[class] && !c.busy {
		f.classes[class] = c
	}
	warn := func(text string, with ...any) {
		f.warnings = append(f.warnings, format.Warning{Code: format.CodeFollowed, Text: human.Say(text, with...)})
	}
	switch followed := 100 * float64(ns) / float64(max(all, 1)); {
	case f.classes[class] == nil:
		warn("of the %v that threads waited for %s, %.0f %% were followed: its owners are inferred",
			human.Duration(all), class, followed)
	case !c.whole:
		warn("of the %v that threads waited for %s, %.0f %% were followed: its owners are inferred where no hold "+
			"is recorded", human.Duration(all), class, followed)
	case since > f.from:
		warn("%s was contended later: its owners are recorded from %v on, and inferred before",
			class, human.Duration(since-f.from))
	}
}

// classWait is a wait for a lock of a class.
type classWait struct {
	start, end int64
	sampled    bool // a sample that stands for so much of one
}

// anew reads a file from its begin, without moving the offset of its other readers.
func anew(r *io.SectionReader) *io.SectionReader { return io.NewSectionReader(r, 0, r.Size()) }

// waiting returns the waits of a source by the class of their lock, and the time of the last sample. Of an agent's
// trace (no flight) it returns those of locks with holds, and fills since when they were followed.
func waiting(src format.Source, flight *followed, since map[string]int64) (
	waits map[string][]classWait, last int64, err error) {
	defer closeSource(src)
	class := map[format.ObjectID]string{}
	held := map[string]bool{}
	waits = map[string][]classWait{}
	for {
		var ev format.Event
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, 0, err
		}
		switch ev.Kind {
		case format.KindObject:
			class[ev.Object] = ev.Class
		case format.KindTenure:
			held[class[ev.Object]] = true
		case format.KindTick:
			last = max(last, ev.Time)
		case format.KindSetting:
			if flight == nil && ev.Name == format.SettingFollowed {
				since[ev.Value] = ev.Weight
			}
		case format.KindWait:
			waits[class[ev.Object]] = append(waits[class[ev.Object]], classWait{start: ev.Time, end: ev.End})
		case format.KindContention:
			for range ev.Waiters { // of a lock that logged too much: from then on it is sampled
				if flight == nil && ev.Weight > 0 {
					waits[class[ev.Object]] = append(waits[class[ev.Object]],
						classWait{ev.Time - ev.Weight, ev.Time, true})
				}
			}
		case format.KindRecording:
			if flight != nil && flight.from == format.NoTime {
				flight.from, flight.to = ev.Time, ev.End
			}
			if flight != nil {
				flight.from, flight.to = min(flight.from, ev.Time), max(flight.to, ev.End)
			}
		}
	}
	if flight == nil {
		maps.DeleteFunc(waits, func(class string, _ []classWait) bool { return !held[class] })
	}
	return waits, last, nil
}

func closeSource(src format.Source) {
	if c, ok := src.(io.Closer); ok {
		c.Close()
	}
}

func overlap(waits []classWait, from, to int64) (ns int64) {
	for _, w := range waits {
		ns += max(0, min(w.end, to)-max(w.start, from))
	}
	return ns
}

// begunSince is overlap of the waits that began since from: an agent does not see who waits already.
func begunSince(waits []classWait, from, to int64) (ns int64) {
	for _, w := range waits {
		if w.start >= from {
			ns += max(0, min(w.end, to)-w.start)
		}
	}
	return ns
}

// holdsBack reports whether an event of the flight recording is a wait for a lock that the agent followed, and
// takes it in if it is.
func (f *followed) holdsBack(ev *format.Event) bool {
	if f == nil {
		return false
	}
	switch ev.Kind {
	case format.KindObject:
		f.name(ev)
	case format.KindWait:
		c := f.locks[ev.Object]
		if c == nil {
			return false
		}
		f.waits[ev.Thread] = append(f.waits[ev.Thread],
			flightWait{ev.Time, ev.End, ev.Object, ev.Stack, ev.Owner, ev.Mode, ev.Failed})
		return true
	case format.KindActivity:
		// Samples count the time in which a thread acquires the lock again; without a notifier nothing is estimated.
		if c := f.locks[ev.Object]; c != nil && c.busy && ev.Time >= c.since {
			ev.Owner = format.NoThread
		}
	}
	return false
}

func (f *followed) name(ev *format.Event) {
	if c := f.classes[ev.Class]; c != nil {
		f.locks[ev.Object] = c
	}
}

// sort puts the flight recording's waits in order, once it has been read.
func (f *followed) sort() {
	if f == nil {
		return
	}
	for _, list := range f.waits {
		slices.SortFunc(list, func(a, b flightWait) int { return cmp.Compare(a.start, b.start) })
	}
}

// adds reports whether an event of the agent's trace counts. Names always do. The agent began before
// the flight recorder: its first samples would show waits that the recording does not have.
func (f *followed) adds(ev *format.Event) bool {
	switch ev.Kind {
	case format.KindSetting:
		return len(f.classes) > 0 || ev.Name != format.SettingTenures
	case format.KindObject:
		f.theirs[ev.Object] = f.classes[ev.Class] != nil
		f.inferred[ev.Object] = f.held[ev.Class] && !f.theirs[ev.Object]
	case format.KindWait, format.KindTenure:
		if !f.theirs[ev.Object] || ev.End <= f.from || ev.Time >= f.to {
			return false
		}
		ev.Time, ev.End = max(ev.Time, f.from), min(ev.End, f.to)
	case format.KindTick, format.KindActivity:
		return ev.Time >= f.from
	case format.KindContention:
		if f.inferred[ev.Object] && ev.Weight > 0 { // the flight recording has these waits
			ev.Weight = format.EvidenceOnly
		}
		return ev.Time >= f.from
	}
	return true
}

// see takes in an event of the agent's trace, translated to the ids of the output, and reports whether it counts.
// A wait gets what only the flight recorder knows: its whole stack, and the previous owner. Of a class whose waits
// the agent lacks in part, those of the flight recording count instead.
func (f *followed) see(ev *format.Event) bool {
	switch ev.Kind {
	case format.KindObject:
		f.name(ev)
	case format.KindWait:
		c, w := f.locks[ev.Object], f.waitOf(ev)
		if w != nil {
			ev.Stack, ev.Owner = cmp.Or(w.stack, ev.Stack), w.owner
		}
		f.seen[ev.Thread] = append(f.seen[ev.Thread], seenWait{ev.Time, ev.End, ev.Object})
		if c != nil && !c.whole {
			f.mark(ev, asked)
			return w == nil
		}
		f.mark(ev, seen)
	case format.KindTenure:
		f.mark(ev, held)
	}
	return true
}

func (f *followed) mark(ev *format.Event, what edgeKind) {
	f.edges[ev.Object] = append(f.edges[ev.Object],
		edge{ev.Time, ev.Thread, what, 1}, edge{ev.End, ev.Thread, what, -1})
}

// waitOf returns the wait of the flight recording that a wait of the agent's is; nil if there is none. It is the
// last of several parks.
func (f *followed) waitOf(ev *format.Event) (of *flightWait) {
	list := f.waits[ev.Thread]
	i, _ := slices.BinarySearchFunc(list, ev.Time-followedSlack, func(w flightWait, t int64) int {
		return cmp.Compare(w.start, t)
	})
	for ; i < len(list) && list[i].start < ev.End && list[i].end <= ev.End+followedSlack; i++ {
		if w := &list[i]; f.locks[w.object] == f.locks[ev.Object] && w.end > ev.Time {
			of = w
		}
	}
	return of
}

// followedSlack bounds the difference between both clocks, ns.
const followedSlack = int64(1e6)
