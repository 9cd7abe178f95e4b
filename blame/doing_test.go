package blame

import (
	"testing"

	"contend/analysis"
	"contend/format"
)

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
		{"a socket below a buffer", frames("java.net.Socket$SocketInputStream", "read", "java.io.BufferedInputStream", "fill"), 0, Socket},
		{"a channel", frames("sun.nio.ch.SocketDispatcher", "read0", "sun.nio.ch.IOUtil", "read"), 0, Socket},
		{"a goroutine's connection", frames("internal/poll", "(*FD).Read", "net", "(*netFD).Read", "net", "(*conn).Read"), 0, Socket},
		{"a file", frames("sun.nio.ch.FileDispatcherImpl", "force0", "sun.nio.ch.FileChannelImpl", "force"), 0, File},
		{"a goroutine's file", frames("syscall", "Fsync", "internal/poll", "(*FD).Fsync", "os", "(*File).Sync"), 0, File},
		{"no package of that name", frames("network", "Poll"), 0, DoingUnknown},
		{"an event of I/O whose frames say nothing", nil, analysis.Did(format.ActivityIO), IO},
		{"a future", park, analysis.Did(format.ActivityPark), AwaitingOthers},
		{"a condition", frames("java.lang.Object", "wait"), 0, AwaitingOthers},
		{"the stack of taking a lock is of an instant", park, analysis.Acquiring, DoingUnknown},
		{"the same, though a sample shows the line running", nil, analysis.Acquiring | analysis.Did(format.ActivityRun), DoingUnknown},
		{"a sample", nil, analysis.Did(format.ActivityRun), OnCPU},
		{"a sample of a thread of which nothing more is told", nil, analysis.Did(format.ActivitySeen), DoingUnknown},
		{"a sample inside a read", frames("sun.nio.ch.FileChannelImpl", "read"), analysis.Did(format.ActivityRun), File},
	} {
		if got := doingAt(c.inner, c.uses); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
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
