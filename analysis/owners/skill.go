package owners

import "contend/format"

// What a model claims may be right of all stretches together and of none alone:
// how much it knows of single ones is asked of the recording itself. Who comes and
// has to wait met an owner, and what a running thread is seen at inside shows one.
// Each is held back from what is claimed there, once.

// heldBack is what claims are made without, but for dumps.
type heldBack uint8

const (
	nothing    heldBack = iota
	theSamples          // of running threads
	theLast             // these, and who came last
)

// answers are what was held back says of claims.
type answers struct {
	came    float64 // threads that came to wait, each as often as others waited then
	squares float64 // of these weights
	met     float64 // of came: where an owner is claimed
	all     float64 // waiting in ns that was asked about
	owned   float64 // of it: what is claimed to be an owner's
	shown   float64 // samples of sections
	agree   float64 // of these: where it is claimed
}

func (a *answers) add(o *answers) {
	a.came += o.came
	a.squares += o.squares
	a.met += o.met
	a.all += o.all
	a.owned += o.owned
	a.shown += o.shown
	a.agree += o.agree
}

// answer counts what was held back from a claim.
func (b *builder) answer(from, to int64, h Holder) {
	if b.pool == nil {
		return
	}
	a := &b.pool.said
	if b.without == theSamples {
		ns := float64(b.waiterCounts.during(from, to))
		a.all += ns
		if h.Kind == Thread {
			a.owned += ns
		}
		b.shownIn(a, from, to, h)
	}
	c := &b.waiterCounts
	first, last := c.starts.upTo(c.began, from), c.starts.upTo(c.began, to-1)
	for i := first; i < last; i++ {
		at := c.starts.instant(i)
		if (at == b.cameLast) != (b.without == theLast) {
			continue
		}
		weight := float64(c.waiting(at - 1))
		a.came += weight
		a.squares += weight * weight
		if h.Kind == Thread {
			a.met += weight
		}
	}
}

// shownIn counts samples of running threads in a stretch: of one lock, since those of
// several of a kind look alike.
func (b *builder) shownIn(a *answers, from, to int64, h Holder) {
	if b.kin.locks > 1 {
		return
	}
	w := b.kin.witnesses
	b.ev.running(format.NoThread, from, to, func(t format.ThreadID, st format.StackID) {
		if b.ev.inputOfThread(t) != b.kin.input {
			return
		}
		if p := w.at(st); p != nil && p.site >= 0 {
			a.shown++
			if h.Kind == Thread && w.family.of(h.Stack).key == p.key {
				a.agree++
			}
		}
	})
}

// skill is how much claims know of single stretches: 0 no more than their sums tell,
// 1 all. Claims that know nothing have an owner where somebody came as often as
// anywhere.
func (a *answers) skill() float64 {
	owned := a.owned / max(a.all, 1)
	if a.came == 0 || owned <= 0 || owned >= 1 {
		return 0
	}
	n := a.came * a.came / a.squares * (1 - owned) / owned // beside the chance that all are by chance
	saw := (a.met/a.came - owned) / (1 - owned)
	return min(max(n*saw/(doubted+n), 0), 1)
}
