package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"contend/golden"
)

// FuzzAnalyze holds analyze to an exit that says what happened, whatever the input: no
// panic, no other code, no minute. Seeds are the inputs there are of the format
// $CONTEND_FUZZ, or of all.
func FuzzAnalyze(f *testing.F) {
	golden.AsTheyAre(f)
	golden.Seed(f, os.Getenv("CONTEND_FUZZ"))
	f.Fuzz(func(t *testing.T, data []byte) {
		watchdog := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("%d bytes take for ever", len(data))) })
		defer watchdog.Stop()
		var msg bytes.Buffer
		code := Main([]string{"analyze", "-"}, bytes.NewReader(data), io.Discard, &msg)
		if code != exitOK && code != exitDamaged && code != exitFailed || strings.Contains(msg.String(), "internal error") {
			t.Errorf("analyze exits with %d: %s", code, msg.String())
		}
	})
}
