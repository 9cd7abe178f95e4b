package jfr

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"contend/format"
)

// Who released a lock that threads were parked on: each park that ended for
// another reason than time was ended by a call of LockSupport.unpark. Which one
// is found when a chunk is read, since neither names the other.

// waking is one call of LockSupport.unpark.
type waking struct {
	at     int64
	thread format.ThreadID
	stack  format.StackID
	release
}

// release is what an unpark is part of: that of a lock of some family, 0 for
// none. Who got a shared lock may pass it on to the next, and releases nothing.
type release struct {
	family   uint32
	mode     format.Mode
	passesOn bool
}

// woken is one park on a lock.
type woken struct {
	start, end int64
	thread     format.ThreadID
	lock       format.ObjectID
	stack      format.StackID
	family     uint32
	mode       format.Mode
	late       bool // it may have timed out, and is still to be delivered
}

// unpark notes who woke a thread.
func (r *Reader) unpark(v *values, ev *format.Event) {
	stack := r.stack(v[slotStack])
	what, ok := r.ids.releases[stack]
	if !ok {
		what = r.releaseOf(r.ids.frames[stack])
		r.ids.releases[stack] = what
	}
	if what.family != 0 {
		r.wakings.unparks.list = append(r.wakings.unparks.list, waking{ev.Time, r.thread(v[slotThread]), stack, what})
	}
}

// releaseOf tells by the frames what an unpark is part of: the methods of the
// lock, behind those it shares with all. A condition's await lets go of its
// lock, which nearly always is a ReentrantLock.
func (r *Reader) releaseOf(frames []format.Frame) (what release) {
	for _, f := range frames {
		family := familyOf(f.Class)
		switch {
		case strings.HasPrefix(f.Class, queued) && strings.HasSuffix(f.Class, conditions):
			family = "java.util.concurrent.locks.ReentrantLock"
		case strings.HasPrefix(f.Class, queued) || f.Class == lockSupport:
			family = ""
		}
		if what.family != 0 && r.ids.names[what.family] != family {
			break
		}
		if family != "" {
			what.family = r.intern(family)
		}
		what.passesOn = what.passesOn || strings.HasPrefix(f.Method, "acquire")
		if strings.HasSuffix(f.Class, "$ReadLock") || strings.Contains(f.Method, "Read") {
			what.mode = format.Shared
		}
	}
	return what
}

// park notes a park on a lock.
func (r *Reader) park(ev *format.Event, class uint32) {
	r.wakings.parks = append(r.wakings.parks, woken{ev.Time, ev.End, ev.Thread, ev.Object, ev.Stack, r.family(class), ev.Mode, ev.Failed})
}

// family returns the number of the family of a class.
func (r *Reader) family(class uint32) uint32 {
	id, ok := r.ids.families[class]
	if !ok {
		id = r.intern(familyOf(r.ids.names[class]))
		r.ids.families[class] = id
	}
	return id
}

// wakings collects what tells who released the locks that threads were parked
// on: the parks that ended in this chunk, and what woke threads in it or in the
// one before.
type wakings struct {
	unparks twoChunks[waking]
	parks   []woken
	told    bool // that releases are recorded
}

// turn delivers the releases that ended the parks of this chunk, and makes room
// for the next one.
func (w *wakings) turn(queue *format.Queue) {
	if len(w.parks) > 0 {
		w.deliver(queue)
	}
	w.unparks.turn()
	w.parks = w.parks[:0]
}

// promptly is how soon after a release who was woken runs, if there is a
// processor for it.
const promptly = int64(1e6)

// mostTried bounds the wakings looked at for one park.
const mostTried = 256

