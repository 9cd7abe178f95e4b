package unwrap

import (
	"strings"
	"testing"
)

func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ before, line, want string }{
		{"2026-11-21T10:00:00.123456789Z ", "2026-11-21T10:00:01.5Z \tat A.b(A.java:1)", "\tat A.b(A.java:1)"},
		{"2026-11-21T10:00:00.123456789Z stdout F ", "2026-11-21T10:00:01Z stderr F    java.lang.Thread.State: BLOCKED", "   java.lang.Thread.State: BLOCKED"},
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
