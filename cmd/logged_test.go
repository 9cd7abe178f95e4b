package cmd

import (
	"math"
	"slices"

	"contend/report/document"
)

// logged is what a program logged of one class of locks.
type logged struct {
	Class     string
	Waits     float64
	WaitNs    float64
	HandoffNs float64
	BlockedBy map[string]float64 // ns of waiting by acquisition site or operation: Method or Class.Method
	Sites     []string           // all that take the lock; nil: those of BlockedBy
}

// owned is blame by class and owner-stack.
type owned struct {
	Rows []struct {
		Keys     []string
		Stack    document.Stack
		ThreadNs float64
		RightNs  float64 `json:"expectedRightNs"`
	}
}

// ownerSums are what contend says of a class of locks, in ns of waiting.
type ownerSums struct {
	by                             map[string]float64
	total, unknown, handoff, right float64
}

// answer sums blame by the sites of the log.
func (l *logged) answer(b *owned) ownerSums {
	a := ownerSums{by: map[string]float64{}}
	for _, r := range b.Rows {
		if r.Keys[0] != l.Class {
			continue
		}
		a.total += r.ThreadNs
		a.right += r.RightNs
		switch site := l.site(r.Stack); {
		case r.Keys[1] == "[handoff]":
			a.handoff += r.ThreadNs
		case site != "":
			a.by[site] += r.ThreadNs
		default:
			a.unknown += r.ThreadNs
		}
	}
	return a
}

// site returns the innermost frame that takes the lock by the log, "" for none.
func (l *logged) site(s document.Stack) string {
	for _, f := range s {
		for _, name := range []string{f.Class + "." + f.Method, f.Method} {
			if _, ok := l.BlockedBy[name]; ok || slices.Contains(l.Sites, name) {
				return name
			}
		}
	}
	return ""
}

// compare judges the answer for one class of locks.
func (l *logged) compare(b *owned) accuracy {
	a := l.answer(b)
	got, want := with(a.by, a.handoff, a.unknown), with(l.BlockedBy, l.HandoffNs, 0)
	r := accuracy{locks: 1, named: pairDistance(a.by, l.BlockedBy), all: pairDistance(got, want)}
	r.over = max(0, a.right/max(1, a.total)-(1-r.all))
	if first(a.by) == first(l.BlockedBy) {
		r.first = 1
	}
	return r
}

// with returns a distribution with hand-off and unknown as sites of their own.
func with(by map[string]float64, handoff, unknown float64) map[string]float64 {
	all := map[string]float64{"[handoff]": handoff, "[unknown]": unknown}
	for k, v := range by {
		all[k] = v
	}
	return all
}

// first returns the largest.
func first(by map[string]float64) (name string) {
	for k, v := range by {
		if v > by[name] {
			name = k
		}
	}
	return name
}

// pairDistance is the total variation distance of two distributions, 1 where one
// of them is empty.
func pairDistance(a, b map[string]float64) (d float64) {
	ta, tb := sum(a), sum(b)
	if ta == 0 || tb == 0 {
		return math.Min(1, ta+tb)
	}
	for k, v := range a {
		d += math.Abs(v/ta-b[k]/tb) / 2
	}
	for k, v := range b {
		if _, both := a[k]; !both {
			d += v / tb / 2
		}
	}
	return d
}

func sum(m map[string]float64) (total float64) {
	for _, v := range m {
		total += v
	}
	return total
}
