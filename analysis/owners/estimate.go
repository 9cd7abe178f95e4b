package owners

import (
	"contend/analysis/internal/column"
	"contend/analysis/owners/renewal"
	"contend/format"
)

// kin are locks that are entered at the same call sites: what is learnt of
// one holds for all.
type kin struct {
	sites  map[format.StackID]int
	stacks []format.StackID
	groups map[uint32]int
	gaps   []renewal.Gap
	mixes  []renewal.Mix
	model  *renewal.Model

	groupsLearnt int
	locks        int
	waits        map[int]bool // groups of threads that wait for it
	witnesses    *witnesses
}

// relate learns what locks that are entered at the same call sites have in
// common. Some builders may be nil.
func (ev *evidence) relate(all []*builder) {
	var builders []*builder
	var sections []*section
	for _, b := range all {
		if b != nil {
			builders, sections = append(builders, b), append(sections, b.s)
		}
	}
	kins := ev.kinOf(sections)
	seen := map[*kin]bool{}
	var list []*kin
	for i, b := range builders {
		b.kin = kins[i]
		b.gather(b.kin)
		if !seen[b.kin] {
			seen[b.kin] = true
			list = append(list, b.kin)
		}
	}
	column.OnAllCores(len(list), func(i int) {
		list[i].witnesses = ev.witnesses(list[i])
		list[i].learn()
	})()
	for _, b := range builders {
		b.observe()
	}
}

func (ev *evidence) kinOf(sections []*section) []*kin {
	type entry struct {
		stack format.StackID
		class uint32
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
		for j := range sections[i].acquired {
			st := ev.wait(&sections[i].acquired[j]).Stack
			if st == format.NoStack || ev.sym.Bare(st) {
				continue
			}
			at := entry{st, ev.class[sections[i].lock]}
			if k, ok := first[at]; ok {
				root[find(i)] = find(k)
			} else {
				first[at] = i
			}
		}
	}
	out := make([]*kin, len(sections))
	for i := range sections {
		r := find(i)
		if out[r] == nil {
			out[r] = &kin{sites: map[format.StackID]int{}, groups: map[uint32]int{}, waits: map[int]bool{}, mixes: []renewal.Mix{{}}}
		}
		out[i] = out[r]
		out[i].locks++
	}
	return out
}

func (k *kin) site(st format.StackID) int {
	s, ok := k.sites[st]
	if !ok {
		s = len(k.stacks)
		k.sites[st] = s
		k.stacks = append(k.stacks, st)
	}
	return s
}

func (k *kin) group(sym Described, t format.ThreadID) int {
	g := sym.Group(t)
	i, ok := k.groups[g]
	if !ok && k.model != nil {
		return 0
	}
	if !ok {
		i = len(k.groups) + 1
		k.groups[g] = i
		k.mixes = append(k.mixes, renewal.Mix{})
	}
	return i
}

// groupKnown is group for threads that may not be new.
func (k *kin) groupKnown(sym Described, t format.ThreadID) int {
	return k.groups[sym.Group(t)]
}

func count(m *renewal.Mix, s int, n float64) {
	for len(*m) <= s {
		*m = append(*m, 0)
	}
	(*m)[s] += n
}

// gather adds the gaps of a lock to what its model is learnt from.
func (b *builder) gather(k *kin) {
	s := b.s
	for i := range s.acquired {
		a := &s.acquired[i]
		st := b.ev.wait(a).Stack
		if st == format.NoStack {
			continue
		}
		site := k.site(st)
		group := k.group(b.ev.sym, a.thread)
		hi := int64(maxTime)
		if i+1 < len(s.acquired) {
			hi = s.acquired[i+1].time
		}
		own := b.ownInside(a.thread, a.time, hi)
		if !own {
			count(&k.mixes[0], site, 1)
			count(&k.mixes[group], site, 1)
			k.waits[group] = true
		}
		if i+1 == len(s.acquired) || hi == a.time || len(b.inside(a.time, hi)) > 0 || !s.isBusy(a.time, hi) {
			continue
		}
		k.gaps = append(k.gaps, b.gapOf(k, a, &s.acquired[i+1]))
	}
}

func (b *builder) ownInside(t format.ThreadID, lo, hi int64) bool {
	for _, a := range b.inside(lo, hi) {
		if a.thread == t {
			return true
		}
	}
	return false
}

func (b *builder) gapOf(k *kin, x, y *acquisition) renewal.Gap {
	g := renewal.Gap{Site: k.site(b.ev.wait(x).Stack), Length: y.time - x.time}
	if left := b.left(x.thread, x.time, y.time); left < y.time {
		g.Gone = max(left-x.time, 1)
	}
	switch last := b.ev.wait(y).prev(); last {
	case format.NoThread:
	case x.thread:
		g.Last = renewal.LastSame
	default:
		g.Last, g.Group = renewal.LastOther, k.group(b.ev.sym, last)
	}
	return g
}

const shrink = 3

func (k *kin) learn() {
	if len(k.gaps) < renewal.Trust { // a first guess would weigh more than they do
		return
	}
	n := len(k.stacks)
	k.groupsLearnt = len(k.mixes)
	for i := range k.mixes {
		for len(k.mixes[i]) < n {
			k.mixes[i] = append(k.mixes[i], 0)
		}
	}
	total := 0.0
	for _, w := range k.mixes[0] {
		total += w
	}
	if total == 0 {
		return
	}
	for i := range k.mixes {
		if i > 0 {
			for s, w := range k.mixes[0] {
				k.mixes[i][s] += shrink * w / total
			}
		}
	}
	k.model = renewal.Learn(k.gaps, n, k.mixes)
}

