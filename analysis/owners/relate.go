package owners

import (
	"cmp"
	"slices"

	"contend/analysis/cores"
	"contend/analysis/owners/renewal"
	"contend/format"
)

// relate learns what locks that are entered at the same call sites have in
// common, those of the most acquisitions first, and calls with for each kind
// then. Some builders may be nil.
func (ev *evidence) relate(all []*builder, samples map[*input]*samples, with func(*kin, []*builder)) {
	sections := sectionsOf(all)
	builders := slices.DeleteFunc(slices.Clone(all), func(b *builder) bool { return b == nil })
	acquired := 0
	for _, s := range sections {
		acquired += len(s.acquired)
	}
	ev.oneAsked = oneAsked(acquired)
	of := map[*kin][]*builder{}
	var list []*kin
	for i, k := range ev.kinOf(sections) {
		if of[k] == nil {
			list = append(list, k)
		}
		k.acquired += len(sections[i].acquired)
		builders[i].kin = k
		of[k] = append(of[k], builders[i])
	}
	slices.SortStableFunc(list, func(a, b *kin) int { return cmp.Compare(b.acquired, a.acquired) })
	cores.Each(len(list), func(i int) {
		ev.study(list[i], of[list[i]], samples[list[i].input])
		with(list[i], of[list[i]])
	})()
}

// sectionsOf returns the sections of some builders, some of which may be nil.
func sectionsOf(builders []*builder) (all []*section) {
	for _, b := range builders {
		if b != nil {
			all = append(all, b.s)
		}
	}
	return all
}

// study learns what locks of one kind have in common.
func (ev *evidence) study(k *kin, builders []*builder, samples *samples) {
	near := new(places)
	k.met = make([]int64, 0, k.acquired) // there is one after most acquisitions
	for _, b := range builders {
		b.places = near
		b.gather(k)
	}
	k.lags.settle()
	k.witnesses = ev.witnesses(k, samples)
	ev.learnNamed(k)
	ev.learnRan(k)
	k.learn(ev.learnt)
	k.lags.learn(k.model)
	for _, b := range builders {
		b.observe()
	}
	if len(ev.dumps) > 0 { // they will be compared with what is claimed
		for _, st := range k.all {
			k.witnesses.family.of(st)
		}
	}
	k.witnesses.family.fixed = true
}

// kinOf says which locks of an input are of one kind: of one class, and entered
// at a common call site.
func (ev *evidence) kinOf(sections []*section) []*kin {
	type entry struct {
		stack format.StackID
		class uint32
		input *input
	}
	first := map[entry]int{}
	root := make([]int, len(sections))
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for i := range sections {
		root[i] = i
		var met recent
		for j := range sections[i].acquired {
			st := ev.wait(&sections[i].acquired[j]).Stack
			if met.meets(uint32(st)) || st == format.NoStack || ev.sym.Bare(st) {
				continue
			}
			at := entry{st, ev.class[sections[i].lock], ev.input(sections[i].lock)}
			if k, ok := first[at]; ok {
				root[find(i)] = find(k)
			} else {
				first[at] = i
			}
		}
	}
	out, alive := make([]*kin, len(sections)), map[*kin][]span{}
	for i := range sections {
		r := find(i)
		if l := sections[r].lock; out[r] == nil {
			out[r] = &kin{fair: ev.fair[l], pool: ev.sym.Kind(l) == format.KindSemaphore, input: ev.input(l), class: ev.class[l], sites: map[format.StackID]int{}, paths: map[uint64]int{}, groups: map[uint32]int{}, named: map[format.ThreadID]bool{}, mixes: []renewal.Mix{{}}}
		}
		out[i] = out[r]
		alive[out[r]] = append(alive[out[r]], span{sections[i].busy[0].start, sections[i].busy[len(sections[i].busy)-1].end})
	}
	for k, list := range alive {
		if k.locks = len(list); successive(list) {
			k.locks = 1
		}
	}
	return out
}

// successive reports whether some stretches follow one another: a lock that a garbage collection
// moves looks like several of which one is used at a time.
func successive(list []span) bool {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(list); i++ {
		if list[i].start < list[i-1].end {
			return false
		}
	}
	return true
}

// gather adds the gaps of a lock to what its model is learnt from.
func (b *builder) gather(k *kin) {
	s := b.s
	b.seen = s.recorded
	k.seen += b.seen * float64(len(s.acquired))
	next := 0
	var sites, groups, named recent
	for i := range s.acquired {
		a := &s.acquired[i]
		w := b.ev.wait(a)
		st := w.Stack
		if last := w.prev(); last != format.NoThread && !named.meets(uint32(last)) {
			k.named[last] = true
		}
		if st == format.NoStack {
			continue
		}
		site := sites.numbered(uint32(st), func() int { return k.site(b.ev.sym, st) })
		group := groups.numbered(uint32(a.thread), func() int { return k.group(b.ev.sym, a.thread) })
		hi := int64(maxTime)
		if i+1 < len(s.acquired) {
			hi = s.acquired[i+1].time
		}
		inside := b.inside(a.time, hi)
		if !slices.ContainsFunc(inside, func(i anchor) bool { return i.thread == a.thread }) {
			count(&k.mixes[0], site, 1)
			count(&k.mixes[group], site, 1)
			k.wait(group)
		}
		if i+1 == len(s.acquired) || hi == a.time {
			continue
		}
		if len(inside) > 0 {
			b.lag(&k.lags, a, inside)
			b.leave(&k.lags, a, hi, inside)
			continue
		}
		if !s.isBusy(a.time, hi) {
			if n := b.busyAfter(a.time); s.busy[n].start < hi {
				k.met = append(k.met, hi-max(s.busy[n].start, a.time))
				k.shared = k.shared || s.shared
			}
			continue
		}
		g := b.gapOf(k, site, a, &s.acquired[i+1])
		g.Gone = b.gone(a, &s.acquired[i+1])
		g.Came.From = uint32(len(k.came))
		if !s.shared { // readers come to a lock that is held, and need not wait
			next = b.arrivals(k, next, a.time, hi)
			k.recorded += b.seen
		}
		g.Came.To = uint32(len(k.came))
		k.gaps = append(k.gaps, g)
	}
}

