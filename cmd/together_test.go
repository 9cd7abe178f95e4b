package cmd

import (
	"bytes"
	"sync"
	"testing"
)

// Analyses that run at once share nothing that shows: each answers what it
// answers alone.
func TestAnalysesAtOnce(t *testing.T) {
	traces := []string{"../testdata/truth-8threads.jfr", "../testdata/derby-8clients.jfr", "../testdata/truth-8threads.jfr"}
	answer := func(trace string) []byte {
		var out, msg bytes.Buffer
		if code := Main([]string{"analyze", "--format", "json", trace}, nil, &out, &msg); code != 0 {
			t.Errorf("%s: exit %d: %s", trace, code, &msg)
		}
		return out.Bytes()
	}
	alone, together := make([][]byte, len(traces)), make([][]byte, len(traces))
	for i, trace := range traces {
		alone[i] = answer(trace)
	}
	var running sync.WaitGroup
	for i, trace := range traces {
		running.Go(func() { together[i] = answer(trace) })
	}
	running.Wait()
	for i, trace := range traces {
		if len(alone[i]) == 0 || !bytes.Equal(alone[i], together[i]) {
			t.Errorf("%s: %d bytes alone, %d together, or not the same", trace, len(alone[i]), len(together[i]))
		}
	}
}
