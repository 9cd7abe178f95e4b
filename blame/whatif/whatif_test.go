package whatif

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/decode"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// source is what a simulated trace tells of tenures.
type source int

const (
	recorded source = iota
	sampled
	rebuilt
)

// collected runs a program and returns what a collector saw of its exact or of
// its sampled trace, and how often locks were taken.
func collected(t *testing.T, c simulate.Config, from source) (col *Collector, taken, waitNs int64) {
	t.Helper()
	var exact, samples format.List
	truth := golden.Must(simulate.Run(c, &exact, &samples))(t)
	for i := range exact.Events {
		if exact.Events[i].Kind == format.KindTenure {
			taken++
		}
	}
	list := map[source]*format.List{recorded: &exact, sampled: &samples, rebuilt: withoutTenures(&exact)}[from]
	col = New()
	golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, col))(t)
	return col, taken, truth.WaitNs
}

func (r Range) holds(x float64) bool { return x >= r.Low && x <= r.High }

// withoutTenures returns a trace in which owners have to be rebuilt, as those of
// a JDK's recording are: of who held a lock it tells who did last before each
// wait ended.
func withoutTenures(l *format.List) *format.List {
	out, last := &format.List{}, map[format.ObjectID][]format.Event{}
	for _, ev := range l.Events {
		if ev.Kind == format.KindTenure {
			last[ev.Object] = append(last[ev.Object], ev)
		}
	}
	for _, held := range last {
		slices.SortFunc(held, func(a, b format.Event) int { return cmp.Compare(a.End, b.End) })
	}
	for _, ev := range l.Events {
		switch ev.Kind {
		case format.KindTenure:
			continue
		case format.KindWait:
			held := last[ev.Object]
			if i, _ := slices.BinarySearchFunc(held, ev.End+1,
				func(h format.Event, t int64) int { return cmp.Compare(h.End, t) }); i > 0 {
				ev.Owner = held[i-1].Thread
			}
		}
		out.Events = append(out.Events, ev)
	}
	return out
}

// score counts predictions, and what became of them.
type score struct{ all, in, waitIn, narrow int }

// try predicts what it brings to make each section shorter, and holds that
// against the simulator run with the section shorter.
func (s *score) try(t *testing.T, c simulate.Config, from source) {
	col, taken, _ := collected(t, c, from)
	var changes []Change
	for _, one := range col.Sections() {
		for _, by := range []float64{.25, .5, .75} {
			changes = append(changes, Change{Action: Shrink, Section: one.Method, By: by})
		}
	}
	res := golden.Must(col.Predict(changes))(t)
	if from == recorded && (res.Misfit.Waiting > .01 || res.Misfit.Throughput > .01) {
		t.Errorf("%s: the replay of the trace as it is misses it by %+v", c.Scenario, res.Misfit)
	}
	for _, r := range res.Rows {
		short := c
		short.Slow = r.Change.Section[strings.LastIndexByte(r.Change.Section, '.')+1:]
		short.SlowBy = -int64(r.Change.By * 100)
		_, now, waitNs := collected(t, short, recorded)
		truth := float64(now) / float64(taken)
		s.all++
		if r.Throughput.holds(truth) {
			s.in++
		} else {
			t.Logf("%s, seed %d, %s by %v: throughput %.3f, predicted %.3f",
				c.Scenario, c.Seed, r.Change.Section, r.Change.By,
				truth, r.Throughput)
		}
		if r.WaitNs.holds(float64(waitNs)) {
			s.waitIn++
		}
		if r.Throughput.High <= 1.3*r.Throughput.Low {
			s.narrow++
		}
	}
}

// tried are the programs predictions are tried on, and how many of these there
// are at least: all are tried in .ci/run alone, one under -short.
func tried() (names []string, predictions int) {
	if testing.Short() {
		return []string{"shards"}, 1
	}
	if !golden.IsThorough() {
		return []string{"ping-pong", "nested", "shards"}, 20
	}
	all, _ := simulate.Scenarios()
	return slices.DeleteFunc(all, func(name string) bool { return name == "bulk" || name == "deadlock" }), 60
}

// Of all scenarios the truth lies in the range nearly always, and the range is
// narrow mostly: with other seeds, other numbers of threads, and other times to
// hand over, too.
func TestPredictionsAgainstTheSimulator(t *testing.T) {
	var s score
	names, least := tried()
	for i, name := range names {
		s.try(t, simulate.Config{Scenario: name, Duration: 3e9, Handoff: 1000, Seed: 1}, recorded)
		if golden.IsThorough() {
			s.try(t, simulate.Config{Scenario: name, Duration: 3e9, Handoff: 1000, Seed: 2, Threads: 4 + i%5}, recorded)
			s.try(t, simulate.Config{Scenario: name, Duration: 2e9, Handoff: 20e3, Seed: 3, Threads: 12}, recorded)
		}
	}
	t.Logf("%+v", s)
	if s.in*100 < s.all*95 || s.waitIn*100 < s.all*85 || s.narrow*100 < s.all*80 || s.all < least {
		t.Errorf("%+v: want throughput in range in 95 %%, waiting in 85 %%, and ranges narrower than 1.3 in 80 %%", s)
	}
}

