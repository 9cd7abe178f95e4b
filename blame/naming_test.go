package blame

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

func TestGlobMatchesNamesAsTablesPrintThem(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"j.u.c.l.ReentrantLock$NonfairSync", "java.util.concurrent.locks.ReentrantLock$NonfairSync", true},
		{"j.u.c.l.ReentrantLock$NonfairSync@7f001234", "java.util.concurrent.locks.ReentrantLock$NonfairSync", true},
		{"Truth$InventoryLock", "Truth$InventoryLock", true},
		{"Truth$InventoryLock@0x69ef10310", "Truth$InventoryLock", true},
		{"j.u.*", "java.util.Hashtable", true},
		{"j.u.*", "java.text.Format", false},
		{"j.u.Hashtable", "java.util.concurrent.Hashtable", false},
		{"java.util.Hashtable", "java.util.Hashtable", true},
		{"java.util.Hash", "java.util.Hashtable", false},
		{"javaxutil.Hashtable", "java.util.Hashtable", false},
		{"*Lock", "a.b.CLock", true},
		{"*", "anything at all", true},
	} {
		re, err := Glob(c.pattern)
		golden.OK(t, err)
		golden.Equal(t, re.MatchString(c.name), c.want, c.pattern)
	}
}

func TestExpressionsMatchNamesAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"Truth$InventoryLock", "Truth$InventoryLock", true},
		{"Truth$InventoryLock", "Truth$InventoryLock@12ab", true},
		{"j.u.c.l.ReentrantLock", "java.util.concurrent.locks.ReentrantLock$FairSync", true},
		{"l.Stack", "a.l.Stack", true}, // an expression as ever
		{"Lock$", "a.Lock", true},
		{"Lock$", "a.Lock2", false},
		{"^Hash", "java.util.Hashtable", false},
		{"Hash|Vector", "java.util.Vector", true},
		{"int[]", "int[]", true},
	} {
		re, err := Expression(c.text)
		if c.text == "int[]" {
			if err == nil {
				t.Error("an open bracket is no expression")
			}
			continue
		}
		golden.OK(t, err)
		golden.Equal(t, re.MatchString(c.name), c.want, c.text)
	}
}

func TestNearest(t *testing.T) {
	names := []string{
		"java.util.Hashtable",
		"java.util.Vector",
		"Truth$InventoryLock",
		"Truth$LedgerLock",
		"Truth$InventoryLock",
	}
	for text, want := range map[string][]string{
		"java.util.Hastable":  {"java.util.Hashtable"},
		"hashtable":           {"java.util.Hashtable"},
		"Hashtabel":           {"java.util.Hashtable"},
		"truth":               {"Truth$InventoryLock", "Truth$LedgerLock"},
		"Truth$InventryLock":  {"Truth$InventoryLock"},
		"InventryLock":        {"Truth$InventoryLock"},
		"Inventry":            {"Truth$InventoryLock"},
		"Vectro$":             {"java.util.Vector"},
		"com.acme.Nothing":    nil,
		"java.util.Vector@12": {"java.util.Vector"},
		"":                    nil,
	} {
		if got := Nearest(text, names, 3); !slices.Equal(got, want) && !(want == nil && len(got) == 0) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func frames(pairs ...string) (out []format.Frame) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, format.Frame{Class: pairs[i], Method: pairs[i+1]})
	}
	return out
}

func TestDoings(t *testing.T) {
	park := frames("jdk.internal.misc.Unsafe", "park", "java.util.concurrent.locks.LockSupport", "park")
	for _, c := range []struct {
		name  string
		inner []format.Frame
		uses  analysis.Uses
		want  Doing
	}{
		{"nothing is known", nil, 0, DoingUnknown},
		{"a dump shows a sleep", frames("java.lang.Thread", "sleep"), 0, Asleep},
		{"the event is of a sleep, whose frames are the program's", nil, analysis.Did(format.ActivitySleep), Asleep},
		{"a goroutine", frames("time", "Sleep"), 0, Asleep},
		{"a socket below a buffer", frames("java.net.Socket$SocketInputStream", "read",
			"java.io.BufferedInputStream", "fill"), 0, Socket},
		{"a channel", frames("sun.nio.ch.SocketDispatcher", "read0", "sun.nio.ch.IOUtil", "read"), 0, Socket},
		{"a goroutine's connection", frames("internal/poll", "(*FD).Read", "net", "(*netFD).Read", "net",
			"(*conn).Read"), 0, Socket},
		{"a file", frames("sun.nio.ch.FileDispatcherImpl", "force0", "sun.nio.ch.FileChannelImpl", "force"), 0, File},
		{"a goroutine's file", frames("syscall", "Fsync", "internal/poll", "(*FD).Fsync", "os", "(*File).Sync"), 0,
			File},
		{"no package of that name", frames("network", "Poll"), 0, DoingUnknown},
		{"an event of I/O whose frames say nothing", nil, analysis.Did(format.ActivityIO), IO},
		{"a future", park, analysis.Did(format.ActivityPark), AwaitingOthers},
		{"a condition", frames("java.lang.Object", "wait"), 0, AwaitingOthers},
		{"the stack of taking a lock is of an instant", park, analysis.Acquiring, DoingUnknown},
		{"the same, though a sample shows the line running", nil,
			analysis.Acquiring | analysis.Did(format.ActivityRun), DoingUnknown},
		{"a sample", nil, analysis.Did(format.ActivityRun), OnCPU},
		{"a sample of a thread of which nothing more is told", nil, analysis.Did(format.ActivitySeen), DoingUnknown},
		{"a sample inside a read", frames("sun.nio.ch.FileChannelImpl", "read"), analysis.Did(format.ActivityRun),
			File},
	} {
		golden.Equal(t, doingAt(c.inner, c.uses), c.want, c.name)
	}
}

func TestEveryDoingHasAName(t *testing.T) {
	for d := DoingUnknown; d <= Blocked; d++ {
		if d.String() == "" {
			t.Errorf("%d", d)
		}
	}
	for _, p := range patterns {
		if p.class == "" || p.doing == DoingUnknown {
			t.Errorf("%+v", p)
		}
	}
}
