package owners

import (
	"cmp"
	"maps"
	"slices"

	"contend/format"
)

// A wait is recorded when it ends, if the recorder was there when it began. So a thread that
// hangs during all of a recording has no recorded wait: only samples show it. It is known to
// have waited from the first sample that shows it to the last: had it acquired the lock in
// between and waited again, one of the two waits would be recorded.

// minUnended is the shortest time between these two samples, in ns: shorter waits are cut at
// the ends of every recording.
const minUnended = int64(1e9)

// linkSlack is how long before the time of a dump the threads may have been as it shows them,
// in ns: it is taken at a safepoint and written afterwards.
const linkSlack = int64(20e6)

// Unended returns the waits of the current input that samples show at its beginning or end and
// that are not recorded. They count as failed. Alike reports whether two locks are of one class.
func (r *Record) Unended(alike func(a, b format.ObjectID) bool) (waits []format.Event) {
	u := &unended{dumps: r.dumps[r.inputs[len(r.inputs)-1].before.dumps:], seen: map[format.ThreadID]*seen{}}
	if !u.suspect() {
		return nil
	}
	u.bound(r)
	u.look()
	locks := map[format.ObjectID]format.ObjectID{}
	for _, t := range slices.Sorted(maps.Keys(u.seen)) {
		for _, s := range u.runs(u.seen[t]) {
			locks[s.lock] = s.lock
			waits = append(
				waits,
				format.Event{
					Kind:   format.KindWait,
					Thread: t,
					Object: s.lock,
					Stack:  s.by.Stack,
					Mode:   s.by.Mode,
					Time:   s.first,
					End:    s.last,
					Failed: true,
				},
			)
		}
	}
	if len(waits) > 0 {
		u.mark(waits)
		u.translate(r, locks, alike)
	}
	for i := range waits {
		waits[i].Object = locks[waits[i].Object]
	}
	return waits
}

// unended searches the dumps of an input for such waits.
type unended struct {
	dumps       []dump
	first, last int64 // of all samples
	seen        map[format.ThreadID]*seen
}

// seen is a thread that waits in one of the first or last samples.
type seen struct {
	from, to    int64    // the earliest beginning and the latest end of its recorded activities
	early, late sameLock // samples before from, and after to
}

// sameLock is a run of samples in which a thread waits for one lock.
type sameLock struct {
	lock        format.ObjectID // NoObject for an empty run
	by          format.Party
	first, last int64
}

func (s *sameLock) begin(d *dump, w format.Party) { *s = sameLock{d.lock, w, d.time, d.time} }

// extend adds a sample. It may have the stack where those before have none.
func (s *sameLock) extend(d *dump, w format.Party) {
	if s.last = d.time; s.by.Stack == format.NoStack {
		s.by.Stack = w.Stack
	}
}

// suspect finds the threads that wait in one of the first or last samples. It reports whether
// there are any.
func (u *unended) suspect() bool {
	if len(u.dumps) == 0 {
		return false
	}
	u.first, u.last = int64(maxTime), minTime
	for i := range u.dumps {
		u.first, u.last = min(u.first, u.dumps[i].time), max(u.last, u.dumps[i].time)
	}
	if u.last-u.first < minUnended {
		return false
	}
	for i := range u.dumps {
		if d := &u.dumps[i]; d.lock != format.NoObject && (u.begins(d.time) || u.ends(d.time)) {
			for _, w := range d.waiters {
				u.seen[w.Thread] = &seen{from: maxTime, to: minTime}
			}
		}
	}
	delete(u.seen, format.NoThread)
	return len(u.seen) > 0
}

// begins and ends report whether an instant is among the first or the last ones. A sample may
// look at a part of the threads; within minUnended each has been in one.
func (u *unended) begins(at int64) bool { return at <= u.first+minUnended }
func (u *unended) ends(at int64) bool   { return at >= u.last-minUnended }

// bound sets from and to of the suspects.
func (u *unended) bound(r *Record) {
	for t, s := range u.seen {
		if int(t) < len(r.reach) && r.reach[t].input == uint32(len(r.inputs)-1) {
			s.from, s.to = r.reach[t].from, r.reach[t].to
		}
	}
}

// look collects the samples before from and after to.
func (u *unended) look() {
	slices.SortStableFunc(u.dumps, func(a, b dump) int { return cmp.Compare(a.time, b.time) })
	for i := range u.dumps {
		d := &u.dumps[i]
		if d.lock == format.NoObject {
			continue
		}
		for _, w := range d.waiters {
			s := u.seen[w.Thread]
			if s == nil {
				continue
			}
			if d.time < s.from {
				if s.early.lock == format.NoObject {
					s.early.begin(d, w)
				} else if s.early.lock == d.lock {
					s.early.extend(d, w)
				}
			}
			if d.time > s.to+linkSlack || s.to == minTime {
				if s.late.lock != d.lock {
					s.late.begin(d, w)
				}
				s.late.extend(d, w)
			}
		}
	}
}

func (u *unended) runs(s *seen) (out []sameLock) {
	late := s.late.lock != format.NoObject && u.ends(s.late.last)
	if s.early.lock != format.NoObject && u.begins(s.early.first) &&
		(s.to != minTime || !late || s.early.last < s.late.first) {
		out = append(out, s.early)
	}
	if late {
		out = append(out, s.late)
	}
	return slices.DeleteFunc(out, func(s sameLock) bool { return s.last-s.first < minUnended })
}

func (u *unended) mark(waits []format.Event) {
	of := map[format.ThreadID][]format.Event{}
	for _, w := range waits {
		of[w.Thread] = append(of[w.Thread], w)
	}
	for i := range u.dumps {
		d := &u.dumps[i]
		d.unended = slices.ContainsFunc(d.waiters, func(p format.Party) bool {
			return slices.ContainsFunc(of[p.Thread], func(w format.Event) bool {
				return w.Object == d.lock && w.Time <= d.time && d.time <= w.End
			})
		})
	}
}

// translate finds the ids under which waits name the locks of dumps: the one that most of their
// waiters have recorded waits for at that time.
func (u *unended) translate(
	r *Record,
	locks map[format.ObjectID]format.ObjectID,
	alike func(a, b format.ObjectID) bool,
) {
	type sighting struct {
		thread format.ThreadID
		lock   format.ObjectID
	}
	at := map[format.ThreadID][]format.ObjectID{}
	times := map[sighting][]int64{}
	for i := range u.dumps {
		d := &u.dumps[i]
		if _, asked := locks[d.lock]; !asked {
			continue
		}
		for _, w := range d.waiters {
			key := sighting{w.Thread, d.lock}
			if times[key] == nil {
				at[w.Thread] = append(at[w.Thread], d.lock)
			}
			times[key] = append(times[key], d.time)
		}
	}
	votes := map[format.ObjectID]map[format.ObjectID]int{}
	r.EachWaitOfInput(func(w *Activity) {
		for _, lock := range at[w.Thread] {
			list := times[sighting{w.Thread, lock}]
			if i, _ := slices.BinarySearch(list, w.Start); i == len(list) || list[i] >= w.End || !alike(lock, w.Lock) {
				continue
			}
			if votes[lock] == nil {
				votes[lock] = map[format.ObjectID]int{}
			}
			votes[lock][w.Lock]++
		}
	})
	for lock, by := range votes {
		best := 0
		for _, as := range slices.Sorted(maps.Keys(by)) {
			if by[as] > best {
				best, locks[lock] = by[as], as
			}
		}
	}
}
