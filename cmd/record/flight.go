package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"contend/cmd/record/attach"
)

// startFlight begins a flight recording with a time limit beyond its planned end, in case
// contend is killed.
func (s *session) startFlight() (err error) {
	if free, ok := room(s.dir.here.File()); ok && free < needed {
		return s.noRoom(free)
	}
	if err := s.dir.held(); err != nil {
		return err
	}
	f, err := s.dir.create(settingsName, s.config.Settings)
	if err != nil {
		return err
	}
	f.Close()
	if err := s.hide(); err != nil {
		return err
	}
	defer func() {
		if err != nil { // the JVM may still begin it
			s.endFlight(s.dir.name)
		}
	}()
	least := int((s.config.Duration + 3*patience) / time.Second)
	answer, err := s.jcmd(
		s.ctx,
		"JFR.start name=%s settings=%s dumponexit=true duration=%ds filename=%s",
		s.dir.name,
		s.dir.path(settingsName),
		least,
		s.dir.path(flightName),
	)
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(answer, "jdk.jfr not found"):
		return s.noFlight()
	case !strings.Contains(answer, "Started recording"):
		return &attach.Error{
			PID:  s.p.PID,
			What: "starts no flight recording: " + answer,
			Hint: "--with agent needs none",
		}
	}
	if s.repository = s.openRepository(); s.repository == nil {
		return nil
	}
	if free, ok := room(s.repository.dir.File()); ok && free < needed {
		return s.noRoom(free)
	}
	return nil
}

func (s *session) noRoom(free uint64) error {
	return &attach.Error{
		PID: s.p.PID,
		What: fmt.Sprintf(
			"has %d MB left where its flight recorder writes, and is ended by it when that is full",
			free>>20,
		),
		Hint: "make room there, at least 32 MB; --with agent writes little",
	}
}

// stopFlight ends the flight recording. If the process ends at the same time, it leaves a
// file after an orderly exit, else the chunks that its flight recorder had written. The
// chunks are all that remains, too, if there is no space for the file.
func (s *session) stopFlight(r *Recording) error {
	var saved *os.File
	salvage := func() {
		ctx, done := s.hurried()
		defer done()
		saved = s.repository.salvage(ctx, r.most())
	}
	if r.Scarce { // it deletes a file that it cannot complete
		salvage()
	}
	if !r.Ended {
		ctx, done := s.ending()
		defer done()
		_, err := s.jcmd(ctx, "JFR.stop name=%s filename=%s", s.dir.name, s.dir.path(flightName))
		s.reveal(ctx)
		r.Ended = err != nil && !s.p.Alive()
		if (r.Ended || ctx.Err() != nil) && saved == nil {
			salvage()
		}
		if err != nil && !r.Ended && saved == nil {
			return err
		}
	} else if saved == nil {
		salvage()
	}
	stopped, err := s.dir.here.Open(flightName)
	if err != nil {
		stopped = nil
	}
	if r.Flight = r.keep(larger(stopped, saved)); r.Flight == nil {
		return errNoFlight
	}
	return nil
}

// larger closes the smaller of two files, either of which may be nil, and returns the
// other; nil if that is empty.
func larger(a, b *os.File) *os.File {
	if written(a) < written(b) {
		a, b = b, a
	}
	if b != nil {
		b.Close()
	}
	if a != nil && written(a) == 0 {
		a.Close()
		a = nil
	}
	return a
}

// written returns how many bytes were written to a file, which may be nil, up to its first
// hole.
func written(f *os.File) int64 {
	if f == nil {
		return 0
	}
	if size, err := f.Seek(0, hole); err == nil {
		return size
	}
	return fileSize(f) // it is empty, or its file system has no holes
}

var errNoFlight = errors.New(
	"no flight recording is left: the process ended before anything of it was written, or found no room",
)

// endFlight ends an unwanted flight recording, if there is one; its file is removed with
// its folder.
func (s *session) endFlight(name string) {
	ctx, done := s.ending()
	defer done()
	_, _ = s.jcmd(ctx, "JFR.stop name=%s", name)
	s.reveal(ctx)
}

func (s *session) jcmd(ctx context.Context, command string, args ...any) (string, error) {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	answer, err := s.p.Command(ctx, "jcmd", fmt.Sprintf(command, args...))
	if err != nil && strings.Contains(err.Error(), "Unknown diagnostic command") {
		return "", s.noFlight()
	}
	return strings.Join(strings.Fields(string(answer)), " "), err
}

func (s *session) noFlight() error {
	what := "has no flight recorder"
	if s.p.Lacks("jdk.jfr") {
		what += ": its runtime has no jdk.jfr"
	}
	return &attach.Error{PID: s.p.PID, What: what, Hint: "--with agent needs none"}
}
