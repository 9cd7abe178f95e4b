package record

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"contend/cmd/atomicfile"
	"contend/cmd/record/agent"
	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
	"contend/format"
)

// Config of a recording.
type Config struct {
	Duration time.Duration
	Rate     float64             // maximum of the agent's samples per second
	Overhead float64             // limit of their cost, as a share of the program's CPU time; 0: 0.012
	Settings []byte              // of the flight recorder: a .jfc file
	Exact    bool                // rewrite the classes that acquire the contended locks, and record who holds these
	Progress func(time.Duration) // called now and then with the remaining time; may be nil

	// Follow reads the agent's trace as it grows, from when classes have been rewritten to the end of the recording.
	// It is called on a goroutine of its own; nil without Exact.
	Follow func(samples io.Reader)
}

// Recording is the result of a recording.
type Recording struct {
	Samples *io.SectionReader // the agent's trace, nil without the agent; its file has no name any more
	Flight  *io.SectionReader // the flight recording, nil without one; likewise
	Length  time.Duration     // the recorded duration
	Ended   bool              // the process ended before the time was over
	Scarce  bool              // it was ended early: the flight recorder would have run out of space
	Chunks  string            // where the ended process's flight recorder left files, maybe of its own recordings
	files   []*os.File
}

// Close releases the files.
func (r *Recording) Close() {
	for _, f := range r.files {
		f.Close()
	}
}

// keep returns the current content of a file, up to its first hole and at most most; nil
// without a file. The file belongs to the user of the recorded process, who may go on writing
// to it, and make it a sparse file of any size.
func (r *Recording) keep(f *os.File) *io.SectionReader {
	if f == nil {
		return nil
	}
	r.files = append(r.files, f)
	return io.NewSectionReader(f, 0, min(written(f), r.most()))
}

// rate bounds what is read of a recording, in bytes per second of it and of leastTime: a busy
// flight recorder writes some MB. Some file systems do not say where a file has holes.
var rate int64 = 16 << 20 // tests have less

const leastTime = 10 * time.Second

func (r *Recording) most() int64 { return int64((r.Length + leastTime).Seconds()) * rate }

// Means are the recorders to use.
type Means struct{ Agent, Flight bool }

// A stopped process must not keep the user from ending a recording, hence hurry.
const (
	patience = time.Minute            // for the target to answer: a busy JVM starts its flight recorder slowly
	hurry    = 10 * time.Second       // to finish after ctx is done
	step     = 250 * time.Millisecond // between two checks that the target is alive
)

// errEarly says that ctx ended before there was any data.
var errEarly = errors.New("ended before anything was recorded")

