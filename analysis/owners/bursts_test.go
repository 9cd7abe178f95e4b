package owners

import (
	"maps"
	"math/rand/v2"
	"testing"

	"contend/format"
)

// oneByOne is what rounds tells, by looking at every sample.
func oneByOne(ev *evidence, k *kin) *rounds {
	r := &rounds{together: map[*witness]int{}}
	var round []Other
	for _, i := range ev.runs {
		o := ev.Other(i)
		p := k.witnesses.at(o.Stack)
		if p == nil || ev.inputOfThread(o.Thread()) != k.input {
			continue
		}
		if len(round) == 0 || o.Start-round[0].Start > sameRound {
			round = round[:0]
			r.n++
		}
		if p.site >= 0 {
			r.inside++
		}
		for _, s := range round {
			if s.Thread() != o.Thread() {
				r.meet(p, k.witnesses.at(s.Stack), 1)
			}
		}
		round = append(round, o)
	}
	return r
}

// Short bursts of samples, long ones, which are several rounds, and such of many
// samples tell each kind of locks the same as if it looked at all of them.
func TestBurstsTellWhatTheirSamplesDo(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	const stacks = 12
	frames := [][]format.Frame{nil}
	for i := range stacks {
		frames = append(frames, []format.Frame{{Class: "C", Method: string(rune('a' + i))}, {Class: "C", Method: "loop"}})
	}
	sym := stacked{stacks: frames}
	r, at := NewRecord(), int64(0)
	for range 400 {
		n, step := 1+draw.IntN(6), int64(1e5)
		switch draw.IntN(10) {
		case 0:
			n, step = 20, 3e5 // longer than a round
		case 1:
			n, step = mostPaired+10, 1e3
		}
		at += 2e6
		for range n {
			at += draw.Int64N(step)
			r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: at, Thread: format.ThreadID(1 + draw.IntN(5)), Stack: format.StackID(1 + draw.IntN(stacks))}, at)
		}
	}
	ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
	for _, known := range [][]format.StackID{{1, 2}, {1, 2, 3, 4, 5, 6, 7}, {5}} {
		w := &witnesses{family: newFamily(sym, known[:1], anySite), parts: map[uint64]*witness{}}
		for _, st := range known {
			w.add(w.family.of(st), 40, st)
		}
		k := &kin{input: ev.inputOfThread(1), witnesses: w}
		got, want := ev.rounds(k), oneByOne(ev, k)
		if got.n != want.n || got.inside != want.inside || !maps.Equal(got.together, want.together) || want.n == 0 || want.inside == 0 {
			t.Errorf("of %v: %+v, want %+v", known, got, want)
		}
	}
	if b := ev.sampledTogether()[ev.inputOfThread(1)]; len(b.loose) == 0 || len(b.pairs) == 0 {
		t.Errorf("%d bursts one by one, %d pairs", len(b.loose), len(b.pairs))
	}
}
