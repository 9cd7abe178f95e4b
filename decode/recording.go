package decode

import (
	"errors"
	"io"

	"contend/decode/jfr"
	"contend/decode/native"
	"contend/format"
)

// The names of a recording's files in messages: their paths are removed with the recording.
const (
	flightFile = "flight.jfr"
	sampleFile = "samples.bin"
)

// Recording reads what was recorded of one JVM: its flight recording, the samples of the
// agent, or both; either may be nil. With both, waits are those of the flight recording, and
// samples only show owners and the waits of virtual threads; but of locks that the agent followed, waits
// and holds are those of the agent. The caller keeps the files open.
func Recording(flight, samples *io.SectionReader, o Options) (Source, error) {
	r, err := recording(flight, samples, o)
	if err != nil {
		return nil, err
	}
	return &admitted{Source: r, name: flightFile}, nil
}

func recording(flight, samples *io.SectionReader, o Options) (Source, error) {
	if flight == nil {
		return native.NewReader(samples, sampleFile)
	}
	opened := jfr.Options{Rules: o.Rules, AgentSamples: samples != nil}
	var locks *followed
	if samples != nil {
		var err error
		if locks, err = follow(flight, samples, opened, o.Inferred); err != nil {
			return nil, err
		}
	}
	r, err := jfr.NewReader(flight, flightFile, opened)
	if err != nil || samples == nil {
		return r, err
	}
	shown, err := native.NewReader(samples, sampleFile)
	if err != nil {
		return nil, err
	}
	return &both{Reader: r, samples: shown, followed: locks}, nil
}

// Samples reads an agent's trace, which may grow while it is read.
func Samples(in io.Reader) (Source, error) {
	r, err := native.NewReader(in, sampleFile)
	if err != nil {
		return nil, err
	}
	return &admitted{Source: r, name: sampleFile}, nil
}

// both reads a flight recording to its end, then the samples of the same JVM.
type both struct {
	*jfr.Reader
	samples  Source
	followed *followed // nil without locks that the agent followed
	then     bool
	ended    bool           // the samples have
	missed   []format.Event // what comes after them
	last     int64          // sample, and how many there were: in each a deadlock shows
	shown    int
}

func (b *both) Read(ev *format.Event) error {
	for {
		if !b.then {
			err := b.Reader.Read(ev)
			if err == nil && b.followed.holdsBack(ev) {
				continue
			}
			if !errors.Is(err, io.EOF) {
				return err
			}
			b.then = true
			b.followed.sort()
		}
		if b.Reader.Next(ev) {
			if b.followed != nil && !b.followed.see(ev) {
				continue
			}
			return nil
		}
		if b.followed != nil && b.ended {
			return b.readMissed(ev)
		}
		var shown format.Event
		if err := b.samples.Read(&shown); errors.Is(err, io.EOF) && b.followed != nil {
			b.ended, b.missed = true, b.followed.missed()
			continue
		} else if err != nil {
			return err
		}
		if shown.Kind == format.KindContention && shown.Time != b.last {
			b.last = shown.Time
			b.shown++
		}
		if b.followed == nil || b.followed.adds(&shown) {
			b.Reader.Show(&shown)
		}
	}
}

// readMissed gives the next of the events that come last.
func (b *both) readMissed(ev *format.Event) error {
	if len(b.missed) == 0 {
		return io.EOF
	}
	*ev, b.missed = b.missed[0], b.missed[1:]
	return nil
}

// Stats implements Source. Samples show deadlocks as thread dumps do, unless they are cut
// off, because a deadlock may have come later. If no thread waits in any sample, there is
// no deadlock.
func (b *both) Stats() format.Stats {
	s := b.Reader.Stats()
	s.DeadlockDumps += max(b.shown, 1)
	if b.followed != nil {
		s.Warnings = append(s.Warnings, b.followed.warnings...)
	}
	shown := b.samples.Stats()
	for _, w := range shown.Warnings {
		if w.Code == format.CodeFewerSamples {
			s.Warnings = append(s.Warnings, w)
		}
	}
	if s.Blind == "" && !shown.Damage.Whole() {
		s.Blind = "the samples end before the recording does, and a wait in a deadlock never ends and is not recorded"
	}
	return s
}

func (b *both) Close() error {
	return errors.Join(b.Reader.Close(), b.samples.Close())
}
