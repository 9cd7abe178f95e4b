package record

import (
	"context"
	"io"
	"time"

	"contend/cmd/record/attach"
)

// Watch is the growing trace of an agent alone: Read waits for new data, and returns io.EOF
// when the process or the context has ended. Data that was read takes no space: it is replaced
// by a hole now and then.
type Watch struct {
	s      *session
	stop   context.CancelFunc
	over   chan struct{} // closed when the trace has ended
	at     int64         // offset in the trace
	end    int64         // of the trace when the agent ended: the program may go on writing for ever
	before int64         // at, when the file last got a hole
}

// emptied bounds the bytes on disk that were already read, and behind those that were not: the
// agent writes some KB between two looks, but the program may make the trace of any size. A
// watch lasts for days and costs little: it looks seldom for new data, and more seldom for
// the process.
const (
	emptied   = 1 << 20
	behind    = 64 << 20
	watchLook = 200 * time.Millisecond
	watchStep = 2 * time.Second
)

// NewWatch loads the agent. Config has no Duration.
func NewWatch(ctx context.Context, p *attach.Process, c Config) (*Watch, error) {
	c.Duration, c.Progress = 1<<62, nil
	s, err := newSession(ctx, p, c)
	if err != nil {
		return nil, err
	}
	if s.trace, err = s.startAgent(false); err != nil {
		s.end()
		return nil, err
	}
	_, _ = s.jcmd(
		ctx,
		"JFR.check",
	) // the first command to a flight recorder takes a second or more; here it delays no recording
	ctx, stop := context.WithCancel(ctx)
	w := &Watch{s: s, stop: stop, over: make(chan struct{})}
	go func() {
		defer close(w.over)
		ended, _ := s.wait(ctx, watchStep)
		s.stopAgent(ended)
		w.end = fileSize(s.trace)
	}()
	return w, nil
}

// Read implements io.Reader.
func (w *Watch) Read(b []byte) (int, error) {
	for {
		over := false
		select {
		case <-w.over:
			over, b = true, b[:max(0, min(int64(len(b)), w.end-w.at))]
		default:
		}
		if fileSize(w.s.trace)-w.at > behind {
			return 0, &Error{
				"the trace of the agent has grown faster than an agent writes",
				"what writes it there is not contend's agent",
			}
		}
		n, err := w.s.trace.ReadAt(b, w.at)
		if n > 0 {
			w.at += int64(n)
			return n, nil
		}
		if over {
			return 0, io.EOF
		}
		if err != io.EOF {
			return 0, err
		}
		if fileSize(w.s.trace) == w.at && w.at-w.before > emptied {
			if err := clearTo(w.s.trace, w.at); err != nil {
				return 0, err
			}
			w.before = w.at
		}
		select {
		case <-w.over:
		case <-time.After(watchLook):
		}
	}
}

// Close ends the agent, and removes its files.
func (w *Watch) Close() {
	w.stop()
	<-w.over
	w.s.trace.Close()
	w.s.end()
}