// JVM records a process until the time is over or ctx ends, and returns the data so far. The
// error is an *attach.Error if the process refuses. It returns at most hurry after the end of
// ctx, or twice that if it copies the data of a process that does not answer.
func JVM(ctx context.Context, p *attach.Process, m Means, c Config) (*Recording, error) {
	s, err := newSession(ctx, p, c)
	if err != nil {
		return nil, err
	}
	out := &Recording{}
	defer func() { out.Chunks = s.end() }()
	if m.Agent && c.Exact { // first: the flight recording is to be of rewritten classes
		if s.trace, err = s.startAgent(m.Flight); err == nil {
			err = s.rewritten(ctx)
		}
		if err != nil {
			if ctx.Err() != nil {
				err = errEarly
			}
			return nil, err
		}
		defer s.follow()()
	}
	if m.Flight { // before the agent: its samples should lie within it
		if err := s.startFlight(); err != nil {
			if ctx.Err() != nil {
				err = errEarly
			}
			return nil, err
		}
	}
	if m.Agent && !c.Exact {
		if s.trace, err = s.startAgent(m.Flight); err != nil {
			if m.Flight {
				s.endFlight(s.dir.name)
			}
			if ctx.Err() != nil {
				err = errEarly
			}
			return nil, err
		}
	}
	begun := time.Now()
	out.Ended, out.Scarce = s.wait(ctx, step)
	out.Length = time.Since(begun)
	if m.Flight && c.Exact { // first: it loses names of methods whose classes are taken back
		err = s.stopFlight(out)
	}
	if m.Agent {
		s.stopAgent(out.Ended)
		out.Samples = out.keep(s.trace)
	}
	if m.Flight && !c.Exact {
		err = s.stopFlight(out)
	}
	if m.Agent && errors.Is(err, errNoFlight) { // the samples stay
		err = nil
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// Error is why a program other than a JVM could not be recorded, and a remedy.
type Error struct{ What, Hint string }

func (e *Error) Error() string { return e.What }

// showProgress calls progress now and then with the remaining time, and with 0 when the returned
// function is called, and not after that.
func showProgress(d time.Duration, progress func(left time.Duration)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	end := time.Now().Add(d)
	over := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer progress(0)
		turn := time.NewTicker(step)
		defer turn.Stop()
		for {
			progress(max(time.Until(end), time.Nanosecond))
			select {
			case <-over:
				return
			case <-turn.C:
			}
		}
	}()
	return func() { close(over); <-ended }
}

// growing reads a file that another process writes to. It ends where the file does once over is closed, or
// with more than the agent can have written by then.
type growing struct {
	file  *os.File
	at    int64
	begun time.Time
	over  <-chan struct{}
}

func (g *growing) Read(b []byte) (int, error) {
	for over := false; ; {
		if g.at > int64((time.Since(g.begun)+leastTime).Seconds())*rate {
			return 0, io.EOF
		}
		n, err := g.file.ReadAt(b, g.at)
		g.at += int64(n)
		switch {
		case n > 0:
			return n, nil
		case !errors.Is(err, io.EOF):
			return 0, err
		case over:
			return 0, io.EOF
		}
		select {
		case <-g.over:
			over = true
		case <-time.After(watchLook):
		}
	}
}

type session struct {
	config     Config
	ctx        context.Context // whose end is that of the recording
	p          *attach.Process
	dir        *folder
	repository *repository // nil without a flight recording
	lease      *os.File    // nil without an agent
	leased     string      // its name
	trace      *os.File    // nil without an agent
}

// newSession opens the folder of a recording, and removes folders that are not needed any
// more.
func newSession(ctx context.Context, p *attach.Process, c Config) (*session, error) {
	if err := p.Renew(); err != nil {
		return nil, err
	}
	s := &session{config: c, ctx: ctx, p: p}
	in, err := p.Open(p.Temp())
	if err == nil {
		s.dir, err = newFolder(ctx, in, p.Temp(), p.Key(), s.settle)
	}
	var refused *attach.Error
	switch {
	case err == nil:
		p.Tidy()
		return s, nil
	case ctx.Err() != nil:
		return nil, errEarly
	case errors.As(err, &refused):
		return nil, refused
	}
	hint := "start it with -javaagent: see 'contend record --help'"
	if shared := (*foreign.SharedError)(nil); errors.As(err, &shared) {
		hint = shared.Hint()
	}
	return nil, &attach.Error{
		PID:  p.PID,
		What: fmt.Sprintf("has no place for the recording in its %s: %s", p.Temp(), atomicfile.Cause(err)),
		Hint: hint,
	}
}

// settle ends recordings of a name. A JVM executes one command after the other: once it has
// answered this one, it executes no earlier command of this name late.
func (s *session) settle(name string) error {
	ctx, done := s.ending()
	defer done()
	if _, err := s.jcmd(ctx, "VM.version"); err != nil { // each command to one that does not answer takes seconds
		return err
	}
	s.endFlight(name)
	_, err := s.jcmd(ctx, "VM.version")
	return err
}

// end removes the files of the session from the process's folder for temporary files.
// It returns the path where chunks of a process that has ended stay.
func (s *session) end() (chunks string) {
	s.repository.close()
	s.lease.Close()
	return s.dir.end(!s.p.Alive())
}

// ending returns the context for ending a recording: it lasts for patience, but at most
// hurry beyond the end of the recording's own context.
func (s *session) ending() (ctx context.Context, done func()) {
	hurried, end := s.hurried()
	ctx, cancel := context.WithTimeout(hurried, patience)
	return ctx, func() { cancel(); end() }
}

// hurried returns a context that lasts at most hurry beyond the end of the recording's own,
// or from now if that has ended.
func (s *session) hurried() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.ctx))
	stop := context.AfterFunc(s.ctx, func() { time.AfterFunc(hurry, cancel) })
	return ctx, func() { stop(); cancel() }
}

