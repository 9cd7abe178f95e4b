package cmd

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzAnalyze holds analyze to an exit that says what happened, whatever the input: no
// panic, no other code. Seeds are the inputs there are of a format, $CONTEND_FUZZ, or of
// all.
func FuzzAnalyze(f *testing.F) {
	patterns := "../testdata/truth-8threads.jfr ../decode/jfr/testdata/*.jfr ../testdata/*.txt ../testdata/*.trace ../testdata/*.bin ../testdata/*.perf.txt.zst ../decode/threaddump/testdata/dialects/*"
	if one := os.Getenv("CONTEND_FUZZ"); one != "" {
		patterns = one
	}
	for pattern := range strings.FieldsSeq(patterns) {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) <= 512<<10 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var msg bytes.Buffer
		code := Main([]string{"analyze", "-"}, bytes.NewReader(data), io.Discard, &msg)
		if code != exitOK && code != exitDamaged && code != exitFailed || strings.Contains(msg.String(), "internal error") {
			t.Errorf("analyze exits with %d: %s", code, msg.String())
		}
	})
}
