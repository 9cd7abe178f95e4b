package cmd

import (
	"bytes"
	"strings"
	"testing"

	"contend/format/workers"
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
