// Package pprof turns slices into a pprof profile: who caused the waiting, who
// was blocked, or the whole chain between them, for `go tool pprof` and every
// other reader of the format.
package pprof

import (
	"fmt"
	"io"

	"contend/analysis"
	"contend/format"

	"github.com/google/pprof/profile"
)

// View says what a sample's stack shows.
type View uint8

// The views.
const (
	Blame   View = iota // the owner's stack
	Blocked             // the waiter's stack
	Chain               // the waiter's stack, the lock, what its owner waited for in turn, and the stack of the last owner
)

// Views are the names of the views.
var Views = [...]string{Blame: "blame", Blocked: "blocked", Chain: "chain"}

// Builder is a visitor that sums slices into the samples of a profile.
type Builder struct {
	view    View
	sym     *analysis.Symbols
	start   int64
	end     int64
	index   map[sampleKey]int
	samples []sample
	paths   paths
}

// sampleKey is everything a sample tells.
type sampleKey struct {
	waiter      format.ThreadID
	waiterStack format.StackID
	lock        format.ObjectID
	owner       analysis.Owner // the direct one; of a chain the root
	path        int32          // number of the chain's further hops, 0 for none
}

// sample is a sum in the making.
type sample struct {
	key         sampleKey
	contentions int64
	delay       int64
	wall        analysis.Union
}

// New returns an empty builder.
func New(v View) *Builder {
	return &Builder{view: v, index: map[sampleKey]int{}}
}

// Begin implements analysis.Visitor.
func (b *Builder) Begin(sym *analysis.Symbols, start int64) {
	b.sym, b.start, b.end = sym, start, start
}

// Running implements analysis.Visitor.
func (b *Builder) Running(_, to, _ int64) { b.end = max(b.end, to) }

// Slice implements analysis.Visitor. A wait counts in the sample of its first
// share, so that contentions sum to the number of waits.
func (b *Builder) Slice(s *analysis.Slice) {
	b.end = max(b.end, s.End)
	for i := range s.Shares {
		sh := &s.Shares[i]
		key := sampleKey{waiter: s.Thread, waiterStack: s.Stack, lock: s.Lock, owner: sh.Direct}
		if b.view == Chain {
			key.owner, key.path = sh.Root, b.paths.id(sh.Path)
		}
		b.add(key, s, sh.Ns, s.First && i == 0)
	}
	if len(s.Shares) == 0 { // a wait of length zero
		b.add(sampleKey{waiter: s.Thread, waiterStack: s.Stack, lock: s.Lock, owner: analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}}, s, 0, s.First)
	}
}

func (b *Builder) add(key sampleKey, s *analysis.Slice, ns int64, first bool) {
	i, ok := b.index[key]
	if !ok {
		i = len(b.samples)
		b.index[key] = i
		b.samples = append(b.samples, sample{key: key})
	}
	m := &b.samples[i]
	m.delay += ns
	m.wall.Add(s.Start, s.End)
	if first {
		m.contentions++
	}
}

// Write writes the profile, gzipped as the format wants it.
func (b *Builder) Write(w io.Writer) error {
	p := b.Profile()
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return p.Write(w)
}

// Profile returns the profile. Its first two sample types are those of Go's
// mutex profile; the third is wall-time, which is no sum: added over samples
// it counts an instant once for each sample.
func (b *Builder) Profile() *profile.Profile {
	t := &table{sym: b.sym, p: &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}, {Type: "wall", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "contentions", Unit: "count"}, Period: 1,
		DefaultSampleType: "delay", TimeNanos: b.start, DurationNanos: b.end - b.start,
		Mapping: []*profile.Mapping{{ID: 1, File: "contend", HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}},
	}, functions: map[functionKey]*profile.Function{}, locations: map[format.Frame]*profile.Location{}}
	for i := range b.samples {
		m := &b.samples[i]
		t.p.Sample = append(t.p.Sample, &profile.Sample{
			Location: b.stack(t, &m.key),
			Value:    []int64{m.contentions, m.delay, min(m.wall.Len(), m.delay)},
			Label:    b.labels(&m.key),
		})
	}
	return t.p
}

func (b *Builder) labels(k *sampleKey) map[string][]string {
	l := map[string][]string{
		"lock": {b.sym.LockName(k.lock)}, "class": {b.sym.ClassName(k.lock)},
		"waiter_thread": {b.sym.ThreadName(k.waiter)}, "waiter_group": {b.sym.Groups().Name(b.sym.Group(k.waiter))},
		"waiter_method": {b.sym.Methods().Name(b.sym.Method(k.waiterStack))}, "provenance": {k.owner.Prov.String()},
	}
	thread, group := analysis.PseudoOwner(k.owner.Kind, k.owner.Cycle), analysis.PseudoOwner(k.owner.Kind, k.owner.Cycle)
	if k.owner.Kind == analysis.OwnerThread {
		thread, group = b.sym.ThreadName(k.owner.Thread), b.sym.Groups().Name(b.sym.Group(k.owner.Thread))
	}
	l["owner_thread"], l["owner_group"] = []string{thread}, []string{group}
	return l
}

// stack returns a sample's locations, innermost first. In a chain the last
// owner is innermost: it is the cause of all that is outside of it.
func (b *Builder) stack(t *table, k *sampleKey) []*profile.Location {
	if b.view == Blocked {
		return t.stack(nil, k.waiterStack)
	}
	locs := t.owner(nil, k.owner)
	if b.view == Blame {
		return locs
	}
	hops := b.paths.hops(k.path)
	for i := len(hops) - 1; i >= 0; i-- {
		locs = t.lock(locs, hops[i].Lock)
		locs = t.stack(locs, hops[i].Stack)
	}
	return t.stack(t.lock(locs, k.lock), k.waiterStack)
}
