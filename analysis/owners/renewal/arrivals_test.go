package renewal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// crowd is a lock for which threads come at random: who finds it held waits,
// who finds it free takes it.
type crowd struct {
	hold, wake, come float64 // means, in us; come: from one thread to the next
}

// run returns gaps, what came in them, and which parts of them others had the
// lock and it was free.
func (c *crowd) run(n int) (gaps []Gap, came []int64, others, free float64) {
	r := rand.New(rand.NewPCG(1, 2))
	hold := func() float64 { return 1e3 * c.hold * math.Exp(0.4*r.NormFloat64()) }
	total := 0.0
	for range n {
		g := Gap{Last: LastSame, Came: Range{From: uint32(len(came))}}
		at := 0.0
		held := func(length float64) {
			for t := 1e3 * c.come * r.ExpFloat64(); t < length; t += 1e3 * c.come * r.ExpFloat64() {
				came = append(came, int64(at+t))
			}
			at += length
		}
		held(hold())
		for {
			wake := 1e3 * c.wake * math.Exp(1.2*r.NormFloat64())
			barged := 1e3 * c.come * r.ExpFloat64()
			free += min(wake, barged)
			at += min(wake, barged)
			if wake < barged {
				break
			}
			g.Last = LastOther
			length := hold()
			others += length
			held(length)
		}
		g.Length, g.Came.To = int64(at), uint32(len(came))
		gaps = append(gaps, g)
		total += at
	}
	return gaps, came, others / total, free / total
}

// Who came while the lock was held had to wait: that tells how often it was
// taken by those who came while it was free, which the lengths of gaps hardly
// tell.
func TestArrivalsTellWhoTookTheFreeLock(t *testing.T) {
	for name, c := range map[string]crowd{
		"few":       {hold: 50, wake: 50, come: 1000},
		"some":      {hold: 50, wake: 100, come: 300},
		"long ones": {hold: 500, wake: 50, come: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			gaps, came, others, free := c.run(4000)
			off := func(recorded float64) float64 {
				m := Learn(&Data{Gaps: gaps, Arrivals: came, Recorded: recorded}, 1, []Mix{{1}, {1}})
				var p Parts
				var all, got float64
				s := m.Splitter()
				for _, g := range gaps {
					s.Split(&g, &p)
					got += float64(p.Others[0])
					all += float64(g.Length)
				}
				if least, most := m.Doubt(); recorded > 0 && (least > 1 || most < 1 || most/least < 1.1 || most/least > 20) {
					t.Errorf("%.2f to %.2f times as many sections", least, most)
				}
				t.Logf("recorded %.0f: others %.3f of %.3f (free %.3f), barging %.3f, again %.2f", recorded, got/all, others, free, m.barge, m.again)
				return math.Abs(got/all - others)
			}
			lengths, arrivals := off(0), off(1)
			if arrivals > 0.1 || arrivals > lengths/2+0.02 {
				t.Errorf("off by %.3f, without arrivals by %.3f", arrivals, lengths)
			}
		})
	}
}
