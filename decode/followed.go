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
	classes  map[string]bool // of these, the flight recording's waits are left out; none if owners are to be inferred
	from, to int64           // of the flight recording: the agent's events outside are left out
	warnings []format.Warning

	locks  map[format.ObjectID]bool // of the flight recording, of these classes
	theirs map[format.ObjectID]bool // the same of the agent's trace
	waits  map[format.ThreadID][]waitStack
}

// waitStack is a wait of the flight recording that is left out. Its stack is whole.
type waitStack struct {
	start, end int64
	stack      format.StackID
}

// follow compares the waits of both, class by class. It reads both to their ends.
func follow(flight, samples *io.SectionReader, o jfr.Options, infer bool) (*followed, error) {
	f := &followed{
		classes: map[string]bool{},
		from:    format.NoTime,
		locks:   map[format.ObjectID]bool{},
		theirs:  map[format.ObjectID]bool{},
		waits:   map[format.ThreadID][]waitStack{},
	}
	theirs, err := native.NewReader(anew(samples), sampleFile)
	if err != nil {
		return nil, err
	}
	held, until, err := waiting(theirs, nil)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	r, err := jfr.NewReader(anew(flight), flightFile, o)
	if err != nil {
		return nil, err
	}
	recorded, _, err := waiting(r, f)
	if err != nil {
		return nil, err
	}
	f.to = min(f.to, until)
	if infer {
		return f, nil
	}
	for _, class := range slices.Sorted(maps.Keys(held)) {
		theirs, all := overlap(held[class], f.from, f.to), overlap(recorded[class], f.from, f.to)
		if all < leastWaiting || float64(theirs) >= leastFollowed*float64(all) {
			f.classes[class] = true
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
// trace (no flight) it returns those of locks with holds.
func waiting(src format.Source, flight *followed) (waits map[string][]waitStack, last int64, err error) {
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
		case format.KindWait:
			waits[class[ev.Object]] = append(waits[class[ev.Object]], waitStack{start: ev.Time, end: ev.End})
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

// omits reports whether an event of the flight recording is left out, for one of the agent's.
func (f *followed) omits(ev *format.Event) bool {
	if f == nil {
		return false
	}
	switch ev.Kind {
	case format.KindObject:
		if f.classes[ev.Class] {
			f.locks[ev.Object] = true
		}
	case format.KindWait:
		if f.locks[ev.Object] {
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
		f.theirs[ev.Object] = f.classes[ev.Class]
	case format.KindWait, format.KindTenure:
		if !f.theirs[ev.Object] || ev.End <= f.from || ev.Time >= f.to {
			return false
		}
		ev.Time, ev.End = max(ev.Time, f.from), min(ev.End, f.to)
	case format.KindTick, format.KindActivity:
		return ev.Time >= f.from
	case format.KindContention:
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
