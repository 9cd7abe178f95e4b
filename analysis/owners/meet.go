package owners

import (
	"slices"

	"contend/format"
)

// meet counts the samples of sections in the gaps of a lock that show nobody else,
// but those of the thread a gap begins with, and the call sites whose sections
// stop.
func (b *builder) meet() {
	k := b.kin
	for len(k.stops) < len(k.stacks) {
		k.stops = append(k.stops, false)
	}
	for i := range b.s.seen {
		if p := k.witnesses.family.of(b.s.seen[i].stack); p.site >= 0 {
			k.stops[p.site] = true
		}
	}
	b.gaps(func(g *gap) {
		if g.hi == maxTime || len(b.inside(g.lo, g.hi)) > 0 {
			return
		}
		b.ev.running(format.NoThread, b.waitedFrom(g), g.hi, func(t format.ThreadID, stack format.StackID) {
			if t == g.first.thread || b.ev.inputOfThread(t) != k.input {
				return
			}
			if p := k.witnesses.at(stack); p != nil {
				p.meets++
			}
		})
	})
}

// tally adds what the model charges to each call site.
func (b *builder) tally(total []int64) {
	b.tallied = total
	b.prepare()
	b.gaps(func(g *gap) {
		b.fill(g)
		b.out = b.out[:0]
	})
	b.tallied = nil
	b.trust, b.owed, b.pools = Calibration{}, nil, [rests]pool{}
}

// sameRound is how far apart samples are, in ns, that a recorder takes in one
// round: it stops one thread after another, and waits 10 ms or more then.
const sameRound = 1e6

// round is what a recorder saw at one time.
type round struct {
	at   int64
	seen []struct {
		thread format.ThreadID
		part   *witness
	}
}

// exclusive returns the parts of the program that are seldom sampled together
// with a section, or with themselves in another thread: of those that have
// nothing to do with a lock as many are as by chance.
func (ev *evidence) exclusive(k *kin, parts []*witness) []*witness {
	together, rounds, inside := map[*witness]int{}, 0, 0
	var now round
	ev.each(k, func(at int64, t format.ThreadID, p *witness) {
		if rounds == 0 || at-now.at > sameRound {
			now = round{at: at, seen: now.seen[:0]}
			rounds++
		}
		if p.site >= 0 {
			inside++
		}
		for _, o := range now.seen {
			if o.thread == t {
				continue
			}
			if o.part.site >= 0 || o.part == p {
				together[p]++
			}
			if p.site >= 0 && o.part != p {
				together[o.part]++
			}
		}
		now.seen = append(now.seen, struct {
			thread format.ThreadID
			part   *witness
		}{t, p})
	})
	return slices.DeleteFunc(parts, func(p *witness) bool {
		return overChance*together[p]*rounds > p.total*(inside+p.total)
	})
}

// each calls f with the samples of some locks' program, in order of time.
func (ev *evidence) each(k *kin, f func(at int64, t format.ThreadID, p *witness)) {
	for _, i := range ev.runs {
		o := ev.others.At(i)
		if ev.inputOfThread(o.Thread()) != k.input {
			continue
		}
		if p := k.witnesses.at(o.Stack); p != nil {
			f(o.Start, o.Thread(), p)
		}
	}
}
