package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/format"
	"contend/golden"
)

// operation is what threads do with a lock: so long, and so often.
type operation struct {
	ms, share float64
	asleep    bool // no sample shows it
}

// queued is a program in which threads take a lock in the order in which they
// came, as a recorder shows it that leaves out waits shorter than 10 ms and samples
// running threads every 10 ms. The last thread does the last operation only.
type queued struct {
	ops     []operation
	threads int
	think   float64 // ms between operations
	rebuild float64 // ms between the last thread's; 0 for none of its own
}

// one is an operation of a thread.
type one struct {
	thread, op     int
	from, got, end int64
}

// run returns the events of some seconds and what each operation had of the
// waiting that was recorded.
func (p *queued) run(seconds int64) (events []format.Event, want []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	about := func(ms float64) int64 { return int64(ms * 1e6 * math.Exp(0.2*r.NormFloat64())) }
	next := make([]int64, p.threads)
	for i := range next {
		next[i] = int64(p.think * 1e6 * r.ExpFloat64())
	}
	var all []one
	free, last := int64(0), 0
	for {
		t := 0
		for i := range next {
			if next[i] < next[t] {
				t = i
			}
		}
		if next[t] > seconds*1e9 {
			break
		}
		op, think := p.pick(r), p.think
		if p.rebuild > 0 && t == p.threads-1 {
			op, think = len(p.ops)-1, p.rebuild
		}
		o := one{thread: t, op: op, from: next[t]}
		o.got = max(o.from, free+20e3)
		o.end = o.got + about(p.ops[op].ms)
		if o.got-o.from >= 10*ms {
			ev := after(t+1, 1, o.from, o.got, last+1)
			ev.Stack = format.StackID(op + 1)
			events = append(events, ev)
		}
		free, last = o.end, t
		next[t] = o.end + int64(think*1e6*r.ExpFloat64())
		all = append(all, o)
	}
	return append(events, p.samples(all, seconds)...), p.truth(all)
}

func (p *queued) pick(r *rand.Rand) int {
	x := r.Float64()
	for op, o := range p.ops {
		if x -= o.share; x < 0 {
			return op
		}
	}
	return 0
}

// samples shows who runs, inside the lock and, one thread in two, outside.
func (p *queued) samples(all []one, seconds int64) (events []format.Event) {
	busy := make([][]one, p.threads)
	for _, o := range all {
		busy[o.thread] = append(busy[o.thread], o)
	}
	for at := 10 * ms; at < seconds*1e9; at += 10*ms + 37e3 {
		for t, list := range busy {
			i, _ := slices.BinarySearchFunc(list, at, func(o one, t int64) int { return int(o.end - t) })
			switch {
			case i < len(list) && list[i].from <= at && (at < list[i].got || p.ops[list[i].op].asleep):
			case i < len(list) && list[i].got <= at:
				events = append(events, runs(t+1, 100+list[i].op+1, at))
			case (at/ms+int64(t))%4 == 0:
				events = append(events, runs(t+1, 200, at))
			}
		}
	}
	return events
}

// truth charges each recorded wait to those who had the lock meanwhile.
func (p *queued) truth(all []one) []float64 {
	by := make([]float64, len(p.ops))
	for i, w := range all {
		for k := i - 1; w.got-w.from >= 10*ms && k >= 0 && all[k].end > w.from; k-- {
			by[all[k].op] += float64(all[k].end - max(all[k].got, w.from))
		}
	}
	return by
}

// distance is the total variation between what operations are charged and what
// they had.
func (p *queued) distance(t *testing.T) float64 {
	t.Helper()
	events := []format.Event{kind(1, format.KindMonitor), stack(200, "think", "loop")}
	for op := range p.ops {
		method := string(rune('a' + op))
		events = append(events, stack(op+1, method, "loop"), stack(100+op+1, "work", method, "loop"))
	}
	more, want := p.run(20)
	s := &byStack{by: map[format.StackID]int64{}}
	golden.Must(Run(&format.List{Events: append(events, more...)}, open, s))(t)
	got, sum, total := make([]float64, len(p.ops)), 0.0, 0.0
	for op := range p.ops {
		got[op] = float64(s.by[format.StackID(op+1)] + s.by[format.StackID(100+op+1)])
		sum += got[op]
		total += want[op]
	}
	if outside := s.by[200]; outside > s.total/100 {
		t.Errorf("what is done outside is charged %d of %d", outside, s.total)
	}
	off := 0.0
	for op := range got {
		off += math.Abs(got[op]/sum-want[op]/total) / 2
	}
	return off
}

// A recorder that leaves short waits out hides most acquisitions. What remains
// tells who had the lock: long stretches of several sections, and samples.
func TestLongWaitsAloneTellWhoHadTheLock(t *testing.T) {
	for name, c := range map[string]struct {
		p    queued
		most float64
	}{
		"sections that sleep": {
			queued{ops: []operation{{0.06, 0.95, false}, {4.5, 0.05, true}}, threads: 8, think: 3},
			0.2,
		},
		"sections that run": {
			queued{ops: []operation{{0.03, 0.7, false}, {0.4, 0.2, false}, {2.5, 0.1, false}}, threads: 12, think: 5},
			0.1,
		},
		"a section that runs, one that sleeps": {
			queued{ops: []operation{{0.05, 0.8, false}, {3, 0.1, false}, {6, 0.1, true}}, threads: 10, think: 8},
			0.35,
		},
	} {
		t.Run(name, func(t *testing.T) {
			golden.AtMost(t, c.p.distance(t), c.most, "off by")
		})
	}
}

// Of more call sites than the model tells apart samples divide nothing.
func TestSamplesOfVeryManyCallSites(t *testing.T) {
	golden.SkipIfShort(t)
	events := []format.Event{kind(1, format.KindMonitor)}
	const sites = 300
	for i := range sites {
		method := fmt.Sprint("m", i)
		events = append(events, stack(i+1, method, "loop"), stack(1000+i, "work", method, "loop"))
	}
	for i := range int64(3 * sites) {
		at, st := i*13*ms, int(i%sites)
		for w := range int64(3) {
			ev := after(int(1+(i+w)%5), 1, at+w*1000, at+12*ms+w*100e3, int(1+(i+w+4)%5))
			ev.Stack = format.StackID(st + 1)
			events = append(events, ev)
		}
		events = append(events, runs(int(1+(i+4)%5), 1000+st, at+6*ms))
	}
	s := &byStack{by: map[format.StackID]int64{}}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil || s.total == 0 {
		t.Error(err, s.total)
	}
}