func (w *wakings) deliver(queue *format.Queue) {
	parks, unparks := w.parks, slices.Clone(w.unparks.list)
	slices.SortStableFunc(parks, func(a, b woken) int { return cmp.Compare(a.end, b.end) })
	slices.SortStableFunc(unparks, func(a, b waking) int { return cmp.Compare(a.at, b.at) })
	found := match(parks, unparks, nil)
	if homes := homesOf(parks, unparks, found); len(homes) > 0 {
		found = match(parks, unparks, homes)
	}
	again := triedAgain(parks)
	for i, at := range found {
		p := &parks[i]
		if p.late {
			queue.Push(format.Event{Kind: format.KindWait, Time: p.start, End: p.end, Thread: p.thread, Object: p.lock, Stack: p.stack, Mode: p.mode, Failed: at < 0})
		}
		if at < 0 {
			continue
		}
		if !w.told {
			w.told = true
			queue.Push(format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesUnparks})
		}
		u := &unparks[at]
		ev := format.Event{Kind: format.KindRelease, Time: u.at, Object: p.lock, Woken: p.thread}
		if !u.passesOn { // else nobody gave it back
			ev.Thread, ev.Mode, ev.Stack = u.thread, u.mode, u.stack
		}
		if next := again[i]; next > u.at {
			ev.Again = max(next-u.at, 0) // wild times may overflow
		}
		queue.Push(ev)
	}
}

// match finds the waking that ended each park, -1 for none: of the same family,
// by another thread, and rather not at a place where another lock is at home.
func match(parks []woken, unparks []waking, homes map[format.StackID]format.ObjectID) []int {
	found, used := make([]int, len(parks)), make([]bool, len(unparks))
	for i := range parks {
		at, foreign := wakes(&parks[i], unparks, used, homes)
		if at < 0 {
			at = foreign
		}
		if found[i] = at; at >= 0 {
			used[at] = true
		}
	}
	return found
}

// wakes returns the waking that ended a park, and which one of those that are
// at home elsewhere may have; -1 for none. Several may be under way at once: of
// those not long ago the first is it, as threads run in the order they are
// woken; before them, the last.
func wakes(p *woken, unparks []waking, used []bool, homes map[format.StackID]format.ObjectID) (found, foreign int) {
	found, foreign = -1, -1
	end := sort.Search(len(unparks), func(i int) bool { return unparks[i].at > p.end })
	for at := end - 1; at >= max(end-mostTried, 0) && unparks[at].at >= p.start; at-- {
		u, into := &unparks[at], &found
		if found >= 0 && u.at < p.end-promptly {
			break
		}
		if used[at] || u.thread == p.thread || u.family != p.family {
			continue
		}
		if home := homes[u.stack]; home != format.NoObject && home != p.lock {
			into = &foreign
		}
		if *into < 0 || u.at >= p.end-promptly {
			*into = at
		}
	}
	return found, foreign
}

// The part of the wakings at a place, one in so many, that may be of other locks
// for the place to be one lock's home, and how many there have to be.
const (
	homeStrays = 4
	homeFewest = 5
)

// homesOf returns the locks that are nearly alone in being released at a place
// of the program.
func homesOf(parks []woken, unparks []waking, found []int) map[format.StackID]format.ObjectID {
	type at struct {
		stack format.StackID
		lock  format.ObjectID
	}
	count, all := map[at]int{}, map[format.StackID]int{}
	for i, u := range found {
		if u >= 0 {
			count[at{unparks[u].stack, parks[i].lock}]++
			all[unparks[u].stack]++
		}
	}
	homes := map[format.StackID]format.ObjectID{}
	for a, n := range count {
		if n >= homeFewest && (all[a.stack]-n)*homeStrays <= all[a.stack] {
			homes[a.stack] = a.lock
		}
	}
	return homes
}

// triedAgain tells of each park, by end, when its thread parked again for the
// same acquisition: another was quicker. 0 where it did not.
func triedAgain(parks []woken) []int64 {
	const slack = int64(100e3)
	out, next := make([]int64, len(parks)), map[format.ThreadID]*woken{}
	for i := len(parks) - 1; i >= 0; i-- {
		p := &parks[i]
		if n := next[p.thread]; n != nil && n.lock == p.lock && n.stack == p.stack && n.start >= p.end && n.start-p.end <= slack {
			out[i] = n.start
		}
		next[p.thread] = p
	}
	return out
}
