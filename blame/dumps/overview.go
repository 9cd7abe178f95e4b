package dumps

import (
	"cmp"
	"slices"

	"contend/blame"
	"contend/blame/locks"
	"contend/format"
)

// Overview is the last dump of each process, and what differs from the dumps before.
type Overview struct {
	Dumps     []Dump // of all processes, by process and in order
	Processes int
	Threads   int // in the last dump of each process
	ByState   [States]int
	Stuck     int // threads that are not idle and have one stack in all dumps, or in the last StuckDumps
	Over      int // the number of dumps that this compares; 0 if no process has two
	Groups    []Group
	Stacks    []Stack
}

// StuckDumps is the number of dumps, at most, in which a stuck thread must have the same stack.
const StuckDumps = 10

// Group is the threads whose names differ by numbers only.
type Group struct {
	Name    string
	Threads int
	ByState [States]int
}

// Stack is the threads of the last dumps with one stack and one state.
type Stack struct {
	State   State
	Lock    format.ObjectID // of Waiting
	Locks   int             // they wait for so many
	What    string          // of Resource: as locks.Resource has it
	Doing   blame.Doing     // of Running and InIO
	Site    string          // the innermost line of the program's own code
	Frames  []format.Frame
	Threads int
	Stuck   int      // of them, as Overview has it
	Groups  []string // of the threads, the biggest first
}

// stackOf identifies the threads of a Stack.
type stackOf struct {
	stack format.StackID
	state State
}

// Overview returns the sums of the dumps; nil if the input has none.
func (c *Collector) Overview() *Overview {
	c.finish()
	if len(c.all) == 0 {
		return nil
	}
	o := &Overview{Processes: len(c.all)}
	groups, stacks := map[string]*Group{}, map[stackOf]*stackSum{}
	for _, p := range c.all {
		o.Dumps = append(o.Dumps, p.dumps...)
		over := min(len(p.dumps), StuckDumps)
		if over > 1 {
			o.Over = max(o.Over, over)
		}
		last := len(p.dumps) - 1
		for id, t := range p.threads {
			if t.last != last {
				continue
			}
			state := c.state(&t.shown)
			o.Threads++
			o.ByState[state]++
			name := c.sym.Groups().Value(c.sym.Group(id))
			g := groups[name]
			if g == nil {
				g = &Group{Name: name}
				groups[name] = g
			}
			g.Threads++
			g.ByState[state]++
			sum := blame.Entry(stacks, stackOf{t.shown.stack, state})
			stuck := over > 1 && last-t.since+1 >= over && state != Idle
			if stuck {
				o.Stuck++
			}
			sum.add(name, t.shown.lock, stuck)
		}
	}
	for _, g := range groups {
		o.Groups = append(o.Groups, *g)
	}
	slices.SortFunc(o.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Threads, a.Threads), cmp.Compare(a.Name, b.Name))
	})
	o.Stacks = c.stacks(stacks)
	return o
}

// stackSum is what is summed for a Stack.
type stackSum struct {
	threads, stuck int
	groups         map[string]int
	locks          map[format.ObjectID]int
}

func (s *stackSum) add(group string, lock format.ObjectID, stuck bool) {
	if s.groups == nil {
		s.groups, s.locks = map[string]int{}, map[format.ObjectID]int{}
	}
	s.threads++
	s.groups[group]++
	if lock != format.NoObject {
		s.locks[lock]++
	}
	if stuck {
		s.stuck++
	}
}

// stacks returns the rows: those that are not idle first, in descending order of stuck threads, then
// of all threads.
func (c *Collector) stacks(sums map[stackOf]*stackSum) []Stack {
	type keyed struct {
		stack Stack
		id    format.StackID
	}
	var rows []keyed
	for key, sum := range sums {
		frames := c.sym.Frames(key.stack)
		row := Stack{
			State:   key.state,
			Frames:  frames,
			Threads: sum.threads,
			Stuck:   sum.stuck,
			Locks:   len(sum.locks),
			Groups:  largest(sum.groups),
			Site:    c.sites.Names().Value(c.sites.Waiter(key.stack)),
			Doing:   c.sites.Doing(key.stack),
		}
		if by := largest(sum.locks); len(by) > 0 {
			row.Lock = by[0]
		}
		if key.state == Resource {
			row.What, _, _ = locks.Place(frames)
		}
		rows = append(rows, keyed{row, key.stack})
	}
	slices.SortFunc(rows, func(a, b keyed) int {
		return cmp.Or(
			blame.CompareBool(a.stack.State == Idle, b.stack.State == Idle),
			cmp.Compare(b.stack.Stuck, a.stack.Stuck),
			cmp.Compare(b.stack.Threads, a.stack.Threads),
			cmp.Compare(a.stack.State, b.stack.State),
			cmp.Compare(a.stack.Site, b.stack.Site),
			cmp.Compare(a.id, b.id),
		)
	})
	out := make([]Stack, len(rows))
	for i := range rows {
		out[i] = rows[i].stack
	}
	return out
}

// largest returns the keys in descending order of their counts.
func largest[K cmp.Ordered](counts map[K]int) (keys []K) {
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b K) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return keys
}

// state returns the state of a thread. The innermost frames of a running thread show its I/O.
func (c *Collector) state(s *shown) State {
	frames := c.sym.Frames(s.stack)
	switch {
	case s.waits:
		return Waiting
	case s.resource:
		if _, _, loop := locks.Place(frames); loop {
			return Idle
		}
		return Resource
	case s.activity == format.ActivitySleep:
		return Asleep
	case s.activity.Idle():
		return Idle
	}
	switch c.sites.Doing(s.stack) {
	case blame.Asleep:
		return Asleep
	case blame.Socket, blame.File, blame.IO:
		return InIO
	}
	return Running
}
