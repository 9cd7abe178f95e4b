package gotrace

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"
	"contend/format/column"
	"contend/format/human"

	"golang.org/x/exp/trace"
)

// finish ends open intervals with the trace, and names the locks.
func (r *Reader) finish() {
	r.interrupt()
	if r.events > 0 {
		r.Push(format.Event{Kind: format.KindRecording, Time: r.wall(r.first), End: r.wall(r.last)})
	}
	if r.clock == 0 && r.events > 0 {
		r.Said.Warn(format.CodeEpoch, fmt.Sprintf(
			"traces of Go 1.%d lack the time of day: times count from the start of the machine", r.version))
	}
	count := r.announceLocks()
	if count == 0 {
		return
	}
	r.Push(format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking})
	r.Said.Warn(format.CodeIdentity, human.Say(
		"Go traces name no locks: the %v locks here are distinguished by call sites; sites that wake each other are "+
			"one lock",
		count,
	))
	if r.late > 0 {
		r.Said.Warn(format.CodeScheduling, human.Say(
			"%v of the waiting for locks passed between a goroutine's wake-up and its running", time.Duration(r.late)))
	}
}

// interrupt ends open intervals at the last event, ordered by thread so that the result is
// deterministic.
func (r *Reader) interrupt() {
	var open []*goroutine
	for _, g := range r.goroutines {
		if g.state == trace.GoWaiting || g.woken != 0 {
			open = append(open, g)
		}
	}
	slices.SortFunc(open, func(a, b *goroutine) int { return cmp.Compare(a.thread, b.thread) })
	for _, g := range open {
		if g.verdict == rules.Lock {
			r.keep(g, r.last)
		} else {
			r.idle(g, r.last)
		}
	}
}

// announceLocks gives each lock an id, in the order of first use, and returns their number.
// Sites that use several locks give as many locks as were contended at once.
func (r *Reader) announceLocks() (count format.ObjectID) {
	r.sites.joinHalves()
	for root, waits := range r.byLock() {
		for _, lock := range r.separate(waits, 0) {
			count++
			r.Push(format.Event{
				Kind:     format.KindObject,
				Object:   count,
				Class:    r.sites.keys.List[root].class,
				LockKind: lock.waits[0].kind,
				Name:     r.lockName(root, &lock),
			})
			for _, w := range lock.waits {
				w.lock = count
			}
		}
	}
	return count
}

// lockName names a lock by the functions that acquire it, or by those of its callers that tell it from
// others.
func (r *Reader) lockName(root site, lock *lockWaits) string {
	name := r.sites.name(root)
	if lock.callers > 0 {
		var fns []string
		for _, w := range lock.waits {
			_, program := gonames.OfLock(r.stacks.framesOf(w.stack))
			if len(program) == 0 {
				continue
			}
			if fn := gonames.Name(program[min(lock.callers, len(program)-1)]); !slices.Contains(fns, fn) {
				fns = append(fns, fn)
			}
		}
		name = nameOf(r.sites.keys.List[root].class, fns)
	}
	if lock.number > 0 {
		name = fmt.Sprintf("%s (%d of several)", name, lock.number)
	}
	return name
}

// byLock yields the waits of each lock with its representative site, in the
// order of first use.
func (r *Reader) byLock() iter.Seq2[site, []*wait] {
	var order []site
	by := map[site][]*wait{}
	r.waits.Each(func(_ column.Ref, w *wait) {
		root := r.sites.find(w.site)
		if by[root] == nil {
			order = append(order, root)
		}
		by[root] = append(by[root], w)
	})
	return func(yield func(site, []*wait) bool) {
		for _, root := range order {
			if !yield(root, by[root]) {
				return
			}
		}
	}
}

// close delivers the releases and then the waits, one at a time; false when all are
// delivered. The last try of an acquisition stands for all of its tries.
func (r *Reader) close(ev *format.Event) bool {
	for n := r.waits.Len(); r.closed < 2*n; {
		w, release := r.waits.Elem(column.Ref(r.closed%n)), r.closed < n
		r.closed++
		switch {
		case release && w.woken != 0:
			r.release(w, ev)
			return true
		case !release && w.again == 0:
			ev.Reset()
			ev.Kind = format.KindWait
			ev.Thread = w.thread
			ev.Owner = w.waker
			ev.Mode = w.mode
			ev.Object, ev.Stack = w.lock, w.stack
			ev.Time, ev.End = r.wall(w.asked), r.wall(w.end)
			return true
		}
	}
	r.waits.Clear()
	return false
}

// release fills ev with the release that woke a waiter. Its thread is known only if the
// waker's stack shows that it released the lock.
func (r *Reader) release(w *wait, ev *format.Event) {
	ev.Reset()
	ev.Kind = format.KindRelease
	ev.Thread = w.waker
	ev.Object = w.lock
	ev.Stack = w.unlock
	ev.Woken = w.thread
	if by := r.stacks.use(w.unlock); by.Shared() {
		ev.Mode = format.Shared
	}
	if ev.Time = r.wall(w.woken); w.again != 0 {
		ev.Again = w.again - w.woken
	}
}
