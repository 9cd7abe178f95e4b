package threaddump

import (
	"strings"
	"testing"
)

// A thread with line breaks in its name is one of its own, in every notation.
func TestNamesWithLineBreaks(t *testing.T) {
	const want = "2 live, 0 idle\nApp$Lock@1f: alpha <- two\nlines\n"
	for notation, text := range map[string]string{
		"HotSpot": "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
			"\"alpha\" #20 prio=5 tid=0x1 nid=0x101 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat App.a(App.java:1)\n\t- locked <0x1f> (a App$Lock)\n\n" +
			"\"two\nlines\" #21 prio=5 tid=0x2 nid=0x102 waiting for monitor entry [0x2]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.b(App.java:2)\n\t- waiting to lock <0x1f> (a App$Lock)\n\n" +
			"JNI global refs: 5\n",
		"Thread.dump_to_file": "#20 \"alpha\" RUNNABLE 2026-11-21T07:15:49.9Z\n    at App.a(App.java:1)\n    - locked <App$Lock@1f>\n\n" +
			"#21 \"two\nlines\" BLOCKED 2026-11-21T07:15:49.9Z\n    at App.b(App.java:2)\n    - waiting to lock <App$Lock@1f>\n\n",
		"ThreadInfo": "\"alpha\" prio=5 Id=20 RUNNABLE\n\tat app//App.a(App.java:1)\n\t-  locked App$Lock@1f\n\n" +
			"\"two\nlines\" prio=5 Id=21 BLOCKED on App$Lock@1f owned by \"alpha\" Id=20\n\tat app//App.b(App.java:2)\n\n",
	} {
		if got := shown(t, []byte(text)); got != want {
			t.Errorf("%s: %q, want %q", notation, got, want)
		}
		if got := shown(t, []byte(strings.ReplaceAll(text, "\n", "\r\n"))); got != want {
			t.Errorf("%s with CRLF: %q, want %q", notation, got, want)
		}
	}
}

// A line of a log that begins with a quote hides no thread behind it.
func TestQuoteWithinDump(t *testing.T) {
	text := "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
		"\"alpha\" #20 prio=5 tid=0x1 nid=0x101 runnable [0x1]\n\tat App.a(App.java:1)\n\t- locked <0x1f> (a App$Lock)\n\n\"unfinished business\n" +
		"\"beta\" #21 prio=5 tid=0x2 nid=0x102 waiting for monitor entry [0x2]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.b(App.java:2)\n\t- waiting to lock <0x1f> (a App$Lock)\n\nJNI global refs: 5\n"
	if got, want := shown(t, []byte(text)), "2 live, 0 idle\nApp$Lock@1f: alpha <- beta\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
