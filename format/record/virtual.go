package record

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"contend/format/whole"
)

// Neither the agent nor the flight recorder sees what virtual threads wait for. From JDK 24
// on the JVM writes that into a file, of all threads: it takes virtual ones one after the
// other and stops none for long, but the more there are the longer it takes.
const (
	dumpName = "threads.json"
	dumpsMax = 4                      // a second
	dumpPart = 20                     // of the time at most one in so many passes in dumps
	dumpSize = 16 << 20               // of a larger dump the rest is left out
	DumpsAll = 256 << 20              // bytes of all of a recording; then no more are made
	dumpLook = 500 * time.Millisecond // for the first virtual thread

	// A dump costs the time it takes, if that is not more than twice what the one before cost:
	// the first runs code that is not compiled, and any may wait for a processor.
	dumpCheap = time.Second / dumpsMax / dumpPart
)

// virtualDumps is what the JVM wrote, one document behind the other; the file is nil where
// that is nothing.
type virtualDumps struct {
	file *os.File
	full bool // there are DumpsAll bytes
}

// dumpVirtual samples virtual threads, as soon as there are some, until ctx ends.
func (s *session) dumpVirtual(ctx context.Context) (out virtualDumps) {
	size, cost := 0, dumpCheap
	for wait := dumpLook; ; {
		select {
		case <-ctx.Done():
			return out
		case <-time.After(wait):
		}
		wait = dumpLook
		if out.file == nil && !s.p.VirtualThreads() {
			continue
		}
		begun := time.Now()
		text := s.dump(ctx)
		took := time.Since(begun)
		if size += len(text); text == nil || size > DumpsAll {
			out.full = text != nil
			return out
		}
		if out.file == nil {
			var err error
			if out.file, err = whole.Scratch(); err != nil {
				return out
			}
		}
		if _, err := out.file.Write(append(text, '\n')); err != nil {
			return out // of a full disk: what came before is good
		}
		cost = min(2*cost, took)
		wait = max(time.Second/dumpsMax, dumpPart*cost)
	}
}

// dump returns a dump of all threads; nil where the JVM writes none, or tells no locks.
func (s *session) dump(ctx context.Context) []byte {
	if _, err := s.jcmd(ctx, "Thread.dump_to_file -overwrite -format=json %s", s.dir.path(dumpName)); err != nil {
		return nil
	}
	f, err := s.dir.here.Open(dumpName)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, dumpSize))
	if err != nil || !bytes.Contains(text, []byte(`"state":`)) { // it is older than JDK 24
		return nil
	}
	return text
}
