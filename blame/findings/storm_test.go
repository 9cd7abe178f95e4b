package findings

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"contend/analysis"
	"contend/decode"
	"contend/format"
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
	s.write(format.Event{Kind: format.KindActivity, Activity: format.ActivityWait, Thread: thread, Owner: by, Object: 1, Time: s.since[thread], End: at, Stack: s.site})
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
		if got := kindsOf(c.run(t)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWhatANotifyStormSays(t *testing.T) {
	storming := mail{sleepers: 6, inVain: true, work: ms, by: 1}
	got := storming.run(t)[0]
	if want := 400 * (1 + 2 + 3 + 4 + 5) * 100 * us; got.WaitNs != want || got.Share != 1 || got.Lock != "Ledger@1" || got.Site != "Mail.fetch:1" || got.Confidence != Medium {
		t.Errorf("%+v, want %d ns", got, want)
	}
	if want := "400 times 6.0 threads were woken at once, 83 % of them in vain; the last had the monitor 500 µs after the first"; got.Evidence != want {
		t.Errorf("%q", got.Evidence)
	}
	storming.long = true
	if got := storming.run(t)[0]; got.Confidence != Low {
		t.Errorf("short waits are missing: %+v", got)
	}
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
	if got := find(t, &s.list, 10000*ms); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// The programs count how often they are woken, and how often in vain.
func TestStormsHeldAgainstTheProgramsCount(t *testing.T) {
	for name, want := range map[string]struct{ woken, vain float64 }{
		"storm-jdk17": {829, 667}, "storm-jdk25": {919, 745}, "one-jdk17": {152, 14}, "meet-jdk25": {345, 0},
	} {
		tr := golden.Must(decode.Open([]string{filepath.Join("../../testdata/findings", name+".jfr.gz")}, nil, decode.Options{}))(t)
		v := NewEvidence()
		golden.Must(analysis.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, v))(t)
		tr.Close()
		woken, vain := 0.0, 0.0
		for _, s := range v.storms {
			woken, vain = woken+float64(s.woken), vain+float64(s.vain)
		}
		switch share := vain / max(woken, 1); {
		case want.vain < want.woken/2 && share < 0.5:
		case want.vain > want.woken/2 && woken > 0.9*want.woken && math.Abs(share-want.vain/want.woken) < 0.05:
		default:
			t.Errorf("%s: %v of %v in vain, the program says %+v", name, vain, woken, want)
		}
	}
}
