package analysis

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"contend/format"
)

// heard writes down what it is told.
type heard struct{ log []any }

func (h *heard) Begin(*Symbols, int64)      {}
func (h *heard) Running(from, to, ns int64) { h.log = append(h.log, [3]int64{from, to, ns}) }
func (h *heard) Tick(from, to int64)        { h.log = append(h.log, [2]int64{from, to}) }
func (h *heard) Slice(s *Slice)             { h.log = append(h.log, kept(s)) }
func (h *heard) Crowd(c *Crowd) {
	h.log = append(h.log, Crowd{kept(&c.Slice), copied(c.Waiters)})
}

func kept(s *Slice) Slice {
	own := *s
	own.Shares = copied(s.Shares)
	for i := range own.Shares {
		own.Shares[i].Path = copied(own.Shares[i].Path)
	}
	return own
}

func copied[T any](list []T) []T { return append([]T(nil), list...) }

// Whoever books uses the same slices again and again, as the emitter does.
func TestRelayTellsWhatWasBookedInOrder(t *testing.T) {
	for _, calls := range []int{0, 1, bundleCalls - 1, bundleCalls, 10 * bundleCalls} {
		for _, parts := range []int{1, bundleParts / 4} { // of the longest slice
			t.Run(fmt.Sprintf("%d calls, %d parts", calls, parts), func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, uint64(calls)))
				var direct, relayed heard
				r := newRelay([]Visitor{&relayed})
				shares, waiters, hops := make([]Share, parts), make([]Waiter, parts), make([]Hop, 2)
				for i := range calls {
					at := int64(i)
					c := Crowd{Slice{Start: at, End: at + 1, Shares: shares[:random.IntN(min(parts, 40)+1)]}, waiters[:random.IntN(parts+1)]}
					for j := range c.Shares {
						c.Shares[j] = Share{Ns: at, Hops: j, Path: hops[:j%3]}
					}
					for j := range c.Waiters {
						c.Waiters[j].Thread = format.ThreadID(i + j)
					}
					hops[0].Lock, hops[1].Thread = format.ObjectID(i), format.ThreadID(i)
					switch random.IntN(4) {
					case 0:
						direct.Slice(&c.Slice)
						r.slice(&c.Slice)
					case 1:
						direct.Crowd(&c)
						r.crowd(&c)
					case 2:
						direct.Running(at, 2, 3)
						r.running(at, 2, 3)
					case 3:
						direct.Tick(at, 2)
						r.tick(at, 2)
					}
				}
				r.close()
				if !reflect.DeepEqual(relayed.log, direct.log) {
					t.Errorf("heard %d calls, or others than the %d booked", len(relayed.log), len(direct.log))
				}
			})
		}
	}
}

// namer writes down how the lock of each slice is called when it is told.
type namer struct {
	sym   *Symbols
	names []string
}

func (n *namer) Begin(sym *Symbols, _ int64) { n.sym = sym }
func (n *namer) Running(_, _, _ int64)       {}
func (n *namer) Slice(s *Slice)              { n.names = append(n.names, n.sym.ClassName(s.Lock)) }

func TestVisitorsKnowSymbolsAsTheyWere(t *testing.T) {
	const ticks = 3 * bundleCalls
	var events []format.Event
	var want []string
	for i, name := range []string{"Old", "New"} {
		events = append(events, format.Event{Kind: format.KindObject, Object: 1, Class: name})
		for j := range ticks {
			at := int64(1000 + 10*(i*ticks+j))
			events = append(events, tick(at, at, 9, 1), sample(at, 1, 1, 2))
			want = append(want, name)
		}
	}
	want[ticks-1] = "New" // an instant is charged when the next one comes
	var n namer
	if _, err := Run(&format.List{Events: events}, open, &n); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.names, want) {
		t.Errorf("%d slices, or names at other times than they were given (want %d)", len(n.names), len(want))
	}
}
