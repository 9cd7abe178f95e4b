package gotrace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
	"contend/format/column"
	"contend/golden"

	"github.com/google/pprof/profile"
)

const ours = "../../testdata/go126-truth-12goroutines.trace"

// traces are the recordings the tests read.
func traces(t testing.TB) []string {
	t.Helper()
	public, _ := filepath.Glob("../../../shared/fixtures/public/gotrace/*.trace")
	if len(public) == 0 {
		t.Log("skipped: the public traces are not here")
	}
	return append(public, ours)
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	return golden.Must(os.ReadFile(path))(t)
}

// readAll reads a trace to its end and counts what it gives.
func readAll(t testing.TB, data []byte) (*Reader, map[format.Kind]int) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), "test", nil)
	if (r == nil) == (err == nil) {
		t.Fatalf("reader %v and error %v", r, err)
	}
	counts := map[format.Kind]int{}
	if err != nil {
		if fe := new(format.Error); !errors.As(err, &fe) {
			t.Fatalf("%v has no position", err)
		}
		return nil, counts
	}
	var ev format.Event
	for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
		counts[ev.Kind]++
	}
	if !errors.Is(err, io.EOF) || r.Read(&ev) != err {
		t.Fatalf("ended with %v, then %v", err, r.Read(&ev))
	}
	return r, counts
}

func TestWholeTraces(t *testing.T) {
	for _, path := range traces(t) {
		data := load(t, path)
		r, counts := readAll(t, data)
		s := r.Stats()
		if s.BytesRead != int64(len(data)) || s.BytesTotal != int64(len(data)) || s.Events < 10_000 ||
			!strings.HasPrefix(s.Format, "go 1.2") {
			t.Errorf("%s: %+v", path, s)
		}
		if counts[format.KindGap] != 0 || counts[format.KindWait] == 0 || counts[format.KindRelease] == 0 ||
			counts[format.KindActivity] == 0 ||
			counts[format.KindRecording] != 1 {
			t.Errorf("%s: %v", path, counts)
		}
		for _, w := range s.Warnings {
			if w.Code != "identity" && w.Code != "scheduling" {
				t.Errorf("%s: %+v", path, w)
			}
		}
	}
}

// The time goroutines spend blocked on Mutex and RWMutex, by site, is what
// Go's own tool says, which counts until they are woken.
func TestBlockedTimeEqualsGoToolTrace(t *testing.T) {
	for _, path := range traces(t) {
		out := golden.Must(exec.Command("go", "tool", "trace", "-pprof=sync", path).Output())(t)
		p := golden.Must(profile.ParseData(out))(t)
		want := map[string]int64{}
		for _, s := range p.Sample {
			if at := lockedAt(s.Location); at != "" {
				want[at] += s.Value[1]
			}
		}
		r := golden.Must(NewReader(bytes.NewReader(load(t, path)), path, nil))(t)
		for r.over == nil { // the waits are kept until they are delivered
			r.step()
		}
		got := map[string]int64{}
		r.waits.Each(func(_ column.Ref, w *wait) {
			u := r.stacks.use(w.stack)
			until := w.end
			if w.woken != 0 {
				until = w.woken
			}
			got[u.At.Class+"."+u.At.Method] += until - w.start
		})
		if len(got) != len(want) || len(got) == 0 {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
		for at, ns := range want {
			golden.Within(t, float64(got[at]-ns)/float64(ns), -0.01, 0.01, path)
		}
	}
}

// lockedAt returns the function that takes a lock, "" for a stack that waits
// for something else.
func lockedAt(stack []*profile.Location) string {
	locks := false
	for _, l := range stack {
		for _, line := range l.Line {
			name := line.Function.Name
			if !strings.HasPrefix(name, "sync.") && !strings.HasPrefix(name, "internal/sync.") &&
				!strings.HasPrefix(name, "runtime.") {
				if locks {
					return name
				}
				return ""
			}
			locks = locks || strings.Contains(name, "Mutex).")
		}
	}
	return ""
}

// cuts is at how many places a trace is tried.
func cuts(n int) int { return golden.Depth(n/10, n/3, n) }

// What comes before a cut is read, and the rest is said to be missing.
func TestEveryPrefix(t *testing.T) {
	data := load(t, ours)
	last := int64(0)
	for n := 0; n < len(data); n += 1 + len(data)/cuts(97) {
		r, counts := readAll(t, data[:n])
		if r == nil {
			if n >= headerSize {
				t.Errorf("%d bytes are no trace", n)
			}
			continue
		}
		s := r.Stats()
		if s.Events < last || s.BytesTotal != int64(n) || s.BytesRead > s.BytesTotal || counts[format.KindGap] != 1 ||
			len(s.Warnings) == 0 ||
			s.Warnings[0].Code != "truncated" {
			t.Errorf("%d bytes: %+v, %v", n, s, counts)
		}
		last = s.Events
	}
	if last == 0 {
		t.Error("no prefix gives an event")
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		head string
		want error
	}{
		{"go 1.21 trace\x00\x00\x00", format.ErrVersion},
		{"go 1.99 trace\x00\x00\x00", format.ErrVersion},
		{"go 1.2", format.ErrTruncated},
		{"go 1.26\n\nuse ./contend\n", format.ErrNotMine},
		{"go 1.x6 trace\x00\x00\x00", format.ErrNotMine},
		{"", format.ErrNotMine},
	} {
		_, err := NewReader(strings.NewReader(c.head), "test", nil)
		var fe *format.Error
		if !errors.Is(err, c.want) || !errors.As(err, &fe) || c.want == format.ErrVersion && fe.Hint == "" {
			t.Errorf("%q: %v, want %v", c.head, err, c.want)
		}
	}
}

// Damage anywhere costs what follows, never the program.
func TestDamagedBytes(t *testing.T) {
	whole := load(t, ours)
	for at := headerSize; at < len(whole); at += 1 + len(whole)/cuts(211) {
		data := bytes.Clone(whole)
		data[at] ^= 0x55
		r, _ := readAll(t, data)
		golden.Equal(t, r.Stats().BytesTotal, int64(len(data)), "byte", at, "bytes in all")
	}
}

func BenchmarkRead(b *testing.B) {
	data := load(b, ours)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	events := int64(0)
	for b.Loop() {
		r, _ := readAll(b, data)
		events = r.Stats().Events
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
