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
// holds. It is nil if the agent recorded none.
type followed struct {
	// since when, by class, the flight recording's waits are left out; none if owners are to be inferred
	classes  map[string]int64
	from, to int64 // of the flight recording: the agent's events outside are left out
	warnings []format.Warning

	locks  map[format.ObjectID]int64 // of the flight recording, of these classes: since when
	theirs map[format.ObjectID]bool  // the same of the agent's trace
	waits  map[format.ThreadID][]waitStack

	held     map[string]bool          // classes whose holds the agent has
	inferred map[format.ObjectID]bool // of the agent's trace, those of them that are not in classes
}

// waitStack is a wait of the flight recording that is left out. Its stack is whole.
type waitStack struct {
	start, end int64
	stack      format.StackID
}

// follow compares the waits of both, class by class. It reads both to their ends.
func follow(flight, samples *io.SectionReader, o jfr.Options, infer bool) (*followed, error) {
	f := &followed{
		classes: map[string]int64{},
		from:    format.NoTime,
		locks:   map[format.ObjectID]int64{},
		theirs:  map[format.ObjectID]bool{},
		waits:   map[format.ThreadID][]waitStack{},

		held:     map[string]bool{},
		inferred: map[format.ObjectID]bool{},
	}
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
		begun := max(f.from, since[class])
		theirs, all := overlap(held[class], begun, f.to), begunSince(recorded[class], begun, f.to)
		if !f.held[class] && all < leastWaiting {
			continue
		}
		if all < leastWaiting || float64(theirs) >= leastFollowed*float64(all) {
			f.classes[class] = begun
			if begun > f.from {
				f.warnings = append(f.warnings, format.Warning{
					Code: format.CodeFollowed,
					Text: human.Say("%s was contended later: its owners are recorded from %v on, and inferred before",
						class, human.Duration(begun-f.from)),
				})
			}
			continue
		}
		f.warnings = append(f.warnings, format.Warning{
			Code: format.CodeFollowed,
			Text: human.Say("of the %v that threads waited for %s, %.0f %% were followed: its owners are inferred",
				human.Duration(all), class, 100*float64(theirs)/float64(all)),
		})
	}
	return f, nil
}

// anew reads a file from its begin, without moving the offset of its other readers.
func anew(r *io.SectionReader) *io.SectionReader { return io.NewSectionReader(r, 0, r.Size()) }

// waiting returns the waits of a source by the class of their lock, and the time of the last sample. Of an agent's
// trace (no flight) it returns those of locks with holds, and fills since when they were followed.
func waiting(src format.Source, flight *followed, since map[string]int64) (
	waits map[string][]waitStack, last int64, err error) {
	defer closeSource(src)
	class := map[format.ObjectID]string{}
	held := map[string]bool{}
	waits = map[string][]waitStack{}
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
			waits[class[ev.Object]] = append(waits[class[ev.Object]], waitStack{start: ev.Time, end: ev.End})
		case format.KindContention:
			for range ev.Waiters { // of a lock that logged too much: from then on it is sampled
				if flight == nil && ev.Weight > 0 {
					waits[class[ev.Object]] = append(waits[class[ev.Object]],
						waitStack{start: ev.Time - ev.Weight, end: ev.Time})
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
		maps.DeleteFunc(waits, func(class string, _ []waitStack) bool { return !held[class] })
	}
	return waits, last, nil
}

func closeSource(src format.Source) {
	if c, ok := src.(io.Closer); ok {
		c.Close()
	}
}

func overlap(waits []waitStack, from, to int64) (ns int64) {
	for _, w := range waits {
		ns += max(0, min(w.end, to)-max(w.start, from))
	}
	return ns
}

// begunSince is overlap of the waits that began since from: an agent does not see who waits already.
func begunSince(waits []waitStack, from, to int64) (ns int64) {
	for _, w := range waits {
		if w.start >= from {
			ns += max(0, min(w.end, to)-w.start)
		}
	}
	return ns
}

// omits reports whether an event of the flight recording is left out, for one of the agent's.
func (f *followed) omits(ev *format.Event) bool {
	if f == nil {
		return false
	}
	switch ev.Kind {
	case format.KindObject:
		if since, ok := f.classes[ev.Class]; ok {
			f.locks[ev.Object] = since
		}
	case format.KindWait:
		if since, ok := f.locks[ev.Object]; ok && (since == f.from || ev.Time >= since) {
			f.waits[ev.Thread] = append(f.waits[ev.Thread], waitStack{ev.Time, ev.End, ev.Stack})
			return true
		}
	}
	return false
}

// sort puts the waits in order, once the flight recording has been read.
func (f *followed) sort() {
	if f == nil {
		return
	}
	for _, list := range f.waits {
		slices.SortFunc(list, func(a, b waitStack) int { return cmp.Compare(a.start, b.start) })
	}
}

// adds reports whether an event of the agent's trace counts. Names always do. The agent began before
// the flight recorder: its first samples would show waits that the recording does not have.
func (f *followed) adds(ev *format.Event) bool {
	switch ev.Kind {
	case format.KindSetting:
		return len(f.classes) > 0 || ev.Name != format.SettingTenures
	case format.KindObject:
		_, f.theirs[ev.Object] = f.classes[ev.Class]
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

// stackOf returns the stack with which the flight recorder saw a thread in a wait that the agent
// recorded; NoStack if it did not.
func (f *followed) stackOf(ev *format.Event) format.StackID {
	list := f.waits[ev.Thread]
	i, _ := slices.BinarySearchFunc(list, ev.Time-followedSlack, func(w waitStack, t int64) int {
		return cmp.Compare(w.start, t)
	})
	if i < len(list) && list[i].start < ev.End && list[i].end <= ev.End+followedSlack {
		return list[i].stack
	}
	return format.NoStack
}

// followedSlack bounds the difference between both clocks, ns.
const followedSlack = int64(1e6)
