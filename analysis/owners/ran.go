package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// A sample of a running thread in a method that takes the lock shows that the lock is not
// free then, as a thread does that comes and has to wait. That is so if the method does most
// of what it does inside: then no two threads are sampled in it at a time.

// learnRan finds out of which sections that is so. Where there are several locks of a kind,
// samples do not tell which one a thread has.
func (ev *evidence) learnRan(k *kin) {
	if k.locks > 1 {
		return
	}
	var r *rounds
	for _, p := range k.witnesses.list {
		if p.site < 0 {
			continue
		}
		if r == nil {
			r = ev.rounds(k)
		}
		p.alone = !k.witnesses.early(p) && r.apart(p)
	}
}

// ran returns how long after lo samples of running threads show last that somebody had the
// lock, and how long that its first owner still did.
func (b *builder) ran(lo, hi int64, first anchor) (last, own int64) {
	if b.without != nothing || b.kin.witnesses.total == 0 || b.kin.locks > 1 || !b.bounded() {
		return 0, 0
	}
	if b.unsampled(lo, hi) {
		return 0, 0
	}
	ev, w := b.ev, b.kin.witnesses
	at := w.family.of(first.stack)
	still := first.thread != format.NoThread && at.site >= 0
	for o := range b.runs(lo, hi) {
		if ev.inputOfThread(o.Thread()) != b.kin.input {
			continue
		}
		p := w.shown(o.posture())
		if p == nil || !p.alone || p.total < renewal.Trust {
			continue
		}
		last = o.Start - lo
		if still = still && o.Thread() == first.thread && p.key == at.key && b.left(first.thread, lo, o.Start) >= o.Start; still {
			own = last
		}
	}
	return last, own
}

// bounded reports whether what a lock's owners do tells how long they have it:
// readers have it together, and so long as none is seen elsewhere it is theirs.
func (b *builder) bounded() bool { return !b.s.shared && !b.s.permits && !b.free }
