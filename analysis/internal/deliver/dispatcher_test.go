package deliver

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// callLog records the calls it receives.
type callLog struct {
	log       []any
	ticks, ns int64
}

func (h *callLog) Begin(*analysis.Symbols, int64) {}

func (h *callLog) Intervals() (from, length int64) { return 0, 0 }

func (h *callLog) Running(from, to, ns int64) { h.log = append(h.log, [3]int64{from, to, ns}) }

func (h *callLog) Ticks(n, ns int64) { h.ticks, h.ns = h.ticks+n, h.ns+ns }

func (h *callLog) Slice(s *analysis.Slice) { h.log = append(h.log, kept(s)) }

func kept(s *analysis.Slice) analysis.Slice {
	own := *s
	own.Shares, own.Waiters = copied(s.Shares), copied(s.Waiters)
	for i := range own.Shares {
		var hops []analysis.Hop
		for h := own.Shares[i].Path; h != nil; h = h.Next {
			hops = append(hops, *h)
		}
		own.Shares[i].Path = analysis.PathOf(hops...)
	}
	return own
}

func copied[T any](list []T) []T { return append([]T(nil), list...) }

// The caller reuses its slices, like the emitter.
func TestVisitorsReceiveCallsInOrder(t *testing.T) {
	for parts, many := range map[int][]int{ // of the longest slice, and calls
		1:              {0, 1, batchCalls - 1, batchCalls, 4 * batchCalls},
		batchParts / 4: {0, 1, 8, 300}, // some sixteen are a batch
	} {
		for _, calls := range many {
			t.Run(fmt.Sprintf("%d calls, %d parts", calls, parts), func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, uint64(calls)))
				var direct, passed callLog
				d := NewDispatcher(nil, []analysis.Visitor{&passed})
				shares, waiters := make([]analysis.Share, parts), make([]analysis.Waiter, parts)
				for i := range calls {
					at := int64(i)
					s := analysis.Slice{
						Start:   at,
						End:     at + 1,
						Shares:  shares[:random.IntN(min(parts, 40)+1)],
						Waiters: waiters[:random.IntN(parts+1)],
					}
					var path *analysis.Hop
					for j := range s.Shares {
						s.Shares[j] = analysis.Share{Ns: at, Hops: j, Path: path}
						path = d.Hops.Keep(
							analysis.Hop{Thread: format.ThreadID(i), Lock: format.ObjectID(j), Next: path},
						)
					}
					for j := range s.Waiters {
						s.Waiters[j].Thread = format.ThreadID(i + j)
					}
					switch random.IntN(3) {
					case 0:
						direct.Slice(&s)
						d.slice(&s, len(s.Waiters))
					case 1:
						direct.Running(at, 2, 3)
						d.running(at, 2, 3)
					case 2:
						direct.Ticks(1, at)
						d.tick(at)
					}
				}
				d.Wait()
				golden.Same(
					t,
					passed,
					direct,
					"received",
					len(passed.log),
					"calls, or others than the",
					len(direct.log),
					"booked",
				)
			})
		}
	}
}

// pair is one of two visitors. In its first slice it waits for the other's first slice.
type pair struct {
	started, other chan struct{}
	slices         int
	alone          bool // the other received nothing
}

func (p *pair) Begin(*analysis.Symbols, int64) {}

func (p *pair) Slice(*analysis.Slice) {
	if p.slices++; p.slices > 1 {
		return
	}
	close(p.started)
	select {
	case <-p.other:
	case <-time.After(time.Minute):
		p.alone = true
	}
}

func TestVisitorsRunConcurrently(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("there is one processor")
	}
	a, b := make(chan struct{}), make(chan struct{})
	both := []*pair{{started: a, other: b}, {started: b, other: a}}
	d := NewDispatcher(nil, []analysis.Visitor{both[0], both[1]})
	for range 2 * batchCalls {
		d.slice(&analysis.Slice{}, 0)
	}
	d.Wait()
	if both[0].alone || both[1].alone {
		t.Error("a visitor received nothing while another one ran")
	}
}
