package cmd

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"contend/format/workers"
	"contend/golden"
)

// What a worker panics with is one line, and a failure.
func TestPanicsAreOneLine(t *testing.T) {
	var g workers.Group
	g.Go(func() { _ = strings.Repeat("x", -1) })
	var msg bytes.Buffer
	e := &env{msg: &msg}
	if code := e.exit(workers.Try(g.Wait)); code != exitFailed || strings.Count(msg.String(), "\n") != 1 || !strings.HasPrefix(msg.String(), "contend: internal error: strings: negative Repeat count (contend/cmd/panics_test.go:") {
		t.Errorf("exit %d: %s", code, msg.String())
	}
}

// Bytes inserted into a recording, or taken out, leave an answer: what is behind them is
// shifted, and of other times.
func TestShiftedBytesAreAnswered(t *testing.T) {
	whole := golden.Must(os.ReadFile("../testdata/truth-8threads.jfr"))(t)
	const at = 0x27100
	for name, data := range map[string][]byte{
		"two inserted":    slices.Concat(whole[:at], []byte{7, 7}, whole[at:]),
		"8,000 taken out": slices.Concat(whole[:at], whole[at+8000:]),
	} {
		for _, command := range []string{"verify", "analyze", "whatif"} {
			var out, msg bytes.Buffer
			if code := Main([]string{command, "-"}, bytes.NewReader(data), &out, &msg); code != exitDamaged || out.Len() == 0 {
				t.Errorf("%s: %s exits with %d: %s", name, command, code, msg.String())
			}
		}
	}
}