// The error of a mean is neither too small nor too large, though the greatest
// difference of neighbours is left out.
func TestTheErrorOfAMeanIsTheRightOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const draws, mean, deviation = 20_000, 1e6, 1e4
	square := 0.0
	for range draws {
		var parts [windows]int64
		for i := range parts {
			parts[i] = int64(mean + deviation*rng.NormFloat64())
		}
		e := standardError(&parts)
		square += e * e
	}
	if got, want := math.Sqrt(square/draws), deviation/mean/math.Sqrt(windows); math.Abs(got/want-1) > 0.02 {
		t.Errorf("the error is %.5f, and should be %.5f", got, want)
	}
}

// fromFile returns what a collector sees of a recording.
func fromFile(t *testing.T, name string) *Collector {
	t.Helper()
	tr := golden.Must(decode.Open([]string{"../../testdata/" + name}, nil, decode.Options{}))(t)
	defer tr.Close()
	col := New()
	golden.Must(pass.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, col))(t)
	return col
}

// Recordings, whose tenures are rebuilt, come out nearly as they were when they are
// run again, and most of them just so, whatever way their locks were handed over. Not so
// derby-8clients.jfr, of which two fifths of the waiting are estimated: it is off by 15 %, and
// a user is told so.
func TestRecordingsRunAgain(t *testing.T) {
	again := []string{
		"truth-8threads.jfr",
		"truth-8threads-dumps50ms.jfr",
		"truth-8threads-jdk25.jfr",
		"go126-truth-12goroutines.trace",
		"lab-convoy-jdk25-d1s.jfr",
		"lab-cpu-jdk25-d1s.jfr",
		"lab-striped-jdk17-profile.jfr",
		"phases.jfr",
		"lab-virtual-exact-jdk25.jfr",
		"lab-sync4-exact-jdk25.jfr",
	}
	switch {
	case testing.Short():
		again = again[:4]
	case golden.IsThorough():
		again = append(
			again,
			"hsqldb-6clients.jfr",
			"lab-rw-jdk25-d1s.jfr",
			"phases-default-settings.jfr",
			"truth-light-8threads.jfr",
			"xalan-8threads.jfr",
		)
	}
	just := 0
	for _, name := range again {
		c := fromFile(t, name)
		m := newReplays(c)
		if !m.misfit.Fits() || m.base[0].stuck {
			t.Errorf("%s: %+v, locked %v", name, m.misfit, m.base[0].stuck)
		}
		if m.misfit.worst() < .005 {
			just++
		}
	}
	golden.AtLeast(t, just*4, len(again)*3, "only", just, len(again), "come out as they were")
}

// The section that blocks most promises most.
func TestTheSectionThatBlocksMostIsFirst(t *testing.T) {
	for _, name := range []string{"truth-8threads.jfr", "truth-8threads-dumps50ms.jfr"} {
		res := golden.Must(fromFile(t, name).Rank(.5, 0))(t)
		if first := res.Rows[0]; res.Deadlocks || !res.Misfit.Fits() || first.Change.Section != "Truth.exportReport" ||
			first.Change.Class != "Truth$InventoryLock" ||
			first.Throughput.Low < .9 {
			t.Errorf("%s: %+v, %+v", name, res.Misfit, first)
		}
	}
}

// Where threads hardly wait no change of a section can bring much, however
// unevenly the waits come.
func TestLittleWaitingPromisesLittle(t *testing.T) {
	res := golden.Must(fromFile(t, "derby-8clients.jfr").Rank(.5, 0))(t)
	for _, r := range res.Rows {
		if !r.Throughput.holds(1) || r.Throughput.High > 1.45*r.Throughput.Low || r.Ceiling > 1.3 {
			t.Errorf("%s: %.2f, at most %.2f", r.Change.Section, r.Throughput, r.Ceiling)
		}
	}
}

// Where the replay does not fit ranges reach to no change.
func TestWhatDoesNotFitIsSaid(t *testing.T) {
	col := fromFile(t, "lab-sync4-exact-jdk25.jfr")
	col.waitNs *= 2 // as if half of the waits had nothing to do with what is known of tenures
	res := golden.Must(col.Rank(.5, 0))(t)
	if res.Misfit.Fits() {
		t.Fatalf("%+v", res.Misfit)
	}
	for _, r := range res.Rows {
		if !r.Throughput.holds(1) {
			t.Errorf("%s: %v", r.Change.Section, r.Throughput)
		}
	}
}

