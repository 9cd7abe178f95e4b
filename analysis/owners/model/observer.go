package model

import (
	"math"
	"slices"

	"contend/format/column"
)

// observer finds what the users of a lock do in its gaps.
type observer struct {
	program Program
	stacks  *stackIndex
	lock    *lockView
	hidden  bool // dumps and samples are hidden from the model

	due     column.KeyHeap // users, by when they may do something next
	asked   []int32        // users to ask now
	list    []Observation  // of one of them
	blocked []float64      // by gap, then site: changes of gap.blocked from the gap before
	near    []column.Ref   // by user: see Program.Observations
}

// reset prepares for the current lock: each user may do something at any time.
func (o *observer) reset() {
	users := len(o.lock.users.threads)
	o.due, o.near = o.due[:0], append(o.near[:0], make([]column.Ref, users)...)
	for u := range users {
		o.due.Push(column.Key{At: math.MinInt64, ID: uint32(u)})
	}
}

// observe adds to gaps that follow one another what users do in them, looking gaps that are
// near each other up together.
func (o *observer) observe(gaps []*gap) {
	for len(gaps) > 0 {
		n, length := 1, gaps[0].to-gaps[0].from
		for n < len(gaps) && gaps[n].from-gaps[n-1].to <= nearGaps*length/int64(n) {
			length += gaps[n].to - gaps[n].from
			n++
		}
		o.look(gaps[:n])
		gaps = gaps[n:]
	}
}

// look does so for gaps that are near each other.
func (o *observer) look(gaps []*gap) {
	sites := o.lock.users.sites
	o.blocked = append(o.blocked[:0], make([]float64, (len(gaps)+1)*sites)...)
	from, to := gaps[0].from-slack, gaps[len(gaps)-1].to+slack
	for _, u := range o.dueBefore(to) {
		at := 0
		var next int64
		o.list, next = o.program.Observations(o.lock.users.threads[u], o.lock.ID, from, to, &o.near[u], o.list[:0])
		o.dueAgain(u, next, to)
		for j := range o.list {
			if x := &o.list[j]; x.What != Sample || !o.hidden {
				for at < len(gaps) && gaps[at].to <= x.Start-slack {
					at++
				}
				o.add(gaps, at, u, x)
			}
		}
	}
	sum := o.blocked[:sites]
	for i := range gaps {
		for s, v := range sum {
			gaps[i].blocked[s] += v
		}
		next := o.blocked[(i+1)*sites : (i+2)*sites]
		for s := range next {
			next[s] += sum[s]
		}
		sum = next
	}
}

// add adds what a user does to the gaps that it overlaps; number at is the first that may. If
// it keeps the user out of every site for the whole of many gaps, it is added to all of them
// at once.
func (o *observer) add(gaps []*gap, at int, user int32, x *Observation) {
	sites := o.lock.users.sites
	lo := x.Start
	hi := x.End
	if x.What == Sample {
		lo, hi = lo-slack, hi+slack
	}
	known, in := false, []within(nil)
	for i := at; i < len(gaps) && gaps[i].from < hi; i++ {
		g := gaps[i]
		if g.to <= lo {
			continue
		}
		if !known {
			known, in = true, o.stacks.inside(x.Stack)
		}
		spans := g.spannedBy(x)
		whole := x.What != Sample && x.What != Holds && lo <= g.from && hi >= g.to
		if !whole || o.lock.users.threads[user] == g.thread || len(in) > 0 && !spans {
			s := sighting{*x, user, in}
			if x.What != Holds && (spans || x.What == Leaves && x.Lock == o.lock.ID) {
				s.in = nil
			}
			g.seen = append(g.seen, s)
			continue
		}
		end := i + 1 // of the gaps that it covers together with slack
		for step := len(gaps); step > 0; step /= 2 {
			for end+step <= len(gaps) && gaps[end+step-1].to+slack < hi {
				end += step
			}
		}
		for s, v := range o.lock.users.of(user) {
			o.blocked[i*sites+s] += v
			o.blocked[end*sites+s] -= v
		}
		i = end - 1
	}
}

// dueBefore returns the users that may do something before an instant, by number. The
// others need not be asked: where 100,000 threads wait for a lock, few do anything else in
// a gap.
func (o *observer) dueBefore(to int64) []int32 {
	o.asked = o.asked[:0]
	for ; len(o.due) > 0 && o.due[0].At < to; o.due.Pop() {
		o.asked = append(o.asked, int32(o.due[0].ID))
	}
	slices.Sort(o.asked)
	return o.asked
}

// dueAgain sets when a user that was asked up to an instant is asked next: when something
// else begins, or at once if something that it did may go on.
func (o *observer) dueAgain(user int32, next, to int64) {
	for i := range o.list {
		if o.list[i].End >= to-2*slack {
			next = to - 2*slack
		}
	}
	o.due.Push(column.Key{At: next, ID: uint32(user)})
}

// elsewhere reports whether a user does something in [from, to) of a gap that it does not do
// at a site, or not while it holds the lock.
func (o *observer) elsewhere(g *gap, user int32, site int, from, to int64) bool {
	o.list, _ = o.program.Observations(o.lock.users.threads[user], 0, from+1, to, &o.near[user], o.list[:0])
	return slices.ContainsFunc(o.list, func(x Observation) bool {
		return g.spannedBy(&x) ||
			!slices.ContainsFunc(o.stacks.inside(x.Stack), func(in within) bool { return in.site == site })
	})
}
