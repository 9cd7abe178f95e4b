package owners

import (
	"contend/format"
)

// owned charges the stretch before a thread is known to have had the lock to it,
// whatever it was doing there.
func (b *builder) owned(lo, hi int64, t format.ThreadID) {
	if !b.guess(lo, hi, t) {
		b.emit(lo, hi, anchor{thread: t, prov: ThreadOnly})
	}
}

// guess charges a stretch at whose end a thread is known to have owned the
// lock, since some time in it: to what samples show it doing inside, else as the
// model expects of threads like it, else to what those were seen to do there.
func (b *builder) guess(lo, hi int64, t format.ThreadID) bool {
	if seen, right := b.witnessed(b.now, b.kin.witnesses.is); len(seen) > 0 {
		b.expect(right)
		for i, a := range seen {
			n := int64(len(seen))
			b.emitOp(lo+(hi-lo)*int64(i)/n, lo+(hi-lo)*int64(i+1)/n, a)
		}
		return true
	}
	group := b.kin.groupKnown(b.ev.sym, t)
	if b.kin.model != nil && b.kin.waited(group) {
		b.named(lo, hi, t, group)
		return true
	}
	by, total := []int64{}, int64(0)
	var list []*witness
	for _, p := range b.kin.witnesses.list {
		if n := int64(p.groups[group]); n > 0 && b.kin.witnesses.mayBe(p) {
			by, list, total = append(by, n), append(list, p), total+n
		}
	}
	at := lo
	for i, n := range by {
		ns := (hi - lo) * n / total
		if i == len(by)-1 {
			ns = hi - at
		}
		b.expect(share(n, total) * b.kin.witnesses.chance(list[i]))
		b.emitOp(at, at+ns, anchor{thread: t, stack: list[i].stack, prov: Estimated})
		at += ns
	}
	if total > 0 {
		return true
	}
	p := b.ev.usually(b.kin, t)
	if p == nil || !p.owns {
		return false
	}
	b.expect(1 - tolerance)
	b.emitOp(lo, hi, anchor{thread: t, stack: b.ev.usual(t), prov: Estimated})
	return true
}

// named charges a stretch to a section of a thread, one of those of its group,
// and to the hand-off after it.
func (b *builder) named(lo, hi int64, t format.ThreadID, group int) {
	if group >= b.kin.groupsLearnt {
		group = 0
	}
	by := b.splitter.Section(group, hi-lo, b.met.Others)
	b.met.Others = by
	b.pool, b.sure, b.length = &b.pools[restNamed], 1, hi-lo
	at := b.spread(lo, by, t)
	b.expect(share(hi-at, b.length))
	b.add(at, hi, Holder{Kind: Handoff, Prov: Estimated})
	b.pool = nil
}

// witnessed returns the stacks samples show inside a gap.
func (b *builder) witnessed(g *gap, is func(*witness) bool) (out []anchor, right float64) {
	if b.without != nothing || b.kin.witnesses.total == 0 || g.last == format.NoThread && b.kin.locks > 1 || g.last != format.NoThread && g.last == g.first.thread {
		return nil, 0
	}
	t, lo, hi := b.window(g)
	b.running(t, lo, hi, func(t format.ThreadID, stack format.StackID) {
		if b.ev.inputOfThread(t) != b.kin.input {
			return
		}
		if p := b.kin.witnesses.at(stack); p != nil && is(p) {
			out = append(out, anchor{thread: t, stack: stack, prov: Estimated})
			right += b.kin.witnesses.chance(p)
		}
	})
	return out, right / float64(max(len(out), 1))
}
