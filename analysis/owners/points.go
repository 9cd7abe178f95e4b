package owners

import (
	"cmp"
	"maps"
	"slices"

	"contend/format"
	"contend/format/column"
)

// what happens to a lock at an instant. Points of one instant are in this order.
type what uint8

const (
	released what = iota // the thread owned the lock until now
	blocked              // the thread begins to wait
	acquired             // the thread has waited and owns the lock from now on
)

// point is an instant of a lock's history.
type point struct {
	at     int64
	queued int64 // of a release: when the thread that it woke had blocked
	what   what
	mode   format.Mode
	thread format.ThreadID
	stack  format.StackID
}

// points returns what the waits for a lock and its releases show, by time. A thread blocks when
// its wait begins, and again if another thread was quicker after a release had woken it. It
// acquires the lock at the end of the wait if a release woke it last. If no release did, it
// acquires the lock too, because the release may be missing; but not if the wait failed, nor
// if the waits of the input are whole.
func (a *Activities) points(lock format.ObjectID) []point {
	waits, releases := a.byLock[lock], a.releasesOf(lock)
	m := matcher{
		activities: a,
		whole:      a.record.input(lock).whole,
		latest:     map[format.ThreadID]*try{},
		points:     make([]point, 0, len(waits)+2*len(releases)),
	}
	for _, i := range releases {
		r := a.record.releases.Elem(i)
		for ; len(waits) > 0 && a.Begins(waits[0]) <= r.time; waits = waits[1:] {
			m.block(a.Activity(waits[0]))
		}
		m.release(r)
	}
	for _, i := range waits {
		m.block(a.Activity(i))
	}
	for _, t := range slices.Sorted(maps.Keys(m.latest)) {
		m.end(m.latest[t])
	}
	slices.SortStableFunc(m.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what), cmp.Compare(a.thread, b.thread))
	})
	return m.points
}

func (a *Activities) releasesOf(lock format.ObjectID) []column.Ref {
	if int(lock) < len(a.released) {
		return a.released[lock]
	}
	return nil
}

// matcher finds the wait that each release ended, going through both by time.
type matcher struct {
	activities *Activities
	whole      bool // as of the input
	latest     map[format.ThreadID]*try
	points     []point
}

// try is the last wait of a thread for the lock.
type try struct {
	wait  Activity
	since int64 // when it last blocked
	over  bool  // the release that ended it was found
}

func (m *matcher) block(w Activity) {
	m.end(m.latest[w.Thread])
	m.latest[w.Thread] = &try{wait: w, since: w.Start}
	m.points = append(m.points, point{at: w.Start, what: blocked, mode: w.Mode(), thread: w.Thread, stack: w.Stack})
}

// end lets a thread acquire the lock that no release is known to have woken.
func (m *matcher) end(t *try) {
	if t != nil && !t.over && !m.whole && !t.wait.Failed() {
		m.points = append(
			m.points,
			point{at: t.wait.End, what: acquired, mode: t.wait.Mode(), thread: t.wait.Thread, stack: t.wait.Stack},
		)
	}
}

// release adds a release, and what becomes of the thread that it woke.
func (m *matcher) release(r *release) {
	p := point{at: r.time, queued: r.time, what: released, mode: r.mode(), thread: r.thread, stack: r.stack}
	t := m.latest[r.woken()]
	if t != nil && !t.over && r.time <= t.wait.End {
		p.queued = t.since
		m.wake(t, r)
	}
	if p.thread != format.NoThread {
		m.points = append(m.points, p)
	}
}

// wake ends a wait at a release, or lets its thread block again.
func (m *matcher) wake(t *try, r *release) {
	p := point{at: r.again, what: blocked, mode: t.wait.Mode(), thread: t.wait.Thread, stack: t.wait.Stack}
	if r.again == format.NoTime {
		p.at = t.wait.End
		p.what = acquired
		t.over = true
	}
	t.since = r.again
	m.points = append(m.points, p)
}
