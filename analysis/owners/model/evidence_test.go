package model

import (
	"slices"
	"testing"

	"contend/format"
)

// Each piece of evidence changes what it is evidence of, in one gap: thread 2 acquires the lock at
// slow, thread 3 waits for it for 10 ms, and thread 1 acquires it at fast at other times.
func TestEvidence(t *testing.T) {
	const ms, from, to = int64(1e6), int64(100e6), int64(110e6)
	p := &simulated{}
	fast, slow := p.stack("fast", "run"), p.stack("slow", "run")
	inFast, inSlow, out := p.stack(
		"sleep",
		"fast",
		"run",
	), p.stack(
		"sleep",
		"slow",
		"run",
	), p.stack(
		"sleep",
		"out",
		"run",
	)
	for i := range int64(10) { // the users of each site
		for j, s := range []format.StackID{fast, slow, fast} {
			at := (i*3+int64(j))*2*ms + 1
			p.waits = append(p.waits, Wait{Start: at, End: at + ms, Thread: format.ThreadID(j + 1), Stack: s})
		}
	}
	p.waits = append(
		p.waits,
		Wait{Start: from - ms, End: from, Thread: 2, Stack: slow},
		Wait{Start: from - ms/2, End: to, Thread: 3, Stack: fast},
	)
	const first, second, none = 0, 1, 2 // sites: fast, slow, one without a stack
	weigh := func(wait Wait, by format.ThreadID, d Observation, dumps []Dump) (e evidence) {
		q := &simulated{stacks: p.stacks, waits: slices.Clone(p.waits)}
		if wait.Thread != 0 {
			q.waits = append(q.waits, wait)
		}
		if by != 0 {
			q.does(by, d)
		}
		l := &Lock{ID: theLock, Dumps: append([]Dump{{Time: ms / 2, Owner: 5}}, dumps...)}
		gr := newGroup(q, true, []*Lock{l})
		gr.addSilentSites(false)
		w := gr.worker()
		w.gaps(l, func(g *gap) bool { return g.from == from }, func(g *gap) {
			w.weigh(g)
			e = w.evidence
		})
		return e
	}
	without := weigh(Wait{}, 0, Observation{}, nil)
	const middle, last = 3, cells - 1
	for _, c := range []struct {
		name  string
		wait  Wait
		by    format.ThreadID
		does  Observation
		dumps []Dump
		shows func(e *evidence) bool
	}{
		{"a user waits", Wait{Start: from + ms, End: to + ms, Thread: 1, Stack: fast}, 0, Observation{}, nil,
			func(e *evidence) bool { return e.can[first][last] < without.can[first][last]/2 }},
		{"the acquirer waits again", Wait{Start: from + 5*ms, End: to + ms, Thread: 2, Stack: slow}, 0,
			Observation{}, nil,
			func(e *evidence) bool { return e.own[0] == 1 && e.own[last] == unlikely }},
		{"a user is elsewhere", Wait{}, 1, Observation{Start: from + ms, End: to - ms, Stack: out, What: Away}, nil,
			func(e *evidence) bool { return e.can[first][middle] < without.can[first][middle]/2 }},
		{"a user is elsewhere all the time", Wait{}, 1,
			Observation{Start: from - ms, End: to + ms, Stack: out, What: Away}, nil,
			func(e *evidence) bool { return e.can[first][0] < without.can[first][0]/2 }},
		{"the last user goes elsewhere", Wait{}, 1,
			Observation{Start: from + 5*ms, End: to - ms, Stack: out, What: Away}, nil,
			func(e *evidence) bool { return e.held[first][middle] < without.held[first][middle]/2 }},
		{"the acquirer is elsewhere", Wait{}, 2,
			Observation{Start: from + 5*ms, End: to - ms, Stack: out, What: Away}, nil,
			func(e *evidence) bool { return e.own[0] == 1 && e.own[middle] == unlikely }},
		{"the acquirer sleeps on the path of its site", Wait{}, 2,
			Observation{Start: from + ms, End: to - ms, Stack: inSlow, What: Away}, nil,
			func(e *evidence) bool { return e.own[middle] > 2 && e.held[second][middle] > 2 }},
		{"the acquirer waits for another lock there", Wait{}, 2,
			Observation{Start: from + ms, End: to - ms, Stack: inSlow, Lock: theLock + 1, What: Waits}, nil,
			func(e *evidence) bool { return e.own[middle] > 2 && e.held[second][middle] == 1 }},
		{"a user waits for another lock on a path", Wait{}, 1,
			Observation{Start: from + ms, End: to - ms, Stack: inFast, Lock: theLock + 1, What: Waits}, nil,
			func(e *evidence) bool { return e.held[first][middle] == 1 }},
		{"a user sleeps on a path", Wait{}, 1,
			Observation{Start: from + ms, End: to - ms, Stack: inFast, What: Away}, nil,
			func(e *evidence) bool { return e.held[first][middle] > 2 && e.by[first] >= 0 }},
		{"a user that slept there before another thread acquired the lock", Wait{}, 1,
			Observation{Start: from - ms, End: to - ms, Stack: inFast, What: Away}, nil,
			func(e *evidence) bool { return e.held[first][middle] <= 1 && e.by[first] == noUser }},
		{"a user is sampled on a path", Wait{}, 1,
			Observation{Start: from + 6*ms, End: from + 6*ms, Stack: inFast, What: Sample}, nil,
			func(e *evidence) bool { return e.held[first][middle] > 100 && e.by[first] >= 0 }},
		{"a user is recorded to hold the lock", Wait{}, 1,
			Observation{Start: from + ms, End: to - ms, Stack: fast, Lock: theLock, What: Holds}, nil,
			func(e *evidence) bool { return e.held[first][middle] > 1000 && e.free[middle] < 0.1 }},
		{"a dump shows the owner", Wait{}, 0, Observation{}, []Dump{{Time: from + 6*ms, Owner: 1, Stack: inFast}},
			func(e *evidence) bool { return e.held[first][middle] > 1000 && e.free[middle] < 0.1 }},
		{"a dump shows an owner without a stack", Wait{}, 0, Observation{}, []Dump{{Time: from + 6*ms, Owner: 5}},
			func(e *evidence) bool { return e.held[none][middle] > 1000 && e.free[middle] < 0.1 }},
		{"a dump shows no owner", Wait{}, 0, Observation{}, []Dump{{Time: from + 6*ms}},
			func(e *evidence) bool { return e.free[middle] > 10 }},
	} {
		if e := weigh(c.wait, c.by, c.does, c.dumps); !c.shows(&e) {
			t.Errorf("%s:\n%+v\nwithout it:\n%+v", c.name, e, without)
		}
	}
}
