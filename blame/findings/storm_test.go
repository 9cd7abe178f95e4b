package findings

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame/locks"
	"contend/decode"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

const us = int64(1e3)

// sleepers are threads that wait at one monitor, each since some time.
type sleepers struct {
	*script
	site  format.StackID
	since map[format.ThreadID]int64
}

func newSleepers(t *testing.T, n int) *sleepers {
	s := &sleepers{script: newScript(t, n+1, 1), since: map[format.ThreadID]int64{}}
	s.site = s.stack("java.lang.Object.wait", "Mail.fetch")
	for i := range n {
		s.since[format.ThreadID(i+2)] = int64(i) * us
	}
	return s
}

// wake ends a thread's wait, at which it waits again some time after.
func (s *sleepers) wake(thread, by format.ThreadID, at, again int64) {
	s.write(
		format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityWait,
			Thread:   thread,
			Owner:    by,
			Object:   1,
			Time:     s.since[thread],
			End:      at,
			Stack:    s.site,
		},
	)
	s.since[thread] = at + again
}

// mail is how threads that wait are woken; times in ns.
type mail struct {
	sleepers int
	inVain   bool  // who is woken waits again at once, but for the first
	useful   int   // these more than the first do not, either
	work     int64 // what others do before they wait again
	singly   bool  // each by a notification of its own, as far apart as all are
	jitter   bool  // these come at random
	by       format.ThreadID
	moves    bool // who is woken waits at another place
	long     bool // short waits are not recorded
}

func (m mail) run(t *testing.T) []Finding {
	s, rnd := newSleepers(t, m.sleepers), rand.New(rand.NewPCG(1, 2))
	if m.long {
		s.write(format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: format.IdleLong})
	}
	now := int64(0)
	sites := [...]format.StackID{s.site, s.site}
	if m.moves {
		sites[1] = s.stack("java.lang.Object.wait", "Mail.sort")
	}
	for turn := range 400 {
		now += 20 * ms
		s.site = sites[turn%2]
		for i := range m.sleepers {
			again := m.work
			if m.inVain && i > m.useful {
				again = 2 * us
			}
			s.wake(format.ThreadID(i+2), m.by, now, again)
			switch {
			case m.singly && m.jitter:
				now += int64(rnd.ExpFloat64() * float64(20*ms))
			case m.singly:
				now += 20 * ms
			default:
				now += 100 * us
			}
		}
		if m.singly {
			now -= 20 * ms
		}
	}
	return find(t, &s.list, 10000*ms)
}

// A storm is that most who were woken together wait again at once: not that they
// go on, nor that each is woken by itself however soon it waits again, in turns or
// at random, nor that their time is up.
func TestNotifyStorm(t *testing.T) {
	for name, c := range map[string]struct {
		mail
		want string
	}{
		"in vain":            {mail{sleepers: 6, inVain: true, work: ms, by: 1}, "notify-storm"},
		"two":                {mail{sleepers: 2, inVain: true, work: ms, by: 1}, ""}, // half is not most
		"half in vain":       {mail{sleepers: 6, inVain: true, useful: 2, work: ms, by: 1}, ""},
		"two thirds in vain": {mail{sleepers: 6, inVain: true, useful: 1, work: ms, by: 1}, "notify-storm"},
		"all go on":          {mail{sleepers: 6, work: ms, by: 1}, ""},
		"in turns":           {mail{sleepers: 6, work: 2 * us, by: 1, singly: true}, ""},
		"in turns, unevenly": {mail{sleepers: 6, work: 2 * us, by: 1, singly: true, jitter: true}, ""},
		"at another place":   {mail{sleepers: 6, inVain: true, work: ms, by: 1, moves: true}, ""},
		"their time is up":   {mail{sleepers: 6, inVain: true, work: ms}, ""},
	} {
		golden.Equal(t, kindsOf(c.run(t)), c.want, name)
	}
}

func TestWhatANotifyStormSays(t *testing.T) {
	storming := mail{sleepers: 6, inVain: true, work: ms, by: 1}
	got := storming.run(t)[0]
	if want := 400 * (1 + 2 + 3 + 4 + 5) * 100 * us; got.WaitNs != want || got.Share != 1 || got.Lock != "Ledger@1" ||
		got.Site != "Mail.fetch:1" ||
		got.Confidence != Medium {
		t.Errorf("%+v, want %d ns", got, want)
	}
	golden.Equal(
		t,
		got.Evidence,
		"400 times 6.0 threads were woken at once, 83 % of them in vain; the last had the monitor 500 µs after the "+
			"first",
	)
	storming.long = true
	golden.Equal(t, storming.run(t)[0].Confidence, Low, "short waits are missing")
}

// Who sleeps on while others are woken shows that not all were.
func TestWhoSleepsOnWasNotNotified(t *testing.T) {
	s := newSleepers(t, 7)
	for now := 20 * ms; now < 8000*ms; now += 20 * ms {
		for i := range format.ThreadID(6) {
			s.wake(i+2, 1, now+int64(i)*100*us, 2*us)
		}
	}
	s.wake(8, 1, 9000*ms, ms)
	golden.AtMost(t, len(find(t, &s.list, 10000*ms)), 0)
}