// alive is the content of a lease, which is written again to touch it.
var alive = []byte{'.'}

const (
	traceName    = "trace.bin"
	settingsName = "settings.jfc"
	flightName   = "flight.jfr"
)

// startAgent loads the agent. A stub of it stays in the JVM; the recorder's own code is
// loaded from this jar and unloaded when the recording ends. With a flight recording it
// measures no waits.
func (s *session) startAgent(flight bool) (trace *os.File, err error) {
	s.leased = "lease-" + rand.Text()[:8] // an agent that has not ended yet looks for another
	if s.lease, err = s.dir.create(s.leased, alive); err != nil {
		return nil, err
	}
	if trace, err = s.dir.create(traceName, nil); err != nil {
		return nil, err
	}
	jar := s.dir.path(jarName)
	o := agent.Options{
		Jar:      jar,
		File:     s.dir.path(traceName),
		Lease:    s.dir.path(s.leased),
		Rate:     number(s.config.Rate),
		Overhead: number(s.config.Overhead),
		Evidence: flight,
	}
	if s.config.Exact {
		o.Exact = search
	}
	runs := func() bool { return fileSize(trace) > 0 }
	ctx, done := context.WithTimeout(s.ctx, patience)
	defer done()
	if err = s.dir.held(); err == nil {
		err = s.p.Load(ctx, jar, o.String(), runs)
	}
	if err != nil {
		trace.Close()
		return nil, err
	}
	return trace, nil
}

// search is for how long the agent looks for contended locks.
const search = 2 * time.Second

// headerSize is the size of a trace before the agent has written its first block: that comes when
// classes have been rewritten.
const headerSize = 12

// rewritten waits until the agent has rewritten the classes.
func (s *session) rewritten(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	turn := time.NewTicker(step)
	defer turn.Stop()
	for fileSize(s.trace) <= headerSize {
		select {
		case <-ctx.Done():
			return &attach.Error{
				PID:  s.p.PID,
				What: "does not get its classes rewritten",
				Hint: "it may be too busy; record it without --exact",
			}
		case <-turn.C:
			_, _ = s.lease.WriteAt(alive, 0)
		}
		if !s.p.Alive() {
			return &attach.Error{PID: s.p.PID, What: "ended before its classes were rewritten"}
		}
	}
	return nil
}

// follow has the trace read as it grows, until the returned function is called, which waits for its end.
func (s *session) follow() (end func()) {
	if s.config.Follow == nil {
		return func() {}
	}
	over, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		s.config.Follow(&growing{file: s.trace, begun: time.Now(), over: over})
	}()
	return func() { close(over); <-read }
}

// number writes an option of the agent; 0 leaves it out.
func number(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// stopAgent ends the lease and waits for the end of the trace. A JVM that has no time for
// it, or has ended, leaves a truncated trace.
func (s *session) stopAgent(ended bool) {
	_ = s.dir.here.Remove(s.leased)
	tries := 60
	if s.config.Exact {
		tries *= 4 // its classes are rewritten again
	}
	for range tries {
		if complete(s.trace) || ended {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// complete reports whether a trace ends with its end event, which the agent
// writes as a small block of its own.
func complete(f *os.File) bool {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	tail := make([]byte, min(size, 64))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return false
	}
	at := strings.LastIndex(string(tail), format.Marker)
	body := at + format.BlockHeaderSize(format.Version) // which the agent writes
	return at >= 0 && body < len(tail) && format.Kind(tail[body]) == format.KindEnd
}

// wait keeps the lease alive until the time is over, ctx ends or space runs low; after each
// step it checks whether the process has ended or space is low.
func (s *session) wait(ctx context.Context, step time.Duration) (ended, scarce bool) {
	defer showProgress(s.config.Duration, s.config.Progress)()
	over := time.Now().Add(s.config.Duration)
	turn := time.NewTicker(step)
	defer turn.Stop()
	for {
		left := time.Until(over)
		if left <= 0 {
			return false, false
		}
		select {
		case <-ctx.Done():
			return false, false
		case <-time.After(left):
		case <-turn.C:
			_, _ = s.lease.WriteAt(alive, 0)
		}
		if !s.p.Alive() {
			return true, false
		}
		if s.repository.scarce() {
			return false, true
		}
	}
}
