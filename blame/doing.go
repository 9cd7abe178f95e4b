package blame

import (
	"strings"

	"contend/analysis"
	"contend/format"
)

// Doing is the activity of a thread.
type Doing uint8

// The activities. DoingUnknown is that of most sections: the thread runs, or is ready to run, and
// the trace does not show it.
const (
	DoingUnknown Doing = iota
	OnCPU              // a sample shows it running
	Asleep
	Socket
	File
	IO             // file or socket I/O
	AwaitingOthers // for a condition, a queue, a future
	Blocked        // on another lock
	Ready          // to run on, and without a processor
	Collected      // stopped by a garbage collection
	Stopped        // by another pause of the JVM
)

var doingNames = [...]string{
	DoingUnknown:   "running or unknown",
	OnCPU:          "on CPU",
	Asleep:         "asleep",
	Socket:         "in socket I/O",
	File:           "in file I/O",
	IO:             "in I/O",
	AwaitingOthers: "waiting",
	Blocked:        "blocked",
	Ready:          "ready, without a processor",
	Collected:      "stopped by a garbage collection",
	Stopped:        "stopped by a pause of the JVM",
}

// String returns the words that follow "the owner was".
func (d Doing) String() string { return doingNames[min(int(d), len(doingNames)-1)] }

// pattern is a family of frames with one activity.
type pattern struct {
	class  string // the prefix of the class
	method string // the prefix of the method; "" is any
	doing  Doing
}

// patterns are frames of the platforms. The first pattern that matches a frame inside of the
// program's own code decides.
var patterns = [...]pattern{
	{"java.lang.Thread", "sleep", Asleep},
	{"java.util.concurrent.TimeUnit", "sleep", Asleep},
	{"time", "Sleep", Asleep},
	{"runtime", "timeSleep", Asleep},
	{"sun.nio.ch.SourceChannelImpl", "", IO},
	{"sun.nio.ch.SinkChannelImpl", "", IO}, // pipes, which read as files or sockets do
	{"java.net.Socket", "", Socket},
	{"java.net.ServerSocket", "", Socket},
	{"java.net.PlainSocketImpl", "", Socket},
	{"java.net.DatagramSocket", "", Socket},
	{"java.net.Inet", "", Socket},
	{"sun.nio.ch.Socket", "", Socket},
	{"sun.nio.ch.ServerSocket", "", Socket},
	{"sun.nio.ch.NioSocketImpl", "", Socket},
	{"sun.nio.ch.Net", "", Socket},
	{"sun.nio.ch.Datagram", "", Socket},
	{"sun.nio.ch.EPoll", "", Socket},
	{"sun.nio.ch.KQueue", "", Socket},
	{"sun.security.ssl.", "", Socket},
	{"net", "", Socket},
	{"net/", "", Socket},
	{"crypto/tls", "", Socket},
	{"java.io.File", "", File},
	{"java.io.RandomAccessFile", "", File},
	{"java.io.UnixFileSystem", "", File},
	{"java.io.WinNTFileSystem", "", File},
	{"java.nio.file.", "", File},
	{"java.nio.channels.FileChannel", "", File},
	{"java.nio.MappedByteBuffer", "force", File},
	{"sun.nio.ch.FileChannelImpl", "", File},
	{"sun.nio.ch.FileDispatcher", "", File},
	{"sun.nio.ch.UnixFileDispatcher", "", File},
	{"sun.nio.fs.", "", File},
	{"os", "(*File)", File},
	{"os", "", File},
	{"syscall", "Fsync", File},
	{"io/ioutil", "", File},
	{"sun.nio.ch.IOUtil", "", IO},
	{"internal/poll", "", IO},
	{"syscall", "", IO},
	{"java.lang.Process", "", IO},
	{"java.lang.Object", "wait", AwaitingOthers},
	{"java.util.concurrent.locks.LockSupport", "park", AwaitingOthers},
	{"jdk.internal.misc.Unsafe", "park", AwaitingOthers},
	{"sun.misc.Unsafe", "park", AwaitingOthers},
	{"java.lang.Thread", "join", AwaitingOthers},
	{"sync", "(*Cond).Wait", AwaitingOthers},
	{"sync", "(*WaitGroup).Wait", AwaitingOthers},
	{"sync", "runtime_notifyListWait", AwaitingOthers},
	{"runtime", "chan", AwaitingOthers},
	{"runtime", "selectgo", AwaitingOthers},
	{"runtime", "block", AwaitingOthers},
}

// matches reports whether a frame is of the family. A class without a dot, unless it ends in a
// slash, is a package of Go, and must match whole.
func (p *pattern) matches(f format.Frame) bool {
	if !strings.HasPrefix(f.Class, p.class) || !strings.HasPrefix(f.Method, p.method) {
		return false
	}
	return len(f.Class) == len(p.class) || strings.ContainsAny(p.class, ".") || strings.HasSuffix(p.class, "/")
}

// ofFrames returns the activity that the innermost frames of a stack show, those inside of the
// program's own code.
func ofFrames(inner []format.Frame) Doing {
	best := len(patterns)
	for _, f := range inner {
		for i := range best {
			if patterns[i].matches(f) {
				best = i
				break
			}
		}
	}
	if best < len(patterns) {
		return patterns[best].doing
	}
	return DoingUnknown
}

// doingAt returns the activity of a thread, from the frames of its stack inside of the program's own
// code and from the events with that stack. The stack of an acquire or a release belongs to an
// instant and does not show the time between.
func doingAt(inner []format.Frame, uses analysis.Uses) Doing {
	shown := ofFrames(inner)
	switch {
	case uses.Has(analysis.Did(format.ActivitySleep)):
		return Asleep
	case uses.Has(analysis.Did(format.ActivityFile)):
		return File
	case uses.Has(analysis.Did(format.ActivitySocket)):
		return Socket
	case uses.Has(analysis.Did(format.ActivityIO)) && shown != Socket && shown != File:
		return IO
	case uses&(analysis.Acquiring|analysis.Releasing) != 0 && (shown == AwaitingOthers || shown == DoingUnknown):
		return DoingUnknown
	case shown != DoingUnknown:
		return shown
	case uses&(analysis.Did(format.ActivityWait)|analysis.Did(format.ActivityPark)) != 0:
		return AwaitingOthers
	case uses.Has(analysis.Did(format.ActivityRun)):
		return OnCPU
	}
	return DoingUnknown
}

// RecordedDoing converts a recorded activity; DoingUnknown if the stack shows more.
func RecordedDoing(a format.Activity) Doing {
	switch a {
	case format.ActivitySleep:
		return Asleep
	case format.ActivityFile:
		return File
	case format.ActivitySocket:
		return Socket
	case format.ActivityWait, format.ActivityPark:
		return AwaitingOthers
	case format.ActivityReady:
		return Ready
	case analysis.ActivityCollected:
		return Collected
	case analysis.ActivityStopped:
		return Stopped
	}
	return DoingUnknown
}
