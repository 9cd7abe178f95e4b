package decode

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
	"testing/synctest"

	"contend/decode/jfr"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var errEnd = errors.New("the end")

// counting is a decoder of n events, that fails with errEnd behind them.
type counting struct {
	n, read int64
	closed  bool
}

func (c *counting) Read(ev *format.Event) error {
	if c.read == c.n {
		return errEnd
	}
	c.read++
	ev.Reset()
	ev.Kind, ev.Time = format.KindWait, c.read
	return nil
}

func (c *counting) Stats() format.Stats { return format.Stats{Events: c.read} }
func (c *counting) Close() error        { c.closed = true; return nil }

// TestPump reads to the end: every event once and in order, statistics that
// are never behind them, then the error, again and again, and the decoder
// released.
func TestPump(t *testing.T) {
	for _, n := range []int64{0, 1, batchEvents - 1, batchEvents, batchEvents + 1, 20*batchEvents + 7} {
		synctest.Test(t, func(t *testing.T) {
			c, unpacked := &counting{n: n}, false
			p := newPump(c, new(eventCount), func() { unpacked = true })
			var ev format.Event
			for i := int64(1); i <= n; i++ {
				if err := p.Read(&ev); err != nil || ev.Time != i {
					t.Fatalf("%d of %d: event %d, %v", i, n, ev.Time, err)
				}
				if got := p.Stats().Events; got < i || got > i+batchEvents {
					t.Fatalf("%d events counted after %d", got, i)
				}
			}
			for range 3 {
				if err := p.Read(&ev); err != errEnd {
					t.Fatalf("behind %d events: %v", n, err)
				}
			}
			synctest.Wait()
			if !c.closed || !unpacked || p.Stats().Events != n {
				t.Errorf(
					"closed %v, decompressor released %v, %d events of %d",
					c.closed,
					unpacked,
					p.Stats().Events,
					n,
				)
			}
			p.Close()
		})
	}
}

// TestPumpClosedEarly stops before, at and behind the first event: the bubble
// fails when the goroutine lives on.
func TestPumpClosedEarly(t *testing.T) {
	for _, reads := range []int{0, 1, batchEvents, 3*batchEvents + 1} {
		synctest.Test(t, func(t *testing.T) {
			c := &counting{n: 1 << 40}
			p := newPump(c, new(eventCount), nothing)
			var ev format.Event
			for range reads {
				golden.OK(t, p.Read(&ev))
			}
			p.Close()
			p.Close()
			synctest.Wait()
			if !c.closed {
				t.Error("the decoder is not released")
			}
		})
	}
}

// TestPumpedRecording compares with the decoder itself: events with all they
// point to, and what is said of a damaged input.
func TestPumpedRecording(t *testing.T) {
	data := golden.Must(os.ReadFile("../testdata/truth-8threads-dumps50ms.jfr"))(t)
	data = data[:len(data)*2/3]
	direct := golden.Must(jfr.NewReader(bytes.NewReader(data), "cut", jfr.Options{}))(t)
	inner := golden.Must(jfr.NewReader(bytes.NewReader(data), "cut", jfr.Options{}))(t)
	p := newPump(inner, new(eventCount), nothing)
	defer p.Close()
	for i := 0; ; i++ {
		var want, got format.Event
		wantErr, gotErr := direct.Read(&want), p.Read(&got)
		if wantErr != gotErr ||
			!cmp.Equal(want, got, cmpopts.EquateEmpty()) { // a batch used again has empty lists for none
			t.Fatalf("event %d: %+v, %v; want %+v, %v", i, got, gotErr, want, wantErr)
		}
		if wantErr == io.EOF {
			break
		}
	}
	if got, want := p.Stats(), direct.Stats(); !reflect.DeepEqual(got, want) || want.Damage.Whole() {
		t.Errorf("%+v, want %+v, with damage", got, want)
	}
}
