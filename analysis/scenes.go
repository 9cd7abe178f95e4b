package analysis

import (
	"encoding/binary"
	"slices"

	"contend/format"
)

// A Source that folds gives many instants at once, and tells once what those that
// show the same show: a scene. Scenes come again and again, also in later parts of
// the trace, where they have other numbers: a program has some few thousand ways to
// stand in line. What follows from one for those who wait in it is worked out
// when it is charged for the second time, and remembered.

// scenes finds those that were met before.
type scenes struct {
	parts map[string]uint32 // by what they show: numbers of trace-wide meaning
	known map[string]*scene // by the numbers of its parts
	met   int               // scenes asked for
	fresh int               // of these, those not met before
	spare int               // so many are not remembered, since few come again

	serial  uint64 // of what the source shows now
	numbers []uint32
	list    []*scene // by number of the source
	key     []byte
	text    []byte
}

// mostScenes and mostSceneParts bound what is remembered. Behind so many it begins
// again. Neither they nor the ones below change what is charged.
const (
	mostScenes     = 1 << 13
	mostSceneParts = 1 << 15
)

// Remembering is given up for a while when, of so many scenes, not one in
// sceneWorth was met before.
const (
	scenesTried = 1 << 12
	scenesSpare = 1 << 16
	sceneWorth  = 8
)

// open begins to take scenes of what a source shows.
func (c *scenes) open(shown *format.Shown) {
	if c.serial == shown.Serial && c.parts != nil {
		return
	}
	if c.parts == nil || len(c.known) > mostScenes || len(c.parts) > mostSceneParts {
		for _, sc := range c.known {
			sc.sequels = nil // else none of those from before is ever let go
		}
		c.parts, c.known = map[string]uint32{}, map[string]*scene{}
	}
	c.serial = shown.Serial
	c.numbers = append(c.numbers[:0], make([]uint32, len(shown.Parts))...)
	c.list = append(c.list[:0], make([]*scene, len(shown.Scenes))...)
}

// at returns a scene of the source; isNew says that the source has not shown it
// before, and nil that it is not remembered.
func (c *scenes) at(shown *format.Shown, number uint32) (sc *scene, isNew bool) {
	if sc = c.list[number]; sc != nil {
		return sc, false
	}
	if c.spare > 0 {
		c.spare--
		return nil, true
	}
	c.key = c.key[:0]
	for _, at := range shown.Scenes[number] {
		c.key = binary.LittleEndian.AppendUint32(c.key, c.number(shown, at))
	}
	c.met++
	if sc = c.known[string(c.key)]; sc == nil {
		c.fresh++
		sc = newScene(shown, number)
		c.known[string(c.key)] = sc
	}
	c.list[number] = sc
	if c.met == scenesTried {
		if c.met-c.fresh < c.met/sceneWorth {
			c.spare = scenesSpare
		}
		c.met, c.fresh = 0, 0
	}
	return sc, true
}

// number returns the number that a part has in the whole trace.
func (c *scenes) number(shown *format.Shown, at uint32) uint32 {
	if n := c.numbers[at]; n > 0 {
		return n
	}
	ev := &shown.Parts[at]
	c.text = format.AppendEvent(c.text[:0], ev, new(int64))
	n := c.parts[string(c.text)]
	if n == 0 {
		n = uint32(len(c.parts)) + 1
		c.parts[string(c.text)] = n
	}
	c.numbers[at] = n
	return n
}

// newScene copies what a source shows.
func newScene(shown *format.Shown, number uint32) *scene {
	sc := &scene{}
	for _, at := range shown.Scenes[number] {
		switch ev := &shown.Parts[at]; ev.Kind {
		case format.KindContention:
			sc.locks = append(sc.locks, contendedLock{ev.Object, slices.Clone(ev.Owners), slices.Clone(ev.Waiters)})
		default:
			sc.idlers = append(sc.idlers, asideOf(ev))
		}
	}
	return sc
}
