package owners

import (
	"cmp"
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// kin are locks that are entered at the same call sites: what is learnt of
// one holds for all.
type kin struct {
	input     *input
	class     uint32
	locks     int                      // 1 where they follow one another: samples tell which one it is
	acquired  int                      // times any of them was, after waiting
	sites     map[format.StackID]int   // call sites of acquisitions, numbered
	paths     map[uint64]int           // the same, by how the program came there
	all       []format.StackID         // as they were met
	stacks    []format.StackID         // by number: one of its stacks
	groups    map[uint32]int           // of threads that bear one name, numbered from 1
	waits     []bool                   // by group: it waits for it
	named     map[format.ThreadID]bool // as owners
	gaps      []renewal.Gap            // with a waiter all along and nothing seen inside
	came      []int64                  // threads that began to wait in them, in ns after they began
	met       []int64                  // stretches in which threads came to wait, to the next acquisition, in ns
	shared    bool                     // readers have them together, too
	recorded  float64                  // the sum over them of the share of the waits for their lock that were recorded
	mixes     []renewal.Mix            // by group, of all in 0: how often each call site takes the lock
	witnesses *witnesses
	pools     [rests]pool // of all its locks
	shown     tallies     // what samples show of what is claimed
	long      int64       // a gap, in ns; 0 where samples of none show others than is claimed
	lags      lags
	fair      bool // who comes while others wait for them always waits
	pool      bool // several threads may have one together

	seen   float64 // the sum over all acquisitions of the share of the waits for their lock that were recorded
	shares *shares // nil where samples tell no more than the model
	joined bool    // some call sites are one
	scarce bool    // samples show that less is free than the model has it:
	spare  float64 // so much of that
	untrue float64 // so much of it is contradicted by samples that may be of sections

	model        *renewal.Model // nil when too few gaps are known
	groupsLearnt int            // groups the model knows
}

// site returns the number of a call site. Stacks that differ only in how deep the program
// recurses are of one: each by itself may be met too seldom to learn anything from.
func (k *kin) site(sym Described, st format.StackID) int {
	s, ok := k.sites[st]
	if ok {
		return s
	}
	at := path(sym, st)
	if s, ok = k.paths[at]; !ok {
		s = len(k.stacks)
		k.paths[at] = s
		k.stacks = append(k.stacks, st)
	}
	k.sites[st], k.all = s, append(k.all, st)
	return s
}

// path names the way a program came to where it is, each line of its own once. A stack in
// which none is met again names itself: it may differ from others in what it calls, too.
func path(sym Described, st format.StackID) uint64 {
	frames := sym.Application(st)
	met := make([]uint64, 0, 32)
	at, again := uint64(outermost), false
	for i := range frames {
		f := chained(outermost, &frames[i], true)
		if frames[i].Line > 0 && slices.Contains(met, f) { // what has no line is generated
			again = true
			continue
		}
		met = append(met, f)
		at = mixed(at, f)
	}
	if !again {
		return mixed(outermost, uint64(st))
	}
	return at
}

// group returns the number of a thread's group, 0 for one the model does not
// know.
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

// wait notes that a group waits for one of the locks.
func (k *kin) wait(group int) {
	for len(k.waits) <= group {
		k.waits = append(k.waits, false)
	}
	k.waits[group] = true
}

func (k *kin) waited(group int) bool { return group < len(k.waits) && k.waits[group] }

// count adds to how often a site takes the lock.
func count(m *renewal.Mix, s int, n float64) {
	for len(*m) <= s {
		*m = append(*m, 0)
	}
	(*m)[s] += n
}

// shrink is how many acquisitions like those of all a group is supposed to have
// had besides its own.
const shrink = 3

// learn fits the model, from what was learnt before of such locks.
func (k *kin) learn(known learnt) {
	if len(k.gaps) < renewal.Trust { // a first guess would weigh more than they do
		return
	}
	k.joinRare()
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
	k.model = renewal.Learn(&renewal.Data{Gaps: k.gaps, Arrivals: k.came, Met: k.met, Shared: k.shared, Recorded: k.recorded / float64(len(k.gaps)), Hidden: k.hides(), Fair: k.fair, Pool: k.pool, Before: known.before(k.class, k.stacks, k.mixes[0])}, n, k.mixes)
	k.came, k.met = nil, nil
}

// hides reports whether many acquisitions by threads that had waited were not
// recorded.
func (k *kin) hides() bool { return k.recordedShare() < nearlyAll }

func (k *kin) recordedShare() float64 { return k.seen / float64(max(k.acquired, 1)) }

// doubt notes how far the model knows how much of the rests is others'.
func (k *kin) doubt() {
	if k.model == nil {
		return
	}
	for _, i := range [...]int{restWhole, restArrival} {
		k.pools[i].least, k.pools[i].most = k.model.Doubt()
		k.pools[i].untrue = k.untrue
	}
}

// known is how much the model answers for: it has learnt from enough gaps, none of
// which hides an acquisition that was not recorded. A few long ones among many short
// ones hold most of what it divides, and tell as much as so few of one length.
func (k *kin) known() float64 {
	sum, squares := 0.0, 0.0
	for i := range k.gaps {
		l := float64(k.gaps[i].Length)
		sum, squares = sum+l, squares+l*l
	}
	if squares == 0 {
		return 0
	}
	n := sum * sum / squares
	return n / (n + renewal.Trust)
}

// mostSites bounds the call sites that are told apart: what the model costs grows
// with them times the lengths it knows.
const mostSites = 256

// joinRare makes one of the call sites beyond the bound, those that take the lock
// least often: of most of them the gaps tell nothing alone.
func (k *kin) joinRare() {
	if len(k.stacks) <= mostSites {
		return
	}
	k.joined = true
	times := make([]int, len(k.stacks))
	for i := range k.gaps {
		times[k.gaps[i].Site]++
	}
	order := make([]int, len(k.stacks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[b], times[a]) })
	number, stacks := make([]int, len(order)), make([]format.StackID, mostSites)
	for at, site := range order {
		number[site] = min(at, mostSites-1)
		if at < mostSites {
			stacks[at] = k.stacks[site]
		}
	}
	for st, site := range k.sites {
		k.sites[st] = number[site]
	}
	for i := range k.gaps {
		k.gaps[i].Site = number[k.gaps[i].Site]
	}
	for i, mix := range k.mixes {
		k.mixes[i] = nil
		for site, n := range mix {
			count(&k.mixes[i], number[site], n)
		}
	}
	k.stacks = stacks
}

