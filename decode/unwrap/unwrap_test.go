package unwrap

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"contend/golden"
)

// begins is that of a small notation.
func begins(line string) Mark {
	switch {
	case strings.HasPrefix(line, "Full thread dump") && strings.HasSuffix(line, ":"):
		return Header
	case strings.HasPrefix(line, `"`) && strings.Contains(line, " tid="):
		return Thread
	}
	return None
}

func unwrapped(t *testing.T, text string, size int, skip bool) (string, Skipped) {
	t.Helper()
	r := New(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), size), begins)
	if skip {
		r.Skip()
	}
	out := golden.Must(io.ReadAll(r))(t)
	return string(out), r.Skipped()
}

// Where there is no layer the text is what it was, to the byte.
func TestTextWithoutLayers(t *testing.T) {
	for _, text := range []string{
		"", "\n", "x", "a\r\nb\n\nc", "\n\n\n",
		"Full thread dump X:\n\n\"a & <b>\" tid=1\n\tat a.B.<init>(B.java:1)\n\t- locked <0x1> (a C)\n",
		strings.Repeat("a line of a log {with} [things] > in it\n", 5000) + "Full thread dump X:\n",
		"short\n" + strings.Repeat("no end ", 20_000) + "\nshort\n",
		strings.Repeat("no end ", 20_000) + "\nshort\n" + strings.Repeat("again ", 20_000),
	} {
		for _, size := range []int{16, 4096, 1 << 20} {
			if got, _ := unwrapped(t, text, size, false); got != text {
				t.Errorf("%.80q in buffers of %d becomes %.80q", text, size, got)
			}
		}
	}
}

// What stands before a dump is passed over, less a few lines, and counted.
func TestSkip(t *testing.T) {
	log := strings.Repeat("10:00:00 nothing\n", 20_000)
	dump := "Full thread dump X:\n\"a\" tid=1\n"
	got, skipped := unwrapped(t, log+dump+log, 4096, true)
	if !strings.HasSuffix(got, dump+log) || int64(len(log+dump+log)-len(got)) != skipped.Bytes ||
		skipped.Lines < 20_000-lookback ||
		skipped.Lines >= 20_000 {
		t.Errorf("%d bytes left, %+v", len(got), skipped)
	}
	if got, _ := unwrapped(t, "first\n"+log, 4096, true); got != "first\n" {
		t.Errorf("%.80q is left of a log without a dump", got)
	}
}

// A sentence that names a thread is no thread, a thread behind a prefix is one.
func TestThreadsBehindPrefixes(t *testing.T) {
	const sentence = "10:00:00 slow: \"a\" tid=1 did nothing\n10:00:01 go on\n"
	got, _ := unwrapped(t, sentence, 4096, false)
	golden.Equal(t, got, sentence)
	got, _ = unwrapped(t, "10:00:00 [w] \"a\" tid=1\n\tat a.B.c(B.java:1)\n", 4096, false)
	golden.Equal(t, got, "\"a\" tid=1\n\tat a.B.c(B.java:1)\n")
}

func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ before, line, want string }{
		{"2026-11-21T10:00:00.123456789Z ", "2026-11-21T10:00:01.5Z \tat A.b(A.java:1)", "\tat A.b(A.java:1)"},
		{"2026-11-21T10:00:00.123456789Z stdout F ",
			"2026-11-21T10:00:01Z stderr F    java.lang.Thread.State: BLOCKED", "   java.lang.Thread.State: BLOCKED"},
		{"2026-11-21T10:00:00.1+01:00 stdout F ", "2026-11-21T10:00:01.2+01:00 stdout F ", ""},
		{"2026-11-21T10:00:00.1Z stdout F ", "2026-11-21T10:00:00.1Z stdout F", ""},
		{"app-1  | ", "app-1  | \"main\" #1", "\"main\" #1"},
		{"Nov 21 10:00:00 host-7 java[123]: ", "Nov  1 10:00:01 host-7 java[123]: x y", "x y"},
		{"Nov 21 10:00:00 host java[123]: ", "\tat A.b(A.java:1)", "\tat A.b(A.java:1)"}, // logged as one message
		{"app-1  | ", "another line", "another line"},
	} {
		if p := prefixOf(c.before); p == nil || p.cut(c.line) != c.want {
			t.Errorf("%q, %q: %+v, want %q", c.before, c.line, p, c.want)
		}
	}
	for _, no := range []string{"", "   ", "a ", "taking a ", "17:", strings.Repeat("1 ", maxWords+1)} {
		if p := prefixOf(no); p != nil {
			t.Errorf("%q is a prefix: %v", no, p)
		}
	}
}
