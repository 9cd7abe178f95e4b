package cmd

import (
	"errors"
	"io"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/decode"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
	"contend/report/document"

	"pgregory.net/rapid"
)

// waitOf names a recorded wait: no thread begins two at once.
type waitOf struct {
	thread format.ThreadID
	start  int64
}

// ownership is that a thread was charged with waiting for a lock until an instant.
type ownership struct {
	by    format.ThreadID
	until int64
}

// lastOwners is a visitor that keeps the last thread that each recorded wait is charged to, after the
// acquisition before.
type lastOwners struct {
	open map[format.ThreadID]waitOf
	last map[waitOf]ownership
	ends map[format.ObjectID][]int64
	lock map[waitOf]format.ObjectID
}

func (o *lastOwners) Begin(*analysis.Symbols, int64) {}

func (o *lastOwners) Slice(s *analysis.Slice) {
	if s.Sample.Taken {
		return
	}
	for i := range s.Waiters {
		w := &s.Waiters[i]
		if w.First {
			one := waitOf{w.Thread, s.Start}
			o.open[w.Thread], o.lock[one] = one, s.Lock
			if !w.Failed {
				o.ends[s.Lock] = append(o.ends[s.Lock], s.Start+w.WaitNs)
			}
		}
		for j := range s.Shares {
			if by := &s.Shares[j].Direct; by.Kind == analysis.OwnerThread && s.Shares[j].Ns > 0 {
				o.last[o.open[w.Thread]] = ownership{by.Thread, s.End}
			}
		}
	}
}

func newLastOwners() *lastOwners {
	return &lastOwners{
		open: map[format.ThreadID]waitOf{},
		last: map[waitOf]ownership{},
		ends: map[format.ObjectID][]int64{},
		lock: map[waitOf]format.ObjectID{},
	}
}

// endsWith returns who the end of a wait is charged to, NoThread if nobody is known, or the lock was free since
// the acquisition before. Nothing may be added afterwards.
func (o *lastOwners) endsWith(ev *format.Event) format.ThreadID {
	one := waitOf{ev.Thread, ev.Time}
	ends := o.ends[o.lock[one]]
	if !slices.IsSorted(ends) {
		slices.Sort(ends)
	}
	last, named := o.last[one]
	if i, _ := slices.BinarySearch(ends, ev.End); !named || i > 0 && last.until <= ends[i-1] {
		return format.NoThread
	}
	return last.by
}

// checkLastOwners holds that the end of a wait is charged to who held the lock last before it was acquired,
// where that is recorded, whatever is inferred of the time before. One in a hundred may be another's: two
// acquisitions at one instant are in no order.
func checkLastOwners(t golden.Failing, found *lastOwners, events func(yield func(*format.Event))) {
	t.Helper()
	recorded, others, released := 0, 0, false
	events(func(ev *format.Event) {
		released = released || ev.Kind == format.KindRelease
		if ev.Kind != format.KindWait || ev.Owner == format.NoThread || ev.Failed {
			return
		}
		by := found.endsWith(ev)
		if by == format.NoThread {
			return
		}
		if recorded++; by != ev.Owner {
			others++
		}
	})
	if !released { // else it is who woke the thread, and another may have been faster
		golden.AtMost(t, 100*others, recorded, "waits that end with another owner")
	}
}

// lastOwnerIsRecorded: see checkLastOwners.
func lastOwnerIsRecorded() law {
	found := newLastOwners()
	return law{"Previous owners", []analysis.Visitor{found}, func(t *testing.T, p *shared) {
		checkLastOwners(t, found, func(yield func(*format.Event)) { eachEvent(t, p.path, yield) })
	}}
}

// monitorsAsRecorded: all waits for monitors are recorded but those after Object.wait, which are estimates and said
// to be. So whoever subtracts these has what JFR itself counts.
func monitorsAsRecorded() law {
	return law{"Monitors", nil, func(t *testing.T, p *shared) {
		if p.trace.Coverage.Samples > 0 || hasCode(p.trace.Coverage.Warnings, format.CodeUnended) {
			return
		}
		monitors := map[format.ObjectID]bool{}
		var events []format.Event
		eachEvent(t, p.path, func(ev *format.Event) {
			switch ev.Kind {
			case format.KindObject:
				monitors[ev.Object] = ev.LockKind == format.KindMonitor
			case format.KindWait:
				events = append(events, *ev)
			}
		})
		var wait, got document.Waiting
		for i := range events {
			if monitors[events[i].Object] {
				wait.Waits++
				wait.WaitNs += events[i].End - events[i].Time
			}
		}
		reacquired := int64(0)
		for _, l := range p.want.Locks {
			if reacquired += l.Reacquired; l.Kind == format.KindMonitor.String() {
				got.Waits += l.Waits - l.Reacquired
				got.WaitNs += l.WaitNs - l.ReacquiredNs
			}
			golden.AtMost(t, l.ReacquiredLowNs, l.ReacquiredNs, l.Lock)
			golden.AtLeast(t, l.ReacquiredHighNs, l.ReacquiredNs, l.Lock)
		}
		golden.Equal(t, got, wait, "waits for monitors")
		golden.Equal(t, reacquired, p.want.Total.Reacquired, "of all locks")
	}}
}

func hasCode(list []format.Warning, code string) bool {
	return slices.ContainsFunc(list, func(w format.Warning) bool { return w.Code == code })
}

// The same on random programs, of which waits are recorded with previous owners, and holds are not.
func TestLastOwnersOfRandomPrograms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var exact format.List
		golden.Must(simulate.Run(golden.RandomProgram(t), &exact, nil))(t)
		exact.Events = slices.DeleteFunc(exact.Events, func(ev format.Event) bool {
			return ev.Kind == format.KindTenure || ev.Kind == format.KindEnd
		})
		found := newLastOwners()
		all := analysis.Filter{From: format.NoTime, To: format.NoTime}
		golden.Must(pass.Run(&format.List{Events: exact.Events}, all, found))(t)
		checkLastOwners(t, found, func(yield func(*format.Event)) {
			for i := range exact.Events {
				yield(&exact.Events[i])
			}
		})
	})
}

// eachEvent reads the events of a recording.
func eachEvent(t *testing.T, path string, f func(ev *format.Event)) {
	t.Helper()
	src := golden.Must(decode.Open([]string{path}, nil, decode.Options{}))(t)
	defer src.Close()
	var ev format.Event
	for {
		err := src.Read(&ev)
		if errors.Is(err, io.EOF) {
			return
		}
		golden.OK(t, err)
		f(&ev)
	}
}
