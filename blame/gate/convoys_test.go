package gate

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

const ms = int64(1e6)

// convoysOf returns the sums over waits of one lock, each from a time on and of a duration, in ms.
func convoysOf(waits ...[2]int64) *convoySums {
	c := newConvoys()
	c.Begin(analysis.NewSymbols(), 0)
	for _, w := range waits {
		c.Slice(&analysis.Slice{
			Lock:    1,
			Start:   w[0] * ms,
			Waiters: []analysis.Waiter{{First: true, WaitNs: w[1] * ms}},
		})
	}
	return c.ofClass(Total)
}

// A hundred waits of ten convoys, of which one is long, say no more than ten waits; a hundred convoys do.
func TestWaitsOfOneConvoyAreOneEvent(t *testing.T) {
	ns := func(i, long int64) int64 { return 1 + 98*min(max(i-long+1, 0), 1) }
	var together, alone [][2]int64
	for i := range int64(100) {
		together = append(together, [2]int64{i / 10 * 1000, ns(i, 90)})
		alone = append(alone, [2]int64{i * 1000, ns(i, 90)})
	}
	many, few := convoysOf(alone...), convoysOf(together...)
	golden.Equal(t, many.convoys, 100)
	golden.Equal(t, few.convoys, 10)
	golden.Within(t, many.effect(99*ms), 1, 1.02)
	golden.Within(t, few.effect(99*ms), 10, 12)
}

// A lock for which threads always wait has a convoy for each wait that the one before has ended with.
func TestALockThatIsAlwaysWaitedForHasManyConvoys(t *testing.T) {
	var waits [][2]int64
	for i := range int64(100) {
		waits = append(waits, [2]int64{i * 50, 100})
	}
	golden.Equal(t, convoysOf(waits...).convoys, 50)
}

// The longest of waits that all belong to a few events may be as long as it is by chance.
func TestTheErrorOfTheLongestWait(t *testing.T) {
	golden.Equal(t, convoysOf([2]int64{0, 80}).tail(), float64(40*ms))
	three := convoysOf([2]int64{0, 80}, [2]int64{1, 79}, [2]int64{2, 78}, [2]int64{200, 70})
	golden.Equal(t, three.tail(), float64(40*ms))
	var waits [][2]int64
	for i := range int64(30) {
		waits = append(waits, [2]int64{i * 1000, 71 + i})
	}
	golden.Equal(t, convoysOf(waits...).tail(), 4.5*float64(ms))
}

// One wait is no change of how long waits are, even where the baseline has none. Twenty apart are.
func TestAFewWaitsMoreAreNoise(t *testing.T) {
	for n, want := range map[int]Status{1: Pass, 9: Pass, 20: Fail} {
		for _, metric := range []string{"p50", "p99", "max"} {
			var waits []format.Event
			for i := range int64(n) {
				at := i * 400 * ms
				waits = append(waits, format.Event{
					Kind:   format.KindWait,
					Thread: 1,
					Object: 1,
					Time:   at,
					End:    at + 90*ms + i,
				})
			}
			r, run := recorded(t, metric+"(*) < +0% vs baseline", waits...)
			_, base := recorded(t, metric+"(*) < +0% vs baseline")
			golden.Equal(t, r.check([]*Run{run}, []*Run{base}).Subjects[0].Status, want, metric, "of", n)
		}
	}
}

// Every wait is in one convoy, in whatever order waits come, and convoys never make them tell more.
func TestConvoysAreOfAllWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newConvoys()
		c.Begin(analysis.NewSymbols(), 0)
		n := rapid.IntRange(1, 60).Draw(t, "waits")
		for range n {
			c.Slice(&analysis.Slice{
				Lock:  format.ObjectID(rapid.IntRange(1, 2).Draw(t, "lock")),
				Start: rapid.Int64Range(0, 1<<40).Draw(t, "start"),
				Waiters: []analysis.Waiter{{
					First:  true,
					WaitNs: rapid.Int64Range(0, 1<<rapid.IntRange(0, 62).Draw(t, "long")).Draw(t, "ns"),
				}},
			})
		}
		s := c.ofClass(Total)
		golden.Equal(t, s.waits, float64(n))
		golden.Within(t, s.convoys, 1, n)
		golden.AtMost(t, 1, s.effect(rapid.Int64Range(0, 1<<62).Draw(t, "at")))
	})
}

// Waits that are kept are bounded.
func TestPendingWaitsAreBounded(t *testing.T) {
	c := newConvoys()
	c.Begin(analysis.NewSymbols(), 0)
	for i := range int64(maxPending + 10) {
		c.Slice(&analysis.Slice{Start: i * 100 * ms, Waiters: []analysis.Waiter{{First: true, WaitNs: ms}}})
	}
	golden.Equal(t, len(c.pending), 10)
	golden.Equal(t, c.ofClass(Total).convoys, maxPending+10)
}
