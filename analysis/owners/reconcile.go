package owners

import (
	"math"
	"slices"

	"contend/format"
)

// rebuild says who owned a lock while somebody waited for it. It cuts time at
// the acquisitions: each begins a gap with its new owner (rule 1) and ends the
// one before with the owner it names (rule 3).
// The ownerships come in batches.
func (b *builder) rebuild(add func([]Ownership)) {
	s := b.s
	b.prepare()
	if s.shared {
		b.seen *= halfway // as likely as nobody, another reader still has it
	}
	if b.free && b.together() {
		add(b.out)
		return
	}
	weighed := !b.free && !s.shared && b.kin.shown.telling()
	b.gaps(func(g *gap) {
		b.long = b.kin.long > 0 && b.waitedIn(g) >= b.kin.long
		b.weighed = weighed || b.long
		if len(b.out) >= batch {
			add(b.out)
			b.out = b.ev.batch()
		}
		if b.weighed {
			b.reconcile(g)
			return
		}
		b.check(g)
		if !b.ask(g) {
			b.fill(g)
		}
	})
	add(b.out)
}

// batch is how many ownerships are passed on together.
const batch = 1 << 12

// batch returns an empty one.
func (ev *evidence) batch() []Ownership {
	if used, ok := ev.batches.Get().(*[]Ownership); ok {
		return *used
	}
	return make([]Ownership, 0, batch+batch/8)
}

// recycle takes one back that nobody reads any more.
func (ev *evidence) recycle(list []Ownership) {
	if cap(list) >= batch {
		list = list[:0]
		ev.batches.Put(&list)
	}
}

// classOf tells owners apart.
func (b *builder) classOf(h *Holder) class {
	switch {
	case h.Kind == Handoff:
		return class{what: isFree}
	case h.Kind != Thread:
		return class{what: isUnknown}
	case h.Stack == format.NoStack:
		return class{what: isThread}
	}
	if p := b.kin.witnesses.family.of(h.Stack); p.key != 0 {
		return class{isPart, p.key}
	}
	return class{isStack, uint64(h.Stack)}
}

// claimed returns what samples in claims like one are counted for.
func (b *builder) claimed(p *Ownership) claimed {
	if p.Holder.Prov == Estimated && b.long {
		return claimed{prov: Estimated, long: true}
	}
	return claimed{class: b.classOf(&p.Holder), prov: p.Holder.Prov}
}

// holderOf returns whom a sample shows.
func holderOf(s *sample) Holder {
	if s.thread == format.NoThread {
		return Holder{Kind: Handoff, Prov: Sampled}
	}
	return Holder{Kind: Thread, Prov: Sampled, Thread: s.thread, Stack: s.stack}
}

// claims returns how a gap divides as far as no sample tells, in order of time:
// what is charged to nobody, too.
func (b *builder) claims(g *gap) []Ownership {
	charged, list := b.blindly(g), b.pieces[:0]
	for i := b.busyAfter(g.lo); i < len(b.s.busy) && b.s.busy[i].start < g.hi; i++ {
		at, end := max(g.lo, b.s.busy[i].start), min(g.hi, b.s.busy[i].end)
		for ; len(charged) > 0 && charged[0].Start < end; charged = charged[1:] {
			c := charged[0]
			if c.Start > at {
				list = append(list, b.nobody(at, c.Start))
			}
			if c.End > at {
				c.Start = max(at, c.Start)
				list = append(list, c)
				at = c.End
			}
		}
		if at < end {
			list = append(list, b.nobody(at, end))
		}
	}
	b.pieces = list
	return list
}

func (b *builder) nobody(lo, hi int64) Ownership {
	return Ownership{lo, hi, b.s.lock, Holder{Kind: Nobody, Prov: Unknown}}
}

// weigh holds what is claimed of a lock's gaps against the samples in them.
func (b *builder) weigh() *tallies {
	l := &tallies{}
	if len(b.ev.shown[b.s.lock]) == 0 || b.free || b.s.shared {
		return l // readers, and who has permits, are not told
	}
	b.prepare()
	b.name()
	b.follow(l)
	apart := max(b.ev.distance, b.s.busyTime()/int64(len(b.ev.shown[b.s.lock]))) // while somebody waits
	b.gaps(func(g *gap) {
		if len(b.shown(g.lo, g.hi)) == 0 {
			return
		}
		waited := b.waitedIn(g)
		b.long = b.kin.long > 0 && waited >= b.kin.long
		list := b.claims(g)
		for i := range list {
			shown := b.shown(list[i].Start, list[i].End)
			for n := range shown {
				b.weighOne(l, &list[i], &shown[n], apart, waited)
			}
		}
	})
	b.owed, b.charging = nil, nil
	return l
}

// follow holds each sample against the one before, if nobody is known to have got the lock
// in between: who carries that on would have been right as often as they show the same.
func (b *builder) follow(l *tallies) {
	list := b.ev.shown[b.s.lock]
	for i := 1; i < len(list); i++ {
		if b.s.after(list[i-1].time) != b.s.after(list[i].time) {
			continue
		}
		was, is := holderOf(&list[i-1]), holderOf(&list[i])
		l.follows[was.Kind].add(1, b.classOf(&was) == b.classOf(&is))
	}
}

// weighOne holds a claim against a sample; the next one is so far, and in its gap somebody
// waits for so long, in ns.
func (b *builder) weighOne(l *tallies, p *Ownership, s *sample, apart, waited int64) {
	h := holderOf(s)
	was, is := b.classOf(&p.Holder), b.classOf(&h)
	weight := float64(b.waiterCounts.waiting(s.time)) * max(0, 1-share(p.End-p.Start, apart))
	if is.what != isThread && weight > 0 {
		l.of(b.claimed(p)).add(is, weight, b.siteOf(h.Stack), is == was)
		l.surprises.add(waited, h.Kind == Thread && is != was)
	}
}

