package decode

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// Events at times that no clock gives are left out, counted and said; those beside them
// are kept, and no two that are admitted are further apart than int64 holds a few of.
func TestTimesAreAdmitted(t *testing.T) {
	for name, c := range map[string]struct {
		lines   string
		kept    int
		refused int64
	}{
		"as they are":        {"wait time=1795230297265689603 end=1795230297265689703 thread=1 lock=1\n", 1, 0},
		"from the start":     {"wait time=0 end=5 thread=1 lock=1\nwait time=-5 end=5 thread=1 lock=1\n", 2, 0},
		"a limit":            {"wait time=1 end=9223372036854775807 thread=1 lock=1\nwait time=1 end=2 thread=1 lock=1\n", 1, 1},
		"both limits":        {"recording time=-9223372036854775808 end=9223372036854775807\ntenure time=0 end=1 thread=1 lock=1\n", 1, 1},
		"half of the limits": {"wait time=1795230297265689603 end=1795230297265689703 thread=1 lock=1\nwait time=-4611686018427387904 end=4611686018427387903 thread=1 lock=1\n", 1, 1},
		"weights":            {"tick time=5 intended=5 weight=9223372036854775807 live=1\ntick time=6 intended=9223372036854775807 live=1\ntick time=7 intended=7 live=1\n", 1, 2},
	} {
		src, err := Open([]string{Stdin}, strings.NewReader("contend 1\nthread thread=1 name=\"a\" group=\"a\"\nobject lock=1 class=\"c\" hash=7\n"+c.lines+"end\n"), Options{})
		golden.OK(t, err)
		kept := 0
		var ev format.Event
		for err = src.Read(&ev); err == nil; err = src.Read(&ev) {
			if !ev.Kind.Timed() {
				continue
			}
			kept++
			for _, at := range []int64{ev.Time, ev.End} {
				if at > math.MaxInt64/2 || at < -math.MaxInt64/2 {
					t.Errorf("%s: %s", name, format.AppendText(nil, &ev))
				}
			}
		}
		refused := int64(0)
		for _, d := range src.Stats().Damage.Places {
			refused += d.Events
		}
		if !errors.Is(err, io.EOF) || kept != c.kept || refused != c.refused {
			t.Errorf("%s: %d events, want %d; %d refused, want %d: %v", name, kept, c.kept, refused, c.refused, err)
		}
	}
}
