package decode

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"

	"contend/decode/rules"
	"contend/format"
)

// Options of Open.
type Options struct {
	// Labels of the inputs, in order; "" is the input's name. Given, or with several inputs, each begins
	// with a setting that has its label.
	Labels   []string
	Rules    *rules.Table // nil means the default
	Limits   Limits
	Progress func(read, total int64) // called now and then with bytes of input; total is -1 for a stream
	Inferred bool                    // of Recording: holds that the agent recorded are left out, owners are inferred
	Opened   map[string]*os.File     // inputs that are already open; their paths may name other files by now
}

// Trace is a format.Source over one or several inputs.
type Trace struct {
	source   source
	inputs   []*input
	current  int
	shift    shift
	joined   []*input // thread dumps an input before them reads
	skipped  skipped
	overlaps overlaps
}

// Stdin is the name of standard input.
const Stdin = "-"

// Open opens the inputs in order; "-" is stdin, and a folder stands for the traces in it.
// Of several inputs, those that are not traces are left out and listed in Stats. The error
// is an operating system error or a *format.Error: ErrNotMine for a file that is not a
// trace, ErrVersion, or ErrTruncated for one that ends within its header.
func Open(paths []string, stdin io.Reader, o Options) (*Trace, error) {
	t := &Trace{
		source:   source{stdin: stdin, options: o, room: o.Limits.room()},
		overlaps: overlaps{several: len(paths) > 1},
	}
	for i, path := range paths {
		label := ""
		if i < len(o.Labels) {
			label = o.Labels[i]
		}
		if err := t.openAll(path, label, len(paths) > 1 && label == ""); err != nil {
			t.Close()
			return nil, err
		}
	}
	if len(t.inputs) == 0 {
		return nil, t.skipped.first
	}
	t.dropRepeated()
	t.joinDumps()
	if len(t.inputs) > 1 || slices.ContainsFunc(o.Labels, func(l string) bool { return l != "" }) {
		t.label()
	}
	return t, nil
}

// Files returns the names of the inputs; for a folder, the names of its traces.
func (t *Trace) Files() (names []string) {
	for _, in := range slices.Concat(t.inputs, t.joined) {
		if !in.part {
			names = append(names, in.name)
		}
	}
	return append(names, t.overlaps.files...)
}

// Skipped names the inputs that are left out.
func (t *Trace) Skipped() []string { return t.skipped.files }

// Close releases all inputs.
func (t *Trace) Close() error {
	var errs []error
	for _, in := range slices.Concat(t.inputs, t.joined) {
		errs = append(errs, in.Close())
	}
	return errors.Join(errs...)
}

// Read yields the events of all inputs, in order of their first times, with separate ids
// for each input. If there are several, an input that cannot be read further ends there,
// and Stats has the error.
func (t *Trace) Read(ev *format.Event) error {
	for t.current < len(t.inputs) {
		err := t.inputs[t.current].Read(ev)
		if err == nil {
			t.source.events.event()
			if len(t.inputs) > 1 || !small(ev) {
				t.shift.apply(ev)
			}
			return nil
		}
		if !errors.Is(err, io.EOF) {
			if len(t.inputs) == 1 {
				return err
			}
			t.skipped.breaks(t.inputs[t.current].name, err)
		}
		t.inputs[t.current].Close()
		t.current++
		t.shift.advance()
	}
	return io.EOF
}

// Stats sums the stats of the inputs. BytesTotal is the size of the stored files, compressed
// or not.
func (t *Trace) Stats() format.Stats {
	var sum format.Stats
	blind := len(t.inputs) > 0
	for i, in := range t.inputs {
		s := in.Stats()
		blind = blind && in.sites.blind()
		if i == 0 {
			sum.Unit = s.Unit
		} else if sum.Unit != s.Unit {
			sum.Unit = format.UnitTime
		}
		if sum.Format == "" || sum.Format == s.Format {
			sum.Format = s.Format
		} else {
			sum.Format = "several"
		}
		sum.Events += s.Events
		sum.BytesRead += s.BytesRead
		sum.BytesTotal += s.BytesTotal
		if i > 0 && s.DeadlockDumps == 0 != (sum.DeadlockDumps == 0) {
			sum.Blind = cmp.Or(sum.Blind, "thread dumps are in some of the inputs, and not in all")
		}
		sum.DeadlockDumps += s.DeadlockDumps
		sum.Blind = cmp.Or(sum.Blind, s.Blind)
		for _, w := range s.Warnings {
			if !slices.ContainsFunc(sum.Warnings, w.Equal) { // a warning of all inputs is given once
				sum.Warnings = append(sum.Warnings, w)
			}
		}
		sum.Damage.Join(s.Damage)
	}
	for _, in := range t.joined {
		in.guard.warn(in.name, &sum)
	}
	if blind {
		sum.Warnings = append(sum.Warnings, format.Warning{
			Code: format.CodeUnseenSites,
			Text: "the rules declare sites of locks, and no input shows whether threads sleep or run there: " +
				"their waiting is unknown",
		})
	}
	sum.Warnings = append(sum.Warnings, t.skipped.warnings...)
	sum.Damage.Join(t.skipped.damage)
	sum.Warnings = format.MergeAlike(append(sum.Warnings, t.overlaps.said...), append(t.Files(), t.skipped.files...))
	return sum
}

func fail(name, what string, err error, hint string) error {
	return &format.Error{Pos: format.Pos{File: name}, What: what, Err: err, Hint: hint}
}