// estimate charges a gap by the model.
func (b *builder) estimate(g *gap) {
	y := &b.s.acquired[g.at]
	var x *acquisition
	rg := renewal.Gap{Site: -1}
	if g.at > 0 {
		x = &b.s.acquired[g.at-1]
		rg = b.gapOf(b.kin, x, y)
	} else if last := b.ev.wait(y).prev(); last != format.NoThread {
		rg.Last, rg.Group = renewal.LastOther, b.kin.group(b.ev.sym, last)
	}
	if rg.Group >= len(b.kin.mixes) || rg.Group >= b.kin.groupsLearnt {
		rg.Group = 0
	}
	thread := format.NoThread
	switch rg.Last {
	case renewal.LastOther:
		thread = b.ev.wait(y).prev()
	case renewal.LastSame:
		thread = x.thread
	}
	var first anchor
	if x != nil {
		first = anchor{thread: x.thread, stack: b.ev.wait(x).Stack, prov: Estimated}
		if b.free {
			first.thread = format.NoThread
		}
		if b.s.isBusy(g.lo, g.hi) {
			if rg.Least = min(g.least, rg.Length); rg.Least > rg.Gone {
				rg.Gone = 0
			}
			p := &b.parts
			b.kin.model.Split(rg, p)
			shown := first
			shown.prov = Sampled
			b.emitOp(g.lo, g.lo+rg.Least, shown)
			b.expect(p.SureFirst)
			b.emitOp(g.lo+rg.Least, g.lo+p.First, first)
			b.rest(g, max(g.lo+p.First, g.lo+rg.Least), p.Others, thread, p.SureRest)
			return
		}
	}
	from := b.s.busy[b.busyAfter(max(g.lo, b.s.busy[0].start))].start
	if from < g.lo {
		from = g.lo
	}
	a := renewal.Arrival{Site: rg.Site, Length: g.hi - from, Last: rg.Last, Group: rg.Group, Busy: b.wanted}
	if x != nil {
		a.Elapsed = from - g.lo
	}
	m := &b.met
	b.kin.model.Meet(a, m)
	at := from
	met := m.Own
	for s, ns := range m.First {
		met += ns
		m.Others[s] += ns
	}
	if x != nil {
		b.expect(m.SureFirst * share(m.Own, met))
		b.emitOp(at, at+m.Own, first)
		at += m.Own
	}
	b.rest(g, at, m.Others, thread, m.SureRest)
}

// rest charges what follows the first section of a gap; sure is how much of it
// does.
func (b *builder) rest(g *gap, at int64, by []int64, thread format.ThreadID, sure float64) {
	b.sure, b.length = sure, g.hi-at
	at = b.others(g, at, by, thread)
	b.expect(sure * share(g.hi-at, b.length))
	b.add(at, g.hi, Holder{Kind: Handoff, Prov: Estimated})
}

// share is a part of a whole.
func share(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

// busyShare is the share of all time in which somebody waited.
func (s *section) busyShare() float64 {
	sum := int64(0)
	for _, b := range s.busy {
		sum += b.end - b.start
	}
	n := len(s.busy)
	return float64(sum) / float64(max(s.busy[n-1].end-s.busy[0].start, 1))
}

// others charges the sections of threads that took the free lock: to what
// samples show in the gap, else to those the model expects.
func (b *builder) others(g *gap, at int64, by []int64, thread format.ThreadID) int64 {
	total := int64(0)
	for _, ns := range by {
		total += ns
	}
	seen := b.witnessed(g, b.kin.witnesses.is)
	if len(seen) == 0 {
		if g.last != format.NoThread && g.last != g.first.thread && !b.kin.waits[b.kin.groupKnown(b.ev.sym, g.last)] {
			b.now = g
			b.approach(at, at+total, anchor{thread: g.last})
			return at + total
		}
		return b.spread(at, by, thread)
	}
	b.expect(b.sure * share(total, b.length))
	for i, a := range seen {
		lo, hi := total*int64(i)/int64(len(seen)), total*int64(i+1)/int64(len(seen))
		b.emitOp(at+lo, at+hi, a)
	}
	return at + total
}

// spread charges sections of several sites one after another.
func (b *builder) spread(at int64, by []int64, thread format.ThreadID) int64 {
	for len(b.owed) < len(by) {
		b.owed = append(b.owed, 0)
	}
	var total, small, most int64
	for _, ns := range by {
		total += ns
	}
	best := -1
	for s, ns := range by {
		if ns == 0 {
			continue
		}
		b.expect(b.sure * share(ns, b.length))
		if ns >= total/8 {
			b.emitOp(at, at+ns, anchor{thread: thread, stack: b.kin.stacks[s], prov: Estimated})
			at += ns
			continue
		}
		small += ns
		b.owed[s] += ns
		if best < 0 || b.owed[s] > most {
			best, most = s, b.owed[s]
		}
	}
	if best >= 0 {
		b.expect(b.sure * share(by[best], b.length))
		b.emitOp(at, at+small, anchor{thread: thread, stack: b.kin.stacks[best], prov: Estimated})
		b.owed[best] -= small
		at += small
	}
	return at
}

func (b *builder) emitOp(lo, hi int64, a anchor) {
	if lo < hi {
		b.add(lo, hi, Holder{Kind: Thread, Prov: a.prov, Thread: a.thread, Stack: a.stack})
	}
}
