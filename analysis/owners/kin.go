package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// kin are locks that are entered at the same call sites: what is learnt of
// one holds for all.
type kin struct {
	input  *input
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
