package model

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// worker is what a goroutine needs to work on a class.
type worker struct {
	class  *Class
	inner  map[format.StackID][]within
	taking map[format.StackID]int
	path   path

	waits   []Wait
	ends    []int32 // the waits by end
	users   users
	doings  []Doing
	due     column.KeyHeap // users by when they may do something
	asked   []int32        // those that did
	block   []float64
	start   []float64
	recent  ring
	pending []recently
	batch   []gap
	diff    []float64
	lock    *Lock // whose waits and users these are

	bare   bool // without dumps and samples
	ev     evidence
	lumps  []lump
	lumpOf []int32
	partOf [][phases]float64
	steps  steps
	first  [phases]float64 // the holds of the acquirer's site
	own    [phases]float64
	free   [lagPhases]float64
	ownAt  [cells][phases]float64
	freeAt [cells][lagPhases]float64
	post   posterior
	known  map[uint64]known
	room   []byCell // for more shapes
	shares []share
	calm   []Time // by user: when it was last found to do nothing
}

// worker returns one that works with the sites of the class as they are now; release
// keeps it, with the waits it has at hand, for what comes next.
func (c *Class) worker() *worker {
	k, _ := c.workers.Get().(*worker)
	if k == nil {
		k = &worker{class: c}
	}
	if n := len(c.sites); k.inner == nil || len(k.lumpOf) != n {
		k.inner, k.taking, k.users.sites = map[format.StackID][]within{}, map[format.StackID]int{}, -1
		k.lumpOf, k.partOf, k.post.site = make([]int32, n), make([][phases]float64, n), make([]byCell, n)
	}
	return k
}

func (k *worker) release() {
	k.bare = false
	k.class.workers.Put(k)
}

// load makes a lock the one at hand.
func (k *worker) load(l *Lock) {
	other := k.lock != l
	if other {
		k.lock = l
		k.waits = k.class.program.Waits(l.ID, k.waits[:0])
		k.ends = slices.Grow(k.ends[:0], len(k.waits))
		for i := range k.waits {
			k.ends = append(k.ends, int32(i))
			k.waits[i].Shared = k.waits[i].Shared || l.many
		}
		slices.SortFunc(k.ends, func(a, b int32) int {
			return cmp.Or(cmp.Compare(k.waits[a].End, k.waits[b].End), cmp.Compare(a, b))
		})
	}
	if other || k.users.sites != len(k.class.sites) {
		k.users.set(k.class, k.waits, l.Dumps)
		k.users.list(k.waits)
	}
}

// Learn learns how long sites hold, how long locks are free and who takes each lock, from
// some gaps of the recording, by expectation maximisation.
func (c *Class) Learn() {
	sites := len(c.sites)
	c.prior()
	if sites == 0 {
		return
	}
	k := c.worker()
	defer k.release()
	list := k.shapes(max(1, c.waits/someGaps))
	for range rounds {
		c.round(k, list)
	}
}

// round expects what happened in some gaps, and takes that over.
func (c *Class) round(k *worker, list []shape) {
	defer func(e evidence) { k.ev = e }(k.ev)
	sites := len(c.sites)
	all := counts{entries: make([][phases]float64, sites)}
	byLock := make([][]float64, len(c.Locks))
	for i := range list {
		s := &list[i]
		if byLock[s.lock] == nil {
			byLock[s.lock] = make([]float64, sites)
		}
		all.enters, all.each, k.ev = byLock[s.lock], s.n, s.evidence
		k.explain(c.Locks[s.lock], &all)
	}
	c.maximise(&all, byLock)
}

// prior is what is supposed before anything is learned.
func (c *Class) prior() {
	c.entry = 1 / usual
	for j := range lagPhases {
		c.lags[j] = math.Pow(lagFall, float64(j))
	}
	normalise(c.lags[:])
	total := 0.0
	for _, s := range c.sites {
		total += s.n
		for p := range phases {
			s.holds[p] = math.Pow(0.7, math.Abs(math.Log(holdMean[p]/usual)/math.Log(4)))
		}
		normalise(s.holds[:])
	}
	k := c.worker()
	defer k.release()
	for _, l := range c.Locks {
		own := make([]float64, len(c.sites))
		k.load(l)
		for i := range k.waits {
			if s := k.siteOf(k.waits[i].Stack); s >= 0 {
				own[s]++
			}
		}
		for i := range l.Dumps {
			if s := k.siteOf(l.Dumps[i].Took); s >= 0 {
				own[s]++
			}
		}
		l.mix, l.uses = make([]float64, len(c.sites)), make([]bool, len(c.sites))
		for s, x := range c.sites {
			l.uses[s] = own[s] > 0 || x.of[l] || !x.silent && l.n < fewWaits
			l.mix[s] = own[s] + 5*x.n/total + 0.01
			if !l.uses[s] {
				l.mix[s] = nobodyKnown
			}
		}
		normalise(l.mix)
	}
}

// maximise takes over what is expected.
func (c *Class) maximise(all *counts, byLock [][]float64) {
	var mean [phases]float64
	for p := range phases {
		mean[p] = 0.3
		for s := range c.sites {
			mean[p] += all.entries[s][p]
		}
	}
	normalise(mean[:])
	for i, s := range c.sites {
		for p := range phases {
			s.holds[p] = all.entries[i][p] + holdCounts*mean[p]
		}
		normalise(s.holds[:])
	}
	for j := range lagPhases {
		c.lags[j] = all.lags[j] + math.Pow(lagFall, float64(j))
	}
	normalise(c.lags[:])
	c.entry = min(1/2e3, max(1/1e9, (all.n+0.5)/(all.free+1e6)))
	for i, l := range c.Locks {
		for s := range c.sites {
			l.mix[s] = mixCounts
			if by := byLock[i]; by != nil {
				l.mix[s] += by[s]
			}
			if !l.uses[s] {
				l.mix[s] = nobodyKnown
			}
		}
		normalise(l.mix)
	}
}

func normalise(list []float64) {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	for i := range list {
		list[i] /= sum
	}
}
