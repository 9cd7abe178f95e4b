package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// sampled counts the samples of a stack, or of a part of the program: a frame with its callers.
type sampled struct {
	key     uint64  // the suffix
	in, out float64 // samples while threads wait, and at other times
	nats    float64 // logarithm of how much likelier these counts are if it is inside a section
	stack   format.StackID
	level   int // of the frame in the path of the stack
	depth   int // frames to the outermost one

	users map[format.ThreadID]float64 // of a stack: its samples
	of    []*sampled                  // of a part: its stacks
}

// addFromSamples makes silent sites of the parts that are sampled far more while threads wait than at
// other times: the most certain first, of equally certain ones the outermost. A part is left
// out if it calls a known site, or is called by, or calls, a part that is a site already.
func (s *search) addFromSamples() {
	callers := s.worker.callers()
	frames := s.worker.group.program.Frames
	path := &s.worker.stacks.path
	for _, a := range s.parts() {
		path.set(frames(a.stack), 0)
		part := path.suffix[a.level:]
		if s.found >= moreSites || callers[a.key] ||
			slices.ContainsFunc(part, func(h uint64) bool { return s.sampledAt[h] }) {
			continue
		}
		for _, h := range part {
			callers[h] = true
		}
		s.sampledAt[a.key] = true
		users := map[format.ThreadID]float64{}
		for _, of := range a.of {
			for t, n := range of.users {
				users[t] += n
			}
		}
		s.worker.group.addSilent(s.target.Lock, a.stack, path.frame[a.level], 1+a.in/samplesPerUse, users)
		s.found++
	}
}

// callers returns the suffixes of the known sites and of all their callers.
func (w *worker) callers() map[uint64]bool {
	callers := map[uint64]bool{}
	path := &w.stacks.path
	for _, x := range w.group.sites {
		all := w.group.program.Frames(x.stack)
		path.set(all, min(len(all)-x.depth, len(all)))
		for _, h := range path.suffix {
			callers[h] = true
		}
	}
	return callers
}

// parts returns the parts of the program that speak for a silent site.
func (s *search) parts() (list []*sampled) {
	by, in, out := s.countParts()
	base := (in + 1) / (in + out + 2)
	for _, a := range by {
		a.weigh(base)
		if a.nats > silentNats && a.in/(a.out+.5) > sampledOdds*base/(1-base) {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *sampled) int {
		return cmp.Or(cmp.Compare(b.nats, a.nats), cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	return list
}

// weigh sets nats. Of all samples, the part base is taken while threads wait; of those of this
// part of the program, p = in / (in + out):
//
//	in log(p / base) + out log((1 - p) / (1 - base))
func (a *sampled) weigh(base float64) {
	p := a.in / (a.in + a.out)
	a.nats = a.in * math.Log(p/base)
	if a.out > 0 {
		a.nats += a.out * math.Log((1-p)/(1-base))
	}
}

// countParts counts the samples that known sites do not explain: of each part, and all that
// are taken while threads wait, and at other times. It counts stacks first, which are few beside
// samples.
func (s *search) countParts() (by map[uint64]*sampled, in, out float64) {
	l := s.target
	found := map[format.StackID]*sampled{}
	all := []*sampled(nil)
	program := s.worker.group.program
	program.Samples(l.ID, l.from, l.to, mostSamples, func(t format.ThreadID, at int64, stack format.StackID) {
		if cover(l.explained, at) {
			return
		}
		of := found[stack]
		if of == nil {
			of = &sampled{stack: stack, users: map[format.ThreadID]float64{}}
			found[stack], all = of, append(all, of)
		}
		if of.users[t]++; cover(l.busy, at) {
			of.in++
		} else {
			of.out++
		}
	})
	by = map[uint64]*sampled{}
	path := &s.worker.stacks.path
	for _, of := range all {
		in, out = in+of.in, out+of.out
		if s.worker.stacks.innermost(of.stack, false) >= 0 {
			continue
		}
		path.set(s.worker.group.program.Frames(of.stack), 0)
		for i, h := range path.suffix {
			a := by[h]
			if a == nil {
				a = &sampled{key: h, stack: of.stack, level: i, depth: len(path.suffix) - i}
				by[h] = a
			}
			a.in += of.in
			a.out += of.out
			a.of = append(a.of, of)
		}
	}
	return by, in, out
}
