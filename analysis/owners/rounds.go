package owners

import (
	"math/bits"

	"contend/analysis/internal/column"
)

// rounds are what samples taken in one round show of some parts of the program.
type rounds struct {
	n        int
	pairs    int              // of samples of two threads in one of them
	inside   int              // samples of sections
	together map[*witness]int // times a part was sampled with a section in another thread, or with itself
}

// rounds looks at the samples that show the parts of the program that some locks know.
func (ev *evidence) rounds(k *kin) *rounds {
	r := &rounds{together: map[*witness]int{}}
	b := ev.sampledTogether()[k.input]
	if b == nil {
		return r
	}
	parts := make([]*witness, len(b.stacks))
	met := make([]uint64, b.n/64+1) // a bit for each burst
	for i, stack := range b.stacks {
		p := k.witnesses.shown(stack)
		if parts[i] = p; p == nil {
			continue
		}
		if p.site >= 0 {
			r.inside += len(b.in[i])
		}
		for _, n := range b.in[i] {
			met[n/64] |= 1 << (n % 64)
		}
	}
	for _, w := range met {
		r.n += bits.OnesCount64(w)
	}
	for _, two := range b.pairs {
		if p, o := parts[two.stacks[0]], parts[two.stacks[1]]; p != nil && o != nil {
			r.meet(p, o, two.times)
		}
	}
	for _, list := range b.loose {
		r.look(b, list, parts)
	}
	return r
}

// look adds the rounds of a burst that may be several.
func (r *rounds) look(b *bursts, list []sighted, parts []*witness) {
	var round []sighted
	for _, s := range list {
		p := parts[s.stack]
		if p == nil {
			continue
		}
		if len(round) == 0 || s.at-round[0].at > sameRound {
			round = round[:0]
			r.n++
		}
		if p.site >= 0 {
			r.inside++
		}
		for _, o := range round {
			if b.together(o, s) {
				r.meet(p, parts[o.stack], 1)
			}
		}
		round = append(round, s)
	}
}

// meet counts samples of two threads in one round for the parts that cannot both be
// sections.
func (r *rounds) meet(p, o *witness, times int) {
	r.pairs += times
	if o.site >= 0 || o == p {
		r.together[p] += times
	}
	if p.site >= 0 && o != p {
		r.together[o] += times
	}
}

// sampledTogether returns the bursts of each input.
func (ev *evidence) sampledTogether() map[*input]*bursts {
	ev.bursting.Do(func() {
		ev.bursts = map[*input]*bursts{}
		for _, i := range ev.runs {
			ev.burstsOf(i)
		}
		for _, b := range ev.bursts {
			b.close()
			for stacks, times := range b.times {
				b.pairs = append(b.pairs, pair{stacks, times})
			}
			b.number, b.times = nil, nil
		}
	})
	return ev.bursts
}

// burstsOf adds a sample to the bursts of its input.
func (ev *evidence) burstsOf(i column.Ref) {
	o := ev.Other(i)
	in := ev.inputOfThread(o.Thread())
	b := ev.bursts[in]
	if b == nil {
		b = &bursts{number: map[posture]uint32{}, times: map[[2]uint32]int{}}
		ev.bursts[in] = b
	}
	if last := len(b.open) - 1; last >= 0 && o.Start-b.open[last].at > sameRound {
		b.close()
	}
	at := o.posture()
	n, ok := b.number[at]
	if !ok {
		n = uint32(len(b.stacks))
		b.number[at], b.stacks, b.in = n, append(b.stacks, at), append(b.in, nil)
	}
	b.open = append(b.open, sighted{o.Start, o.Thread(), n})
}
