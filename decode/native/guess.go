package native

import (
	"slices"

	"contend/format"
)

// guesses finds instants of version 1 that show what one before them showed,
// without looking at what that is: after a scene there comes itself, or one of
// those that came after it before, the latest first.
type guesses struct {
	written [][]byte    // by scene: its parts as they stand in the block
	after   []followers // by scene
	before  uint32      // the scene of the instant before, from 1; 0 is none

	from []byte // the block behind the open instant's tick; nil when that was just read
	rest int    // how much of the block is behind the open instant's last part
}

// followers are the scenes that came after one, the latest first, counting from 1; 0
// is none.
type followers [4]uint32

// add notes which came now.
func (f *followers) add(scene uint32) {
	at := slices.Index(f[:], scene)
	if at < 0 {
		at = len(f) - 1
	}
	copy(f[1:at+1], f[:at])
	f[0] = scene
}

func (g *guesses) reset() { g.written, g.after, g.before = g.written[:0], g.after[:0], 0 }

// guess closes the open instant and passes over its parts, if its tick was just read
// and the parts are those of a scene that is guessed. raw is what follows in the
// block.
func (f *folder) guess(raw []byte) []byte {
	if !f.open || f.version != format.Version1 {
		return raw
	}
	f.rest = len(raw)
	if f.from != nil {
		return raw
	}
	f.from = raw
	if f.before == 0 {
		return raw
	}
	scene := f.before
	for next := f.after[f.before-1][:]; !f.follows(raw, scene-1); next = next[1:] {
		if len(next) == 0 || next[0] == 0 {
			return raw
		}
		scene = next[0]
	}
	f.count += len(f.shown.Scenes[scene-1])
	f.is(scene - 1)
	f.comes(scene)
	return raw[len(f.written[scene-1]):]
}

// follows reports whether the parts of a scene come next, and no more.
func (f *folder) follows(raw []byte, scene uint32) bool {
	parts := f.written[scene]
	return len(raw) > len(parts) && raw[len(parts)] == byte(format.KindTick) && string(raw[:len(parts)]) == string(parts) &&
		f.count+len(f.shown.Scenes[scene]) < int(f.block.header.Events)
}

// learn notes how the scene of the open instant is written.
func (f *folder) learn(scene uint32) {
	if f.version != format.Version1 {
		return
	}
	if int(scene) == len(f.written) {
		f.written, f.after = append(f.written, f.from[:len(f.from)-f.rest]), append(f.after, followers{})
	}
	f.comes(scene + 1)
}

// comes notes which scene came, counting from 1.
func (f *folder) comes(scene uint32) {
	if f.before > 0 {
		f.after[f.before-1].add(scene)
	}
	f.before = scene
}
