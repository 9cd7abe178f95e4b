package jfr

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"contend/format"
)

// seedSize bounds the seeds, so that there are enough tries a second.
const seedSize = 128 << 10

// seeds are the recordings, each small enough, and what is known to be hard.
func seeds(f *testing.F) {
	paths, _ := filepath.Glob(ours + "/*.jfr")
	if len(paths) == 0 {
		f.Fatal("no recordings under ", ours)
	}
	for _, path := range paths {
		data := load(f, path)
		f.Add(data[:min(len(data), seedSize)])
	}
	small := load(f, ours+"/truth-8threads-jdk25.jfr")
	f.Add(small) // with its checkpoints where the header says
	f.Add(patched(small, 8, 0))
	f.Add(append(bytes.Clone(small[:20_000]), small[:20_000]...))
	f.Add([]byte(magic))
}

// Whatever the input: no panic, an end, an error that says where, every byte
// accounted for, nothing that ends before it begins, and nothing used before
// it is introduced.
func FuzzReader(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), "fuzz.jfr", Options{})
		if (r == nil) != (err != nil) {
			t.Fatalf("a reader and an error: %v", err)
		}
		stacks, threads := map[format.StackID]bool{0: true}, map[format.ThreadID]bool{0: true}
		var ev format.Event
		for err == nil {
			if err = r.Read(&ev); err != nil {
				break
			}
			switch ev.Kind {
			case format.KindStack:
				stacks[ev.Stack] = true
			case format.KindThread:
				threads[ev.Thread] = true
			case format.KindWait, format.KindActivity, format.KindGap, format.KindRecording:
				if ev.End < ev.Time || !stacks[ev.Stack] || !threads[ev.Thread] || !threads[ev.Owner] {
					t.Fatalf("%s", format.AppendText(nil, &ev))
				}
			}
		}
		var fe *format.Error
		if !errors.Is(err, io.EOF) && !errors.As(err, &fe) {
			t.Fatalf("%v is no positioned error", err)
		}
		if r == nil || !errors.Is(err, io.EOF) {
			return
		}
		if st := r.Stats(); st.BytesTotal != int64(len(data)) || st.BytesRead < 0 || st.BytesRead > st.BytesTotal {
			t.Fatalf("%d bytes: %+v", len(data), st)
		}
	})
}
