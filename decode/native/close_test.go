package native

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"contend/format"
	"contend/golden"
)

// long is a trace of many more blocks than a reader holds ahead.
func long(t *testing.T) []byte {
	l := &format.List{}
	for i := range 20_000 {
		_ = l.Write(&format.Event{Kind: format.KindThreadStart, Time: int64(i), Thread: format.ThreadID(i)})
	}
	return encode(t, l, format.WriterOptions{Codec: format.Zstd, BlockSize: 512})
}

// Whoever reads ahead ends with the reader, at whatever event that is closed,
// and though it is closed twice.
func TestCloseEndsWhoReadsAhead(t *testing.T) {
	data := long(t)
	for _, events := range []int{0, 1, 500, 19_999, 20_001} {
		before := runtime.NumGoroutine()
		for range 8 {
			r := golden.Must(NewReader(bytes.NewReader(data), "test.ctd"))(t)
			var ev format.Event
			for i := range events {
				if err := r.Read(&ev); err != nil && (err != io.EOF || i < 20_000) {
					t.Fatalf("event %d: %v", i, err)
				}
			}
			if events < 19_999 && golden.Standing("created by contend/decode/native.NewReader") == 0 {
				t.Fatal("nobody reads ahead: there is nothing to test")
			}
			r.Close()
			r.Close()
		}
		if left := golden.Settled(before); left > before {
			stacks := make([]byte, 1<<16)
			t.Fatalf("closed after %d events: %d goroutines for %d before\n%s", events, left, before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
