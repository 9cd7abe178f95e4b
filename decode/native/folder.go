package native

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"contend/format"
)

// folder puts together what the ticks of a block show, and finds those that show
// the same: version 2 of the format says so, of version 1 the bytes of what
// follows each tick are compared.
type folder struct {
	*batch
	version uint16
	last    int64

	open bool        // an instant; what is seen at it is not complete
	tick format.Tick // of it
	seen []uint32    // at it: places in batch.shown.Parts

	guesses
	parts, scenes index
	key           []byte   // scratch
	list          []uint32 // scratch

	numbered []uint32      // of version 2, by number, from 1: the place of a part
	instants []format.Tick // of version 2, by number, from 1
}

func newFolder() folder {
	seed := maphash.MakeSeed()
	return folder{parts: index{seed: seed}, scenes: index{seed: seed}}
}

func (f *folder) begin(b *batch) {
	f.batch, f.version, f.last, f.open = b, b.block.header.Version, b.block.header.First, false
	f.numbered, f.instants = f.numbered[:0], f.instants[:0]
	f.ticks = slices.Grow(f.ticks, int(min(b.block.header.Ticks, b.block.header.Raw/2, format.MaxBlockEvents)))
	f.guesses.reset()
	f.parts.reset()
	f.scenes.reset()
}

// take takes an event of the block.
func (f *folder) take(kind uint64, body []byte) (err error) {
	switch k := format.Kind(kind); {
	case kind > uint64(format.KindParts):
	case k == format.KindTick:
		f.close()
		if f.tick, err = format.DecodeTick(body, &f.last); err != nil {
			return err
		}
		f.open, f.seen, f.from = true, f.seen[:0], nil
		f.count++
		return nil
	case format.MayRepeat(k) && len(body) > 0 && body[0] == 0:
		return f.part(k, body)
	case f.version == format.Version1:
	case k == format.KindParts:
		return f.repeatParts(body)
	case k == format.KindAgain:
		f.close()
		return f.again(body)
	}
	f.close()
	return f.event(kind, body)
}

// event takes an event as it is.
func (f *folder) event(kind uint64, body []byte) error {
	if len(f.events)+len(f.shown.Parts) >= format.MaxBlockEvents {
		return format.ErrLimit
	}
	if err := format.DecodeFields(kind, body, f.add(), &f.last, &f.arena); err != nil {
		f.events = f.events[:len(f.events)-1]
		return err
	}
	f.count++
	return nil
}

// part takes an event at the time of the one before.
func (f *folder) part(k format.Kind, body []byte) error {
	if f.version == format.Version1 {
		if !f.open {
			return f.event(uint64(k), body)
		}
		f.key = append(append(f.key[:0], byte(k)), body...)
		at, known := f.parts.find(f.key)
		if !known {
			if err := f.newPart(k, body); err != nil {
				return err
			}
		}
		f.show(at)
		return nil
	}
	if err := f.newPart(k, body); err != nil {
		return err
	}
	at := uint32(len(f.shown.Parts) - 1)
	f.numbered = append(f.numbered, at)
	f.show(at)
	return nil
}

func (f *folder) newPart(k format.Kind, body []byte) error {
	if len(f.events)+len(f.shown.Parts) >= format.MaxBlockEvents {
		return format.ErrLimit
	}
	var none int64
	var ev format.Event
	if err := format.DecodeFields(uint64(k), body, &ev, &none, &f.arena); err != nil {
		return err
	}
	f.shown.Parts = append(f.shown.Parts, ev)
	return nil
}

// show takes a part that is seen now: at the open instant, or else by itself.
func (f *folder) show(at uint32) {
	f.count++
	if f.open {
		f.seen = append(f.seen, at)
		return
	}
	ev := f.add()
	*ev = f.shown.Parts[at]
	put(ev, f.last)
	ev.Owners, ev.Waiters = slices.Clone(ev.Owners), slices.Clone(ev.Waiters)
}

// put gives a part its time.
func put(ev *format.Event, at int64) {
	ev.Time = at
	if ev.Kind == format.KindActivity {
		ev.End += at
	}
}

// repeatParts takes a KindParts.
func (f *folder) repeatParts(body []byte) (err error) {
	if f.list, err = format.DecodeParts(f.list[:0], body); err != nil {
		return err
	}
	for _, number := range f.list {
		switch {
		case number == 0 || int(number) > len(f.numbered):
			return format.ErrCorrupt
		case f.count >= int(f.block.header.Events), !f.open && len(f.events)+len(f.shown.Parts) >= format.MaxBlockEvents:
			return format.ErrLimit
		}
		f.show(f.numbered[number-1])
	}
	return nil
}

// again takes a KindAgain.
func (f *folder) again(body []byte) error {
	a, err := format.DecodeAgain(body)
	if err != nil {
		return err
	}
	from := len(f.ticks)
	if a.Instant == 0 || int(a.Instant) > len(f.instants) || from+a.Times > format.MaxBlockEvents {
		return format.ErrCorrupt
	}
	like := &f.instants[a.Instant-1]
	each := 1 + len(f.shown.Scenes[like.Scene])
	if a.Times*each > int(f.block.header.Events)-f.count {
		return format.ErrLimit
	}
	if f.ticks, err = a.Append(f.ticks, like, &f.last); err != nil || a.Times == 0 {
		return err
	}
	f.count += a.Times * each
	f.lengthen(from, each)
	return nil
}

// close ends the open instant: nothing more was seen at it.
func (f *folder) close() {
	if !f.open {
		return
	}
	scene := f.scene()
	f.learn(scene)
	f.is(scene)
}

// is closes the open instant, whose scene is known.
func (f *folder) is(scene uint32) {
	f.open = false
	f.tick.Scene = scene
	f.instants = append(f.instants, f.tick)
	f.ticks = append(f.ticks, f.tick)
	f.lengthen(len(f.ticks)-1, 1+len(f.shown.Scenes[scene]))
}

// lengthen makes the ticks from a place on, each of so many events, part of the
// last stretch, if nothing came since and they are alike.
func (f *folder) lengthen(from, each int) {
	plain := f.plain[f.ticks[from].Scene]
	count := (len(f.ticks) - from) * each
	if n := len(f.stretches); n > 0 {
		if s := &f.stretches[n-1]; s.event == len(f.events)-1 && s.plain == plain {
			s.to, s.count = len(f.ticks), s.count+count
			return
		}
	}
	f.add()
	f.stretches = append(f.stretches, stretch{len(f.events) - 1, from, len(f.ticks), count, plain})
}

// scene returns what is seen at the open instant.
func (f *folder) scene() uint32 {
	f.key = f.key[:0]
	for _, at := range f.seen {
		f.key = binary.LittleEndian.AppendUint32(f.key, at)
	}
	at, known := f.scenes.find(f.key)
	if known {
		return at
	}
	from := len(f.numbers)
	f.numbers = append(f.numbers, f.seen...)
	f.shown.Scenes = append(f.shown.Scenes, f.numbers[from:len(f.numbers):len(f.numbers)])
	f.plain = append(f.plain, !slices.ContainsFunc(f.seen, func(at uint32) bool { return !plain(&f.shown.Parts[at]) }))
	return at
}

// plain reports whether a part is waiting that stands for time, or an idle
// thread.
func plain(part *format.Event) bool {
	if part.Kind == format.KindActivity {
		return part.End == 0 && part.Activity.Idle()
	}
	return part.Weight != format.EvidenceOnly
}