// siteOf returns the stack with which the lock was taken where a sample shows
// what was done there, else what it shows.
func (b *builder) siteOf(st format.StackID) format.StackID {
	if p := b.kin.witnesses.family.of(st); p.key != 0 && p.site >= 0 {
		return b.kin.stacks[p.site]
	}
	return st
}

// name gives samples that show a thread without its stack that with which it
// had got the lock: it had just done so.
func (b *builder) name() {
	list := b.ev.shown[b.s.lock]
	for i := range list {
		s := &list[i]
		if s.thread == format.NoThread || s.stack != format.NoStack {
			continue
		}
		if n := b.s.after(s.time + 1); n > 0 && b.s.acquired[n-1].thread == s.thread {
			s.stack = b.ev.wait(&b.s.acquired[n-1]).Stack
		}
	}
}

// reconcile charges a gap: what a sample falls into, to whom it shows; the rest as
// claimed, as far as samples of the like agree.
func (b *builder) reconcile(g *gap) {
	list := b.claims(g)
	for i := range list {
		p := &list[i]
		shown := b.shown(p.Start, p.End)
		for n := range shown {
			b.compare(&shown[n], list[i:i+1])
		}
		if shown = told(shown); len(shown) == 0 {
			b.divide(p)
			continue
		}
		b.hit(p, shown)
	}
}

// told leaves out samples that show a thread without its stack.
func told(list []sample) []sample {
	bare := func(s sample) bool { return s.thread != format.NoThread && s.stack == format.NoStack }
	if !slices.ContainsFunc(list, bare) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), bare)
}

// hit charges a stretch samples fell into, up to half way between two of them to
// the first one.
func (b *builder) hit(p *Ownership, shown []sample) {
	at := p.Start
	for n := range shown {
		end := p.End
		if n+1 < len(shown) {
			end = shown[n].time + (shown[n+1].time-shown[n].time)/2
		}
		h := holderOf(&shown[n])
		same := b.classOf(&h) == b.classOf(&p.Holder)
		right := b.kin.shown.carried(h.Kind, same, shown[n].time-at, end-shown[n].time, b.ev.distance)
		switch {
		case !same || p.Holder.Prov == Estimated:
		case h.Kind == Thread: // known without it, too: both are not wrong together
			right = 1 - tolerance*tolerance
		default:
			right = 1 - tolerance
		}
		if same && h.Kind == Thread && h.Thread == p.Holder.Thread && p.Holder.Did != none {
			h.Did, h.Stack = p.Holder.Did, p.Holder.Stack // which tell more of what it did
		}
		b.charge(at, end, h, right)
		at = end
	}
}

// divide charges a stretch no sample fell into. Each is given away as a whole, in
// turns, so that they keep their lengths.
func (b *builder) divide(p *Ownership) {
	c := b.claimed(p)
	i := slices.Index(b.kin.shown.kinds, c)
	if i < 0 || b.kin.shown.believed(i, b.kin.model != nil) == 1 {
		right := 1 - tolerance
		if c.prov == Estimated {
			right = b.kin.shown.right(i)
		}
		b.charge(p.Start, p.End, p.Holder, right)
		return
	}
	t := b.kin.shown.list[i]
	to := b.turn(i, t, float64(b.waiterCounts.during(p.Start, p.End)))
	if to == len(t.classes) || t.classes[to] == b.classOf(&p.Holder) {
		b.charge(p.Start, p.End, p.Holder, b.kin.shown.right(i))
		return
	}
	h := Holder{Kind: Handoff, Prov: Estimated}
	if t.classes[to].what != isFree {
		b.turns++
		h = Holder{Kind: Thread, Prov: Estimated, Thread: b.same(p), Stack: t.stacks[to][b.turns%len(t.stacks[to])]}
	}
	b.charge(p.Start, p.End, h, b.kin.shown.rightOf(i, to))
}

// same returns the thread of a claim that names it but not what it did.
func (b *builder) same(p *Ownership) format.ThreadID {
	if p.Holder.Prov == ThreadOnly {
		return p.Holder.Thread
	}
	return format.NoThread
}

// turn says which class of a tally a stretch is charged to, as the claim itself
// if it is beyond them.
func (b *builder) turn(i int, t *tally, ns float64) (to int) {
	for len(b.due) <= i {
		b.due = append(b.due, nil)
	}
	if b.due[i] == nil {
		b.due[i] = make([]float64, len(t.classes)+1)
	}
	due, stays := b.due[i], b.kin.shown.believed(i, b.kin.model != nil)
	to = len(t.classes)
	due[to] += stays * ns
	for k, w := range t.weights {
		due[k] += (1 - stays) * w / t.sum * ns
		if due[k] > due[to] {
			to = k
		}
	}
	due[to] -= ns
	return to
}

// charge charges a stretch of which a share is expected to be right.
func (b *builder) charge(lo, hi int64, h Holder, right float64) {
	if h.Kind == Nobody || lo >= hi {
		return
	}
	b.out = append(b.out, Ownership{lo, hi, b.s.lock, h})
	t, ns := &b.trust[h.Prov], b.waiterCounts.during(lo, hi)
	t.Ns += ns
	if h.Prov == ThreadOnly {
		t.Right = math.NaN()
		return
	}
	t.expect(right, ns)
	if h.Prov == Estimated {
		t.drawn.add(&drawn{ns: ns, right: right * float64(ns)})
		t.doubt(right, b.kin.shown.off(), ns)
	}
}
