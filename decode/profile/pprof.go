package profile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"

	"github.com/google/pprof/profile"
)

// The tags that a profile begins with: its first sample type; or, as Go's runtime writes
// it, the type of its period, and of a CPU profile its time.
const (
	tagSampleType = 1<<3 | 2
	tagPeriodType = 11<<3 | 2
	tagTime       = 9 << 3
)

// Is reports whether an input begins like a profile of pprof: with some successive fields
// of that message.
func Is(start []byte) bool {
	if len(start) < 8 ||
		start[0] != tagTime &&
			(start[0] != tagSampleType && start[0] != tagPeriodType || start[2] != 1<<3 && start[2] != 2<<3) {
		return false
	}
	for n := 0; len(start) > 0; n++ {
		tag, k := binary.Uvarint(start)
		value, m := binary.Uvarint(start[max(k, 0):])
		if k <= 0 || m <= 0 {
			return n > 2
		}
		if tag>>3 < 1 || tag>>3 > 15 || tag&7 != 0 && tag&7 != 2 {
			return false
		}
		start = start[k+m:]
		if tag&7 == 2 {
			if value > uint64(len(start)) {
				return n > 2 // the rest is not needed
			}
			start = start[value:]
		}
	}
	return true
}

// maxProfile bounds a profile, in bytes.
const maxProfile = 256 << 20

// NewPprof reads a pprof profile whose samples have delays or contentions. The error is a
// *format.Error: ErrNotMine for other profiles, ErrTruncated or ErrCorrupt.
func NewPprof(in *bufio.Reader, name string, t *rules.Table) (*Reader, error) {
	fail := func(what string, err error, hint string) (*Reader, error) {
		return nil, &format.Error{Pos: format.Pos{File: name}, What: what, Err: err, Hint: hint}
	}
	data, err := io.ReadAll(io.LimitReader(in, maxProfile+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail("profile", format.ErrTruncated, "copy it again")
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(data) > maxProfile:
		return fail("profile", fmt.Errorf("longer than %d bytes: %w", maxProfile, format.ErrLimit), "")
	}
	p, err := parse(data)
	if err != nil {
		return fail("profile", fmt.Errorf("%w (%.200q)", format.ErrCorrupt, err), "copy it again")
	}
	at, scale := valueOf(p)
	if at < 0 ||
		slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool { return len(s.Label["owner_thread"]) > 0 }) {
		return fail(
			"a profile",
			fmt.Errorf("not a trace: %w", format.ErrNotMine),
			"'go tool pprof' reads it; it has no waits: contention profiles have, and 'contend record' takes a "+
				"trace of what runs",
		)
	}
	goes := slices.ContainsFunc(
		p.Function,
		func(f *profile.Function) bool { return strings.HasSuffix(f.Filename, ".go") },
	)
	r := newReader(t, "pprof contention profile", "waiting")
	if r.Said.Unit = format.UnitDelays; scale == 0 {
		r.Said.Unit = format.UnitAcquisitions
		r.of = "the number of contended acquisitions"
		scale = 1
	}
	if goes {
		r.Said.Format = "go contention profile"
	}
	if p.SampleType[at].Type == goroutines {
		r.countGoroutines()
	}
	r.Said.BytesRead, r.Said.BytesTotal = int64(len(data)), int64(len(data))
	counted := countOf(p)
	for _, s := range p.Sample {
		if v := s.Value[at]; v < maxDelay/scale {
			waits := int64(0)
			if counted >= 0 {
				waits = s.Value[counted]
			}
			r.addStack(framesOf(s, goes), v*scale, waits)
		}
	}
	r.counted()
	return r, nil
}

// maxDelay bounds one sum, in ns. It is years of waiting; many such sums fit into an integer.
const maxDelay = int64(1) << 58

// parse recovers from panics of the library on damaged input.
func parse(data []byte) (p *profile.Profile, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("%v", failed)
		}
	}()
	if p, err = profile.ParseUncompressed(data); err == nil {
		err = p.CheckValid()
	}
	return p, err
}

// delayUnits are the units of delays, in ns.
var delayUnits = map[string]int64{"nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}

// How Go's runtime and continuous profilers call the waiting that they sum, and count.
var (
	delays      = []string{"delay", "lock_duration", "mutex_duration", "block_duration", "lock-acquire-wait"}
	contentions = []string{"contentions", "lock_count", "mutex_count", "block_count", "lock-acquire", goroutines}
)

// goroutines is the type of the values of a goroutine profile.
const goroutines = "goroutine"

// valueOf finds the value of samples that is waiting, and its unit in ns; if the profile only
// counts, it finds the count, and a unit of 0. at is -1 if there is neither.
func valueOf(p *profile.Profile) (at int, scale int64) {
	if i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool {
		return slices.Contains(delays, t.Type) && delayUnits[t.Unit] > 0
	}); i >= 0 {
		return i, delayUnits[p.SampleType[i].Unit]
	}
	return countOf(p), 0
}

// countOf finds the value of samples that is the number of waits, -1 if there is none.
func countOf(p *profile.Profile) int {
	return slices.IndexFunc(
		p.SampleType,
		func(t *profile.ValueType) bool { return slices.Contains(contentions, t.Type) },
	)
}

// framesOf returns the frames of a sample, innermost first; of inlined functions the
// innermost is first in a location, too.
func framesOf(s *profile.Sample, goes bool) (frames []format.Frame) {
	for _, l := range s.Location {
		if len(l.Line) == 0 {
			frames = append(frames, format.Frame{Method: fmt.Sprintf("%#x", l.Address)})
		}
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			f := format.Frame{
				Method: strings.ToValidUTF8(line.Function.Name, "\uFFFD"),
				Line:   int(min(max(line.Line, 0), 1<<31-1)),
			}
			if goes {
				f.Class, f.Method = gonames.Split(line.Function.Name)
			}
			if line.Function.Filename != "" {
				f.File = strings.ToValidUTF8(path.Base(strings.ReplaceAll(line.Function.Filename, `\`, "/")), "\uFFFD")
			}
			frames = append(frames, f)
		}
	}
	return frames
}

// isGo reports whether a stack is of a Go program.
func isGo(frames []format.Frame) bool {
	return slices.ContainsFunc(frames, func(f format.Frame) bool {
		return strings.HasSuffix(f.File, ".go") || strings.HasPrefix(f.Method, "(*") || gonames.OfLocks(f.Class)
	})
}
