package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// doings are the waits and activities of each thread, by start: refs, since
// there may be as many as events.
type doings struct {
	r        *record
	byThread [][]ref
}

// activityBit tells refs of activities from those of waits.
const activityBit = 1 << 31

// doing is a stretch (or, for a sample, an instant) in which a thread's stack
// is known.
type doing struct {
	start, end int64
	stack      format.StackID
	lock       format.ObjectID // the lock it waited for, NoObject for other doings
}

// place is a point of the program: a stack and, since one line may enter
// several locks, what was waited for there.
type place struct {
	stack format.StackID
	lock  format.ObjectID
}

func (d *doing) place() place { return place{d.stack, d.lock} }

// arrange puts what has been recorded in order of time, joins the parks of one
// acquire, and lists what each thread did. The lists by lock and by place are
// made meanwhile; who needs them waits for r.indexing.
func (r *record) arrange(sym *Symbols) {
	var activities []ref
	done := make(chan struct{})
	go func() {
		defer close(done)
		activities = r.activities.order()
	}()
	r.starts = r.waits.order()
	<-done
	r.joinParks(sym)
	r.indexing.Go(r.index)
	r.doings = doings{r: r, byThread: r.deal(activities)}
}

// index lists the waits for each lock and, where the trace does not tell all
// owners itself, what was done at each place.
func (r *record) index() {
	r.byLock = r.waitsByLock()
	if r.tenures.len() == 0 {
		r.places.fill(r)
	}
}

// tally counts what each of several lists will hold.
type tally []int

// add makes room for n more in a list.
func (c *tally) add(list, n int) {
	for len(*c) <= list {
		*c = append(*c, 0)
	}
	(*c)[list] += n
}

// lists returns the lists, still empty, in one array.
func (c tally) lists() [][]ref {
	total := 0
	for _, n := range c {
		total += n
	}
	all, lists := make([]ref, total), make([][]ref, len(c))
	for i, n := range c {
		lists[i], all = all[:0:n], all[n:]
	}
	return lists
}

// deal distributes waits and activities over their threads, in one array. It
// has room for the waits that were joined to others too.
func (r *record) deal(activities []ref) [][]ref {
	by := r.perThread.lists()
	next := 0
	for _, i := range r.starts {
		w := r.waits.at(i)
		for ; next < len(activities); next++ {
			a := r.activities.at(activities[next])
			if a.start >= w.start {
				break
			}
			by[a.thread()] = append(by[a.thread()], activities[next]|activityBit)
		}
		by[w.thread] = append(by[w.thread], i)
	}
	for _, i := range activities[next:] {
		t := r.activities.at(i).thread()
		by[t] = append(by[t], i|activityBit)
	}
	return by
}

// of returns what a thread did, by start.
func (d *doings) of(t format.ThreadID) []ref {
	if int(t) < len(d.byThread) {
		return d.byThread[t]
	}
	return nil
}

func (d *doings) at(i ref) doing {
	if i&activityBit != 0 {
		a := d.r.activities.at(i &^ activityBit)
		return doing{a.start, a.end, a.stack, format.NoObject}
	}
	w := d.r.waits.at(i)
	return doing{w.start, w.end, w.stack, w.lock}
}

func (d *doings) start(i ref) int64 {
	if i&activityBit != 0 {
		return d.r.activities.at(i &^ activityBit).start
	}
	return d.r.waits.at(i).start
}

// before returns how many of a thread's doings begin before t.
func (d *doings) before(list []ref, t int64) int {
	n, _ := slices.BinarySearchFunc(list, t, func(i ref, t int64) int { return cmp.Compare(d.start(i), t) })
	return n
}

// thread returns whose doing it is.
func (d *doings) thread(i ref) format.ThreadID {
	if i&activityBit != 0 {
		return d.r.activities.at(i &^ activityBit).thread()
	}
	return d.r.waits.at(i).thread
}

// places lists the doings at each place of the program, as they lie in memory:
// they are many, and who counts them goes through all.
type places struct {
	lists [][]ref
	index map[place]int
	last  []int // by stack: the list its last place has, plus one; few stacks enter several locks
	locks []format.ObjectID
}

// fill counts the doings at each place, and then deals them out in one array,
// once.
func (p *places) fill(r *record) {
	if p.lists != nil {
		return
	}
	var counts tally
	p.each(r, func(list int, _ ref) { counts.add(list, 1) })
	p.lists = counts.lists()
	p.each(r, func(list int, i ref) { p.lists[list] = append(p.lists[list], i) })
}

// each visits what has a stack and some length, with the number of its place.
func (p *places) each(r *record, f func(list int, i ref)) {
	for n, piece := range r.waits.pieces {
		for i := range piece {
			if w := &piece[i]; w.stack != format.NoStack && w.end > w.start {
				f(p.number(place{w.stack, w.lock}), ref(n)<<pieceBits|ref(i))
			}
		}
	}
	for n, piece := range r.activities.pieces {
		for i := range piece {
			if a := &piece[i]; a.stack != format.NoStack && a.end > a.start {
				f(p.number(place{a.stack, format.NoObject}), ref(n)<<pieceBits|ref(i)|activityBit)
			}
		}
	}
}

// number returns the dense number of a place.
func (p *places) number(at place) int {
	for len(p.last) <= int(at.stack) {
		p.last, p.locks = append(p.last, 0), append(p.locks, format.NoObject)
	}
	if p.last[at.stack] == 0 || p.locks[at.stack] != at.lock {
		n, ok := p.index[at]
		if !ok {
			if p.index == nil {
				p.index = map[place]int{}
			}
			n = len(p.index)
			p.index[at] = n
		}
		p.last[at.stack], p.locks[at.stack] = n+1, at.lock
	}
	return p.last[at.stack] - 1
}

// at returns the doings at a place.
func (p *places) at(at place) []ref {
	if n, ok := p.index[at]; ok {
		return p.lists[n]
	}
	return nil
}
