// Package pprof writes samples as a profile for `go tool pprof` and every
// other reader of the format.
package pprof

import (
	"fmt"
	"io"
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/blame/stacks"
	"contend/format"

	"github.com/google/pprof/profile"
)

// Write writes the profile of what a builder summed, gzipped as the format
// wants it. Its first two sample types are those of Go's mutex profile; the
// third is wall-time, which is no sum: added over samples it counts an
// instant once for each. Where the trace counts and measured no time, the
// count is all there is.
func Write(w io.Writer, b *stacks.Builder, unit format.Unit, l Labels) error {
	p := build(b, unit, l)
	if l != AllLabels {
		p = p.Compact() // samples that differed in labels alone are one
	}
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return p.Write(w)
}

const (
	inputLabel  = "input"   // of samples: which of several inputs they are of
	viewComment = "view: "  // of profiles: what their stacks show
	mappingFile = "contend" // stands for the program; addresses in it are numbers of frames
)

// counted are the sample types of traces that count.
var counted = map[format.Unit]string{format.UnitThreads: "threads", format.UnitAcquisitions: "contentions"}

func build(b *stacks.Builder, unit format.Unit, l Labels) *profile.Profile {
	start, end := b.Span()
	t := &table{p: &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}, {Type: "wall", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "contentions", Unit: "count"}, Period: 1,
		DefaultSampleType: "delay", TimeNanos: start, DurationNanos: end - start,
		Mapping: []*profile.Mapping{{ID: 1, File: mappingFile, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}},
	}, stable: l != AllLabels, functions: map[functionKey]*profile.Function{}, locations: map[format.Frame]*profile.Location{}}
	t.p.Comments = []string{viewComment + stacks.Views[b.View()]}
	if ns := b.FoldedNs(); ns > 0 {
		t.p.Comments = append(t.p.Comments, fmt.Sprintf("%d ns of the waiting are in samples without lock and threads: there are too many kinds of it", ns))
	}
	if name, ok := counted[unit]; ok {
		t.p.DurationNanos = 0
		count := &profile.ValueType{Type: name, Unit: "count"}
		t.p.SampleType, t.p.PeriodType, t.p.DefaultSampleType = []*profile.ValueType{count}, count, name
	}
	samples := b.Samples()
	for i := range samples {
		s := &samples[i]
		t.p.Sample = append(t.p.Sample, &profile.Sample{Location: t.stack(b.Frames(s)), Value: values(s, unit), Label: labels(b, s, l)})
	}
	return t.p
}

func values(s *stacks.Sample, unit format.Unit) []int64 {
	if _, ok := counted[unit]; ok {
		return []int64{s.DelayNs}
	}
	return []int64{s.Waits, s.DelayNs, s.WallNs()}
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
var unstable = [...]string{"lock", "owner_thread", "waiter_thread", inputLabel}

func labels(b *stacks.Builder, s *stacks.Sample, l Labels) map[string][]string {
	if l == NoLabels {
		return nil
	}
	all := allLabels(b, s)
	if l == AllLabels {
		return all
	}
	for _, name := range unstable {
		delete(all, name)
	}
	for _, values := range all {
		values[0] = blame.StableName(values[0])
	}
	return all
}

func allLabels(b *stacks.Builder, s *stacks.Sample) map[string][]string {
	sym := b.Symbols()
	thread := analysis.PseudoOwner(s.Owner.Kind, s.Owner.Cycle)
	group := thread
	if s.Owner.Kind == analysis.OwnerThread {
		thread, group = sym.ThreadName(s.Owner.Thread), sym.Groups().Name(sym.Group(s.Owner.Thread))
	}
	all := map[string][]string{
		"lock": {b.LockName(s.Lock)}, "class": {sym.ClassName(s.Lock)},
		"owner_thread": {thread}, "owner_group": {group},
		"waiter_thread": {sym.ThreadName(s.Waiter)}, "waiter_group": {sym.Groups().Name(sym.Group(s.Waiter))},
		"waiter_method": {sym.Methods().Name(sym.Method(s.WaiterStack))}, "waiter_site": {b.WaiterSite(s)}, "provenance": {s.Owner.Prov.String()},
	}
	if s.Folded() { // it is of many
		for _, one := range [...]string{"lock", "owner_thread", "owner_group", "waiter_thread", "waiter_group"} {
			delete(all, one)
		}
		if s.WaiterStack == format.NoStack {
			delete(all, "waiter_method")
			delete(all, "waiter_site")
		}
	}
	if what := b.Doing(s); s.Owner.Kind == analysis.OwnerThread && what != blame.DoingUnknown {
		all["owner_doing"] = []string{what.String()}
	}
	if input := sym.Inputs().Name(sym.Input(s.Waiter)); input != analysis.UnnamedInput {
		all[inputLabel] = []string{input}
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

func (t *table) stack(frames []stacks.Frame) []*profile.Location {
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
func stable(f stacks.Frame) format.Frame {
	f.Class = blame.StableName(f.Class)
	if f.Class == "" {
		f.Method = blame.StableName(f.Method)
	}
	if f.Role == stacks.Lock {
		f.Method = numbered.ReplaceAllString(f.Method, "")
	}
	return f.Frame
}

func (t *table) location(f format.Frame) *profile.Location {
	if l := t.locations[f]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(t.p.Location) + 1), Mapping: t.p.Mapping[0],
		Line: []profile.Line{{Function: t.function(f), Line: int64(max(f.Line, 0))}}}
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