// arrivals lists when threads began to wait between lo and hi, after lo; next
// is the first wait that may have, and what it returns the same for the next gap.
func (b *builder) arrivals(k *kin, next int, lo, hi int64) int {
	for starts := b.s.starts; next < len(starts)-1; next++ {
		start := starts.instant(next)
		if start >= hi {
			break
		}
		if start > lo {
			k.came = append(k.came, start-lo)
		}
	}
	return next
}

// gone returns how long after an acquisition its thread was seen elsewhere, in
// ns; 0 when it was not before the next one.
func (b *builder) gone(x, y *acquisition) int64 {
	if left := b.left(x.thread, x.time, y.time); left < y.time {
		return max(left-x.time, 1)
	}
	return 0
}

// gapOf describes the gap between two acquisitions to the model, but for when
// the first owner was gone.
func (b *builder) gapOf(k *kin, site int, x, y *acquisition) renewal.Gap {
	g := renewal.Gap{Site: site, Length: y.time - x.time}
	switch last := b.ev.doer(y).prev(); last {
	case format.NoThread:
	case x.thread:
		g.Last = renewal.LastSame
	default:
		g.Last, g.Group = renewal.LastOther, k.group(b.ev.sym, last)
	}
	return g
}

// witnesses lists the parts of the program the samples of the input show; there
// may be none.
func (ev *evidence) witnesses(k *kin, samples *samples) *witnesses {
	w := &witnesses{family: newFamily(ev.sym, k.all, func(st format.StackID) int { return k.sites[st] }), parts: map[uint64]*witness{}}
	if samples == nil {
		return w
	}
	for _, r := range w.family.reach(samples) {
		w.add(r.part, r.times, samples.list[r.first].stack)
	}
	return w
}

// observe counts what samples show in the gaps of a lock.
func (b *builder) observe() {
	w := b.kin.witnesses
	for _, s := range b.ev.shown[b.s.lock] {
		w.family.of(s.stack)
	}
	for i := range b.s.seen {
		w.family.of(b.s.seen[i].stack)
	}
	if w.total == 0 { // no sample is of any part
		return
	}
	b.gaps(func(g *gap) {
		if g.hi == maxTime || g.last == format.NoThread && b.kin.locks > 1 || g.last != format.NoThread && g.last == g.first.thread {
			return
		}
		t, lo, hi := b.window(g)
		b.running(t, lo, hi, func(t format.ThreadID, stack format.StackID) {
			if b.ev.inputOfThread(t) != b.kin.input {
				return
			}
			if p := w.at(stack); p != nil {
				p.inside++
				w.inside++
				if p.groups == nil {
					p.groups = map[int]int{}
				}
				p.groups[b.kin.group(b.ev.sym, t)]++
			}
		})
	})
}

// window is where samples tell who owned the lock at the end of a gap: since
// the last owner came, if it is named, else while somebody waited.
func (b *builder) window(g *gap) (t format.ThreadID, lo, hi int64) {
	lo, hi = b.waitedFrom(g), g.hi
	if g.last != format.NoThread {
		return g.last, b.came(anchor{start: g.hi, thread: g.last}, lo), hi
	}
	return format.NoThread, lo, hi
}

// waitedFrom returns when somebody first waited in a gap.
func (b *builder) waitedFrom(g *gap) int64 {
	if i := b.busyAfter(g.lo); i < len(b.s.busy) {
		return max(g.lo, min(b.s.busy[i].start, g.hi))
	}
	return g.lo
}

// waitedIn returns for how long anybody waits in a gap, to its end.
func (b *builder) waitedIn(g *gap) int64 { return g.hi - b.waitedFrom(g) }

// lag notes how far an acquisition is from the first activity its thread is seen
// at inside.
func (b *builder) lag(l *lags, a *acquisition, inside []anchor) {
	first := inside[0]
	if first.thread == a.thread && b.left(a.thread, a.time, first.start) >= first.start {
		l.add(first.stack, first.start-a.time)
	}
}

// leave notes how far the activity seen last inside is from the next acquisition, by who
// waited for it all along, or from where its thread was seen elsewhere.
func (b *builder) leave(l *lags, a *acquisition, hi int64, inside []anchor) {
	last := inside[len(inside)-1]
	if last.start >= last.end || last.end >= hi || !b.s.isBusy(last.end, hi) {
		return
	}
	if b.ev.sym.Bare(last.stack) {
		last.stack = b.homeOf(last, &gap{lo: a.time, hi: hi, first: anchor{thread: a.thread, stack: b.ev.wait(a).Stack}})
	}
	l.leave(last.stack, b.left(last.thread, last.end, hi)-last.end)
}

// homeOf returns the stack to show for an activity whose own shows the runtime
// only: that of its thread's acquisition, or of the site it is known to
// belong to, else its own.
func (b *builder) homeOf(a anchor, g *gap) format.StackID {
	known, ok := b.s.homes[a.stack]
	near := !ok || a.start-g.lo <= known.within
	if near && a.thread == g.first.thread && g.first.stack != format.NoStack && b.left(a.thread, g.lo, a.start) >= a.start {
		return g.first.stack
	}
	if ok {
		return known.stack
	}
	return a.stack
}
