package owners

import (
	"contend/format"
)

// approach charges the stretch before an anchor to its thread.
func (b *builder) approach(lo, hi int64, a anchor) {
	if a.thread == format.NoThread {
		b.idle(lo, hi, a)
		return
	}
	if a.stack == format.NoStack && !b.guess(lo, hi, a.thread) {
		a.prov = ThreadOnly
		b.emit(lo, hi, a)
	} else if a.stack != format.NoStack {
		b.emit(lo, hi, a)
	}
}

// guess charges a stretch a thread is known to have owned the lock in, doing
// what it was sampled at or, if it was not, what threads like it were seen to
// do there before.
func (b *builder) guess(lo, hi int64, t format.ThreadID) bool {
	if seen := b.witnessed(b.now, b.kin.witnesses.mayBe); len(seen) > 0 {
		b.expect(share(1, int64(len(seen))))
		for i, a := range seen {
			n := int64(len(seen))
			b.emitOp(lo+(hi-lo)*int64(i)/n, lo+(hi-lo)*int64(i+1)/n, a)
		}
		return true
	}
	group := b.kin.groupKnown(b.ev.sym, t)
	by, total := []int64{}, int64(0)
	var stacks []format.StackID
	for _, p := range b.kin.witnesses.list {
		if n := int64(p.groups[group]); n > 0 && b.kin.witnesses.mayBe(p) {
			by, stacks, total = append(by, n), append(stacks, p.stack), total+n
		}
	}
	if total == 0 {
		return false
	}
	at := lo
	for i, n := range by {
		ns := (hi - lo) * n / total
		if i == len(by)-1 {
			ns = hi - at
		}
		b.expect(share(n, total))
		b.emitOp(at, at+ns, anchor{thread: t, stack: stacks[i], prov: Estimated})
		at += ns
	}
	return true
}

// witnessed returns the stacks samples show inside a gap.
func (b *builder) witnessed(g *gap, is func(*witness) bool) (out []anchor) {
	if g.last == format.NoThread && b.kin.locks > 1 || g.last != format.NoThread && g.last == g.first.thread {
		return nil
	}
	t, lo, hi := b.window(g)
	b.ev.running(t, lo, hi, func(t format.ThreadID, stack format.StackID) {
		if b.ev.inputOfThread(t) != b.kin.input {
			return
		}
		if p := b.kin.witnesses.at(stack); p != nil && is(p) {
			out = append(out, anchor{thread: t, stack: stack, prov: Estimated})
		}
	})
	return out
}