// lags are how long sections take before what their threads are seen doing inside,
// in ns. A thread that is seen asleep inside took the lock some time before: about
// as long as those take whose acquisition is known. What is longer is
// something else, most often a free lock whose next owner had no processor.
//
// And how long after what was seen last inside it is until somebody else has the lock
// who waited for it.
type lags struct {
	before  map[format.StackID]sums // by stack of the activity
	after   map[format.StackID][]int64
	leaving map[format.StackID]*renewal.Leaving // what the latter tell
}

func (l *lags) add(st format.StackID, ns int64) {
	if l.before == nil {
		l.before = map[format.StackID]sums{}
	}
	if l.before[st] == nil {
		l.before[st] = sums{0}
	}
	l.before[st] = append(l.before[st], ns)
}

func (l *lags) leave(st format.StackID, ns int64) {
	if l.after == nil {
		l.after = map[format.StackID][]int64{}
	}
	l.after[st] = append(l.after[st], ns)
}

// learn finds out how much longer sections last after activities, by a model.
func (l *lags) learn(m *renewal.Model) {
	if m == nil || len(l.after) == 0 {
		return
	}
	l.leaving = map[format.StackID]*renewal.Leaving{}
	for st, list := range l.after {
		l.leaving[st] = m.Leaving(list)
	}
	l.after = nil
}

// settle sums them, when all are known: they are asked for at each activity.
func (l *lags) settle() {
	for _, list := range l.before {
		slices.Sort(list[1:])
		list.add()
	}
}

// count returns how many are known of a stack.
func (l *lags) count(st format.StackID) int { return max(len(l.before[st])-1, 0) }
