// Package pprof writes samples as a profile for `go tool pprof` and every
// other reader of the format.
package pprof

import (
	"fmt"
	"io"
	"regexp"

	"contend/analysis"
	"contend/format"
	"contend/report/document"

	"github.com/google/pprof/profile"
)

// Write writes a profile, gzipped as the format wants it. Its first two sample types are those
// of Go's mutex profile; the third is wall-time, which is no sum: added over samples it counts
// an instant once for each. A trace that counts and measured no time has the count alone.
func Write(w io.Writer, of *document.Profile, unit format.Unit, l Labels) error {
	p := build(of, unit, l)
	if l != AllLabels {
		p = p.Compact() // samples that differed in labels alone are one
	}
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return p.Write(w)
}

const (
	viewComment = "view: "  // of profiles: what their stacks show
	mappingFile = "contend" // stands for the program; addresses in it are numbers of frames
)

// single are the sample types of traces that count, or sum waiting without instants, maybe of a known number of waits.
var single = map[format.Unit]profile.ValueType{
	format.UnitThreads:      {Type: "threads", Unit: "count"},
	format.UnitAcquisitions: {Type: "contentions", Unit: "count"},
	format.UnitDelays:       {Type: "delay", Unit: "nanoseconds"},
}

func build(of *document.Profile, unit format.Unit, l Labels) *profile.Profile {
	t := &table{
		p: &profile.Profile{
			SampleType: []*profile.ValueType{
				{Type: "contentions", Unit: "count"},
				{Type: "delay", Unit: "nanoseconds"},
				{Type: "wall", Unit: "nanoseconds"},
			},
			PeriodType:        &profile.ValueType{Type: "contentions", Unit: "count"},
			Period:            1,
			DefaultSampleType: "delay",
			TimeNanos:         of.Start,
			DurationNanos:     of.End - of.Start,
			Mapping: []*profile.Mapping{
				{
					ID:              1,
					File:            mappingFile,
					HasFunctions:    true,
					HasFilenames:    true,
					HasLineNumbers:  true,
					HasInlineFrames: true,
				},
			},
		},
		stable:    l != AllLabels,
		functions: map[functionKey]*profile.Function{},
		locations: map[format.Frame]*profile.Location{},
	}
	t.p.Comments = []string{viewComment + of.View}
	if ns := of.FoldedNs; ns > 0 {
		t.p.Comments = append(
			t.p.Comments,
			fmt.Sprintf(
				"%d ns of the waiting are in samples without lock and threads: there are too many kinds of it",
				ns,
			),
		)
	}
	values := func(s document.Sample) []int64 { return []int64{s.Waits, s.DelayNs, s.WallNs()} }
	if one, ok := single[unit]; ok {
		t.p.DurationNanos, t.p.DefaultSampleType = 0, one.Type
		if unit == format.UnitDelays && counted(of) {
			t.p.SampleType = t.p.SampleType[:2]
			values = func(s document.Sample) []int64 { return []int64{s.Waits, s.DelayNs} }
		} else {
			t.p.SampleType, t.p.PeriodType = []*profile.ValueType{&one}, &one
			values = func(s document.Sample) []int64 { return []int64{s.DelayNs} }
		}
	}
	for s := range of.Samples() {
		t.p.Sample = append(
			t.p.Sample,
			&profile.Sample{Location: t.stack(s.Frames), Value: values(s), Label: labels(of, s, l)},
		)
	}
	return t.p
}

// counted reports whether the source knew numbers of waits.
func counted(of *document.Profile) bool {
	for s := range of.Samples() {
		if s.Waits > 0 {
			return true
		}
	}
	return false
}

// Labels says which labels samples have.
type Labels uint8

// The labels. A store that keeps profiles of many runs makes a series of each
// combination: StableLabels leaves out what differs from run to run, addresses and
// threads, and NoLabels all. In both, names are without what a JVM draws anew.
const (
	AllLabels Labels = iota
	StableLabels
	NoLabels
)

// LabelNames are what users call them.
var LabelNames = [...]string{AllLabels: "all", StableLabels: "stable", NoLabels: "none"}

// unstable are the labels that differ from run to run.
var unstable = [...]string{"lock", "owner_thread", "waiter_thread", "input"}

func labels(of *document.Profile, s document.Sample, l Labels) map[string][]string {
	if l == NoLabels {
		return nil
	}
	all := of.Labels(s)
	if l == AllLabels {
		return all
	}
	for _, name := range unstable {
		delete(all, name)
	}
	for _, values := range all {
		values[0] = analysis.StableName(values[0])
	}
	return all
}

// table gives frames their functions and locations in a profile.
type table struct {
	p         *profile.Profile
	stable    bool // names are without what differs from run to run
	functions map[functionKey]*profile.Function
	locations map[format.Frame]*profile.Location
}

type functionKey struct{ name, file string }

func (t *table) stack(frames []document.SampleFrame) []*profile.Location {
	locs := make([]*profile.Location, 0, len(frames))
	for _, f := range frames {
		if t.stable {
			f.Frame = stable(f)
		}
		locs = append(locs, t.location(f.Frame))
	}
	return locs
}

// numbered is what ends the name of a lock: where it was, or which one it was.
var numbered = regexp.MustCompile(`[@#][0-9a-f]+$`)

// stable returns a frame without what another run of the program has otherwise.
func stable(f document.SampleFrame) format.Frame {
	f.Frame.Class = analysis.StableName(f.Frame.Class)
	if f.Frame.Class == "" {
		f.Frame.Method = analysis.StableName(f.Frame.Method)
	}
	if f.Role == "lock" {
		f.Frame.Method = numbered.ReplaceAllString(f.Frame.Method, "")
	}
	return f.Frame
}

func (t *table) location(f format.Frame) *profile.Location {
	if l := t.locations[f]; l != nil {
		return l
	}
	l := &profile.Location{
		ID:      uint64(len(t.p.Location) + 1),
		Mapping: t.p.Mapping[0],
		Line:    []profile.Line{{Function: t.function(f), Line: int64(max(f.Line, 0))}},
	}
	l.Address = l.ID // viewers merge locations by address
	t.locations[f] = l
	t.p.Location = append(t.p.Location, l)
	return l
}

func (t *table) function(f format.Frame) *profile.Function {
	k := functionKey{analysis.MethodName(f), f.File}
	if fn := t.functions[k]; fn != nil {
		return fn
	}
	fn := &profile.Function{ID: uint64(len(t.p.Function) + 1), Name: k.name, SystemName: k.name, Filename: k.file}
	t.functions[k] = fn
	t.p.Function = append(t.p.Function, fn)
	return fn
}
