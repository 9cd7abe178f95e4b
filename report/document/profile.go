package document

import (
	"iter"

	"contend/analysis"
	"contend/blame"
	"contend/blame/stacks"
	"contend/format"
)

// Profile is waiting by call stack, the input of flame graphs and profiles.
type Profile struct {
	View       string // of the stacks
	Start, End int64  // the interval it covers, in ns of the trace's clock
	FoldedNs   int64  // waiting in samples that name neither lock nor threads

	sums *stacks.Builder
}

// SampleFrame is one line of a stack, with its role: "waiter", "lock" or "owner".
type SampleFrame = stacks.Frame

// Sample is the waiting with one stack, lock and pair of threads.
type Sample struct {
	*stacks.Sample
	Frames []SampleFrame // innermost first
}

// NewProfile returns the profile of a builder.
func NewProfile(b *stacks.Builder) *Profile {
	start, end := b.Span()
	return &Profile{View: stacks.Views[b.View()], Start: start, End: end, FoldedNs: b.FoldedNs(), sums: b}
}

// Samples visits the samples in the order in which they were first seen. It makes each stack when it
// visits the sample.
func (p *Profile) Samples() iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		samples := p.sums.Samples()
		for i := range samples {
			if !yield(Sample{&samples[i], p.sums.Frames(&samples[i])}) {
				return
			}
		}
	}
}

// Labels returns the facts of a sample besides its stack.
func (p *Profile) Labels(s Sample) map[string][]string {
	sym := p.sums.Symbols()
	thread := analysis.PseudoOwner(s.Key.Owner.Kind, s.Key.Owner.Cycle)
	group := thread
	if s.Key.Owner.Kind == analysis.OwnerThread {
		thread, group = sym.ThreadName(s.Key.Owner.Thread), sym.Groups().Value(sym.Group(s.Key.Owner.Thread))
	}
	all := map[string][]string{
		"lock": {p.sums.LockName(s.Key.Lock)}, "class": {sym.ClassName(s.Key.Lock)},
		"owner_thread": {thread}, "owner_group": {group},
		"waiter_thread": {sym.ThreadName(s.Key.Waiter)}, "waiter_group": {sym.Groups().Value(sym.Group(s.Key.Waiter))},
		"waiter_method": {
			sym.Methods().Value(sym.Method(s.Key.WaiterStack)),
		}, "waiter_site": {p.sums.WaiterSite(s.Sample)}, "provenance": {s.Key.Owner.Prov.String()},
	}
	if s.Folded() { // it stands for many samples
		for _, one := range [...]string{"lock", "owner_thread", "owner_group", "waiter_thread", "waiter_group"} {
			delete(all, one)
		}
		if s.Key.WaiterStack == format.NoStack {
			delete(all, "waiter_method")
			delete(all, "waiter_site")
		}
	}
	if what := p.sums.Doing(s.Sample); s.Key.Owner.Kind == analysis.OwnerThread && what != blame.DoingUnknown {
		all["owner_doing"] = []string{what.String()}
	}
	if input := sym.Inputs().Value(sym.Input(s.Key.Waiter)); input != analysis.UnnamedInput {
		all["input"] = []string{input}
	}
	return all
}
