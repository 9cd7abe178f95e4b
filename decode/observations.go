package decode

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// observation is an instant at which a thread is known to be at a site, or not to be.
type observation struct {
	thread format.ThreadID
	stack  format.StackID // at a site; NoStack elsewhere
	at     int64
}

// observations are the instants at which threads were seen. Each stands for the time halfway
// to its neighbours.
type observations []observation

// sort puts them in order of threads and times.
func (l observations) sort() {
	slices.SortFunc(l, func(a, b observation) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.at, b.at), cmp.Compare(a.stack, b.stack))
	})
}

// around returns the time that an observation stands for: at most reach to either side.
func (l observations) around(i int, reach int64) (from, to int64) {
	o := &l[i]
	from, to = o.at-reach, o.at+reach
	if i > 0 && l[i-1].thread == o.thread {
		from = max(from, o.at-(o.at-l[i-1].at)/2)
	}
	if i+1 < len(l) && l[i+1].thread == o.thread {
		to = min(to, o.at+(l[i+1].at-o.at)/2)
	}
	return from, to
}

// maxReach bounds the time that an instant stands for on either side, in median distances
// of instants.
const maxReach = 5

// spread returns half of the 95 % interval of the time at sites, as a share of that time. It
// is that of a binomial share, over the instants of threads that are ever at sites; equal
// neighbours count less, by their autocorrelation.
func (l observations) spread() float64 {
	var n, at, pairs, alike float64
	for i := 0; i < len(l); {
		j, any := i, false
		for ; j < len(l) && l[j].thread == l[i].thread; j++ {
			any = any || l[j].stack != format.NoStack
		}
		for ; i < j; i++ {
			if !any {
				continue
			}
			n++
			if l[i].stack != format.NoStack {
				at++
			}
			if i+1 < j {
				pairs++
				if (l[i].stack == format.NoStack) == (l[i+1].stack == format.NoStack) {
					alike++
				}
			}
		}
	}
	if at == 0 || at == n {
		return min(3/max(n, 1), 1) // the rule of three: an upper bound for what n instants do not show
	}
	share := at / n
	chance := share*share + (1-share)*(1-share) // of two instants being alike that are independent
	like := min(max((alike/max(pairs, 1)-chance)/(1-chance), 0), 0.9)
	return min(1.96*math.Sqrt((1-share)/at*(1+like)/(1-like)), 1)
}

// reach returns how far an instant may reach, in ns.
func (l observations) reach() int64 {
	var distances []int64
	for i := 1; i < len(l); i++ {
		if a, b := &l[i-1], &l[i]; a.thread == b.thread && a.at < b.at &&
			(a.stack != format.NoStack || b.stack != format.NoStack) {
			distances = append(distances, b.at-a.at)
		}
	}
	if len(distances) == 0 {
		return 0
	}
	slices.Sort(distances)
	return maxReach * distances[len(distances)/2] / 2
}