// The programs count how often they are woken, and how often in vain.
func TestStormsHeldAgainstTheProgramsCount(t *testing.T) {
	for name, want := range map[string]struct{ woken, vain float64 }{
		"storm-jdk17": {829, 667}, "storm-jdk25": {919, 745}, "one-jdk17": {152, 14}, "meet-jdk25": {345, 0},
	} {
		tr := golden.Must(
			decode.Open([]string{filepath.Join("../../testdata/findings", name+".jfr.gz")}, nil, decode.Options{}),
		)(
			t,
		)
		v := NewEvidence(nil)
		golden.Must(pass.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, v))(t)
		tr.Close()
		woken, vain := 0.0, 0.0
		for _, s := range v.storms {
			woken, vain = woken+float64(s.woken), vain+float64(s.futile)
		}
		switch share := vain / max(woken, 1); {
		case want.vain < want.woken/2 && share < 0.5:
		case want.vain > want.woken/2 && woken > 0.9*want.woken && math.Abs(share-want.vain/want.woken) < 0.05:
		default:
			t.Errorf("%s: %v of %v in vain, the program says %+v", name, vain, woken, want)
		}
	}
}

const ms = int64(1e6)

// script is a trace in the making; times in ms.
type script struct {
	t      *testing.T
	list   format.List
	stacks format.StackID
}

func newScript(t *testing.T, threads, locks int) *script {
	s := &script{t: t}
	s.write(format.Event{Kind: format.KindRecording, Time: 0, End: 10000 * ms})
	for i := range threads {
		s.write(
			format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i)},
		)
	}
	for i := range locks {
		s.write(
			format.Event{Kind: format.KindObject, Object: format.ObjectID(i + 1), Class: "Ledger", Hash: uint64(i + 1)},
		)
	}
	return s
}

func (s *script) write(ev format.Event) {
	s.t.Helper()
	golden.OK(s.t, s.list.Write(&ev))
}

// stack returns a stack, written Class.method innermost first.
func (s *script) stack(frames ...string) format.StackID {
	s.stacks++
	ev := format.Event{Kind: format.KindStack, Stack: s.stacks}
	for _, f := range frames {
		dot := strings.LastIndexByte(f, '.')
		ev.Frames = append(ev.Frames, format.Frame{Class: f[:dot], Method: f[dot+1:], Line: 1})
	}
	s.write(ev)
	return s.stacks
}

// wait lets a thread wait for a lock, and then have it.
func (s *script) wait(thread, lock int, stack format.StackID, from, to, until int64) {
	t, l := format.ThreadID(thread), format.ObjectID(lock)
	s.write(format.Event{Kind: format.KindWait, Thread: t, Object: l, Time: from * ms, End: to * ms, Stack: stack})
	s.write(format.Event{Kind: format.KindTenure, Thread: t, Object: l, Time: to * ms, End: until * ms, Stack: stack})
}

// simulated returns what is found in a program of the simulator.
func simulated(t *testing.T, c simulate.Config) []Finding {
	t.Helper()
	l := &format.List{}
	golden.Must(simulate.Run(c, l, nil))(t)
	return find(t, l, c.Duration)
}

// find returns what is found in a trace, written and read again as users' are.
func find(t *testing.T, l *format.List, elapsed int64) []Finding {
	t.Helper()
	var file bytes.Buffer
	w, err := format.NewWriter(&file, format.WriterOptions{})
	golden.OK(t, err)
	for i := range l.Events {
		golden.OK(t, w.Write(&l.Events[i]))
	}
	golden.OK(t, w.Close())
	tr := golden.Must(decode.Open([]string{decode.Stdin}, &file, decode.Options{}))(t)
	defer tr.Close()
	return inTrace(t, tr, elapsed)
}

// inRecording returns what is found in a recording of testdata.
func inRecording(t *testing.T, name string) []Finding {
	t.Helper()
	tr := golden.Must(decode.Open([]string{filepath.Join("../../testdata", name)}, nil, decode.Options{}))(t)
	defer tr.Close()
	return inTrace(t, tr, 0)
}

// inTrace returns what is found in a trace; an elapsed time of 0 is its own.
func inTrace(t *testing.T, tr *decode.Trace, elapsed int64) []Finding {
	t.Helper()
	c, v := locks.NewOverview(locks.Options{}), NewEvidence(nil)
	res := golden.Must(pass.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, c, v))(t)
	if elapsed == 0 && tr.Stats().Unit == format.UnitTime {
		elapsed = res.ElapsedNs
	}
	return Find(c, c.Locks(), v, Trace{Symbols: res.Symbols, Deadlocks: res.Deadlocks, ElapsedNs: elapsed})
}

// kindsOf returns the kinds of some findings, each as often as it is found.
func kindsOf(list []Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Kind.String())
	}
	return strings.Join(out, " ")
}

// setOf returns the kinds of some findings, in their order, each once.
func setOf(list []Finding) string {
	var kinds []Kind
	for _, f := range list {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	var out []string
	for _, k := range slices.Compact(kinds) {
		out = append(out, k.String())
	}
	return strings.Join(out, " ")
}