// Where tenures have to be rebuilt the truth lies in the range mostly. It is
// above where a section that nobody waited for shrinks unseen.
func TestRebuiltTenuresAgainstTheSimulator(t *testing.T) {
	var s score
	names, least := tried()
	for _, name := range names {
		s.try(t, simulate.Config{Scenario: name, Duration: 3e9, Handoff: 1000, Seed: 1}, rebuilt)
	}
	if s.in*10 < s.all*6 || s.narrow*100 < s.all*80 || s.all < least {
		t.Errorf("%+v: want throughput in range in 60 %%, and ranges narrower than 1.3 in 80 %%", s)
	}
}

// What is won by the end of a lock, by stripes and by readers agrees with
// programs that were written so.
func TestOtherChanges(t *testing.T) {
	col, taken, _ := collected(t, simulate.Config{Scenario: "ping-pong", Threads: 4, Duration: 2e9, Seed: 1}, recorded)
	class := col.Sections()[0].Class
	for _, test := range []struct {
		change    Change
		low, high float64
	}{
		{Change{Action: RemoveLock, Class: "s.Lock0"}, 3.9, 4.1}, // as tables print it
		{Change{Action: RemoveLock, Class: class}, 3.9, 4.1},
		{Change{Action: Split, Class: class, Stripes: 1}, 0.99, 1.01},
		{Change{Action: Split, Class: class, Stripes: 64}, 3, 4.1},
		{Change{Action: Readers, Section: col.Sections()[0].Method}, 3.9, 4.1},
	} {
		res := golden.Must(col.Predict([]Change{test.change}))(t)
		if got := res.Rows[0].Throughput; got.Low < test.low || got.High > test.high {
			t.Errorf(
				"%s: %.3f of %d, want within %v to %v",
				Actions[test.change.Action],
				got,
				taken,
				test.low,
				test.high,
			)
		}
	}
}

// Of samples only bounds are known, and the truth is within.
func TestSamplesGiveBounds(t *testing.T) {
	c := simulate.Config{Scenario: "nested", Duration: 5e9, Handoff: 1000, Seed: 1}
	col, _, _ := collected(t, c, sampled)
	res := golden.Must(col.Rank(.5, 0))(t)
	_, before, _ := collected(t, c, recorded)
	for _, r := range res.Rows {
		short := c
		short.Slow, short.SlowBy = r.Change.Section[strings.LastIndexByte(r.Change.Section, '.')+1:], -50
		_, after, _ := collected(t, short, recorded)
		if truth := float64(after) / float64(before); res.Replayed || !r.Throughput.holds(truth) && truth > 1 {
			t.Errorf("%s: %.3f is not within %.3f", r.Change.Section, truth, r.Throughput)
		}
	}
	if len(res.Rows) < 2 || res.Rows[0].Throughput.High <= 1 {
		t.Errorf("%+v", res.Rows)
	}
}

// Who waits for ever does so however short sections are; without the lock nobody does.
func TestADeadlockIsNotWonByShorterSections(t *testing.T) {
	col := fromFile(t, "deadlock-monitors-and-juc-jdk17.txt")
	shorter, err := col.Rank(.5, 0)
	if err != nil || len(shorter.Rows) == 0 {
		t.Fatalf("%+v, %v", shorter, err)
	}
	for _, r := range shorter.Rows {
		golden.Equal(t, r.Throughput, (Range{1, 1}), r.Change.Section)
	}
	without, err := col.Predict([]Change{{Action: RemoveLock, Class: shorter.Rows[0].Change.Class}})
	if err != nil || without.Rows[0].Throughput != (Range{Low: 1}) { // no thread runs: there is no bound
		t.Errorf("%+v, %v", without, err)
	}
}

func TestWhatATraceDoesNotHave(t *testing.T) {
	col, _, _ := collected(t, simulate.Config{Scenario: "nested", Duration: 1e9, Seed: 1}, recorded)
	for _, ch := range []Change{{Action: Shrink, Section: "x.Y.z"}, {Action: Readers, Section: ""},
		{Action: RemoveLock, Class: "x.Y"}, {Action: Split, Class: ""}} {
		if _, err := col.Predict([]Change{ch}); err == nil {
			t.Errorf("%+v: no error", ch)
		}
	}
	if _, err := col.Predict([]Change{{Action: Shrink, Section: "sim.App.archiv"}}); err == nil ||
		!strings.HasSuffix(err.Error(), "the nearest is sim.App.archive") {
		t.Errorf("%v", err)
	}
}
