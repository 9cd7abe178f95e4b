package owners

import (
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// looped is a lock two threads wait for nearly all the time while a third one is sampled every
// 20 ms, in its section but for each fifth sample, until it sleeps: at an eighth of the time,
// if it does.
func looped(sleeps bool) *builder {
	frame := func(m string) []format.Frame {
		return []format.Frame{{Class: "C", Method: m}, {Class: "C", Method: "loop"}}
	}
	sym := stacked{stacks: [][]format.Frame{nil, frame("section"), frame("other")}}
	r, s := NewRecord(), &section{lock: 1, busy: []span{{0, 999e6}, {1001e6, 2000e6}}, acquired: []acquisition{{thread: 3}}}
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	for i := range int64(100) {
		at, stack := 20e6*i, format.StackID(1)
		if i%5 == 4 {
			stack = 2
		}
		if !sleeps || at < 250e6 {
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 3, Stack: stack, Time: at + 1, End: at + 1})
		}
		add(format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 4, Stack: 2, Time: at + 10e6, End: at + 10e6}) // does not use it
	}
	if sleeps {
		add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 3, Stack: 2, Time: 250e6, End: 2000e6})
	}
	add(format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 3, Stack: 2, Time: 2001e6, End: 2001e6})
	for t := range format.ThreadID(2) {
		add(format.Event{Kind: format.KindWait, Thread: t + 1, Object: 1, Stack: 1, Time: 0, End: 2000e6})
	}
	ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
	w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
	w.add(w.family.of(1), 80, 1)
	w.at(1).alone = true
	return &builder{ev: ev, s: s, kin: &kin{input: ev.inputOfThread(1), witnesses: w, locks: 1}}
}

// Rounds of samples that show a lock's users show its sections or not, and instants whether one
// of its users might have it.
func TestHowLongALockIsHeldAtLeast(t *testing.T) {
	o := looped(false).occupied()
	if o.rounds != 99 || o.held != 79 { // the one between the waits tells nothing
		t.Errorf("of %v rounds %v show somebody", o.rounds, o.held)
	}
	if o.asked < 100 || o.asked > 160 || o.ready != o.asked {
		t.Errorf("at %v of %v instants a user is ready", o.ready, o.asked)
	}
	if o = looped(true).occupied(); o.ready < 0.1*o.asked || o.ready > 0.15*o.asked {
		t.Errorf("asleep but for an eighth, one is ready at %v of %v instants", o.ready, o.asked)
	}
	b := looped(false)
	if b.kin.witnesses.at(1).alone = false; b.occupied().held != 0 || b.occupied().perhaps != 79 {
		t.Errorf("of a method that is not known to be in its section: %+v", b.occupied())
	}
	for what, change := range map[string]func(*builder){
		"a fair lock":          func(b *builder) { b.kin.fair = true },
		"one of several locks": func(b *builder) { b.kin.locks = 2 },
		"one readers have":     func(b *builder) { b.s.shared = true },
	} {
		b := looped(false)
		if change(b); b.occupied() != (occupied{}) {
			t.Errorf("samples tell how long %s is held", what)
		}
	}
}

// What is free by the model stays so but for what rounds show at least: few of them little, and
// only of the time in which a user is ready.
func TestHowMuchStaysFree(t *testing.T) {
	for _, c := range []struct {
		o    occupied
		free float64
		want float64 // free after all
	}{
		{occupied{rounds: 95, held: 95, asked: 128, ready: 128}, 0.8, 0.04},
		{occupied{rounds: 95, held: 0, asked: 128, ready: 128}, 0.8, 0.8},
		{occupied{rounds: 5, held: 5, asked: 128, ready: 128}, 0.8, 0.4},
		{occupied{rounds: 4, held: 4, asked: 0, ready: 0}, 0.8, 0.8},
		{occupied{rounds: 95, held: 95, asked: 128, ready: 64}, 0.8, 0.52},
		{occupied{rounds: 95, held: 40, asked: 128, ready: 128}, 0.3, 0.3},
		{occupied{rounds: 95, held: 95, asked: 128, ready: 128}, 0, 0},
	} {
		if got := c.free * c.o.spare(c.free, c.o.held); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%+v: of %v free %.2f stays so, want %.2f", c.o, c.free, got, c.want)
		}
	}
}

// A claim to free time that samples contradict is believed less, also where these do not show
// whether a thread was inside.
func TestContradictedFreeTimeIsBelievedLess(t *testing.T) {
	k := &kin{model: &renewal.Model{}, untrue: 0.8}
	p := &k.pools[restWhole]
	p.add(format.NoStack, 900, 1, 1, 1)
	p.add(1, 100, 1, 1, 1)
	before := p.settled().right
	if k.doubt(); p.settled().right > 0.85*before || p.settled().right < 0.5*before {
		t.Errorf("%v expected to be right, %v before", p.settled().right, before)
	}
}

// How much is free of a lock is asked of some thousands of its gaps.
func TestHowManyGapsTellHowMuchIsFree(t *testing.T) {
	one, n := 1+100*fewTallied/fewTallied, 0
	for at := range 100 * fewTallied {
		if isTallied(at, one) {
			n++
		}
	}
	if n < 2000 || n > 8200 {
		t.Errorf("%d", n)
	}
}

// Of what is charged, what nobody has is told from the rest.
func TestWhatIsTalliedIsDivided(t *testing.T) {
	b := &builder{s: &section{busy: []span{{0, 100}}}, kin: &kin{}, tallied: []int64{0}}
	b.add(0, 30, Holder{Kind: Handoff})
	b.add(30, 50, Holder{Kind: Thread})
	if at := b.spread(50, []int64{25}, 1); at != 75 || b.owns != (divided{30, 75}) || b.tallied[0] != 25 || len(b.out) > 0 {
		t.Errorf("%+v until %d, %v, %v", b.owns, at, b.tallied, b.out)
	}
}
