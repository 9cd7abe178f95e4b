package cube

import (
	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Place is what threads wait for that is no lock: the method of a library that waits, and
// the one of the program that called it.
type Place struct{ What, Site string }

// WithResources is a visitor that also sums waits for resources at the wanted places. Each
// place counts as a lock without a known owner.
type WithResources struct {
	*Cube
	Wanted func(frames []format.Frame) (p Place, ok bool)
}

// aResource marks the ids of places among those of locks.
const aResource = 1 << 30

// Resource returns the place that an id of a lock stands for; ok is false for a lock.
func (c *Cube) Resource(lock uint32) (p Place, ok bool) {
	if lock == Other || lock&aResource == 0 {
		return p, false
	}
	return c.places[lock&^aResource], true
}

// unwanted is the id of all other places.
const unwanted = 0

// placeOf returns the id of the place with a stack. Each stack is looked at once.
func (c WithResources) placeOf(stack format.StackID) uint32 {
	return c.placed.ID(stack, func() uint32 {
		p, ok := c.Wanted(c.sym.Frames(stack))
		if !ok {
			return unwanted
		}
		id, known := c.ids[p]
		if !known {
			id = aResource | uint32(len(c.places))
			c.places, c.ids[p] = append(c.places, p), id
		}
		return id
	})
}

// Monitor implements analysis.NonLockVisitor.
func (WithResources) Monitor(*analysis.MonitorWaits) {}

// NonLockWait implements analysis.NonLockVisitor. What was sampled is spread over all time.
func (c WithResources) NonLockWait(a *analysis.NonLockWait) {
	id := c.placeOf(a.Stack)
	if !a.Resource || id == unwanted {
		return
	}
	waiter := analysis.Waiter{Thread: a.Thread, Stack: a.Stack}
	var key Key
	c.keys.Find(key[:], c.columns, format.NoObject, &waiter, blame.AnyShare)
	key[Lock], key[RootLock] = id, id
	from := a.From
	to := a.To
	waits := int32(a.Waits)
	if from == to {
		from, to = c.Start, max(c.End, c.Start+1)
	}
	row := c.find(key)
	c.pieces(from, to, a.Ns, func(bin int, _, _, part int64) {
		c.addCell(&c.Rows[row], Cell{int32(bin), waits, part})
		waits = 0
	})
	c.makeRoom()
}
