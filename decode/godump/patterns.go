package godump

import (
	"fmt"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// patterns names deadlocks that the stacks of a dump have the shape of. The dump does
// not tell who holds a lock, so that none is certain.
func patterns(list []*goroutine) (said []string) {
	var all []shape
	for _, g := range list {
		if len(g.frames) > 0 {
			all = append(all, shapeOf(g))
		}
	}
	return append(recursive(all), starved(all)...)
}

// shape is a goroutine with what its frames say.
type shape struct {
	*goroutine
	use   rules.GoUse // of one that waits
	inner int         // the innermost frame of the program
}

func shapeOf(g *goroutine) shape {
	s := shape{goroutine: g}
	if g.waits() {
		s.use = rules.GoUseOf(g.frames)
	}
	for s.inner < len(s.frames)-1 && rules.OfGoLocks(s.frames[s.inner].Class) {
		s.inner++
	}
	return s
}

// mainID is the goroutine that main runs in.
const mainID = 1

// homeOf is the package and type of a method, also of a function inside of it; of other
// functions the package.
func homeOf(f format.Frame) string {
	if end := strings.Index(f.Method, ")."); end > 0 && f.Method[0] == '(' {
		return f.Class + "." + f.Method[:end+1]
	}
	return f.Class
}

// akin reports whether two frames are of one home and, if that is a type, of one object
// as far as the dump tells.
func (s *shape) akin(i int, o *shape, j int) bool {
	home := homeOf(s.frames[i])
	if home != homeOf(o.frames[j]) {
		return false
	}
	x, y := s.args[i], o.args[j]
	return home == s.frames[i].Class || x == 0 || y == 0 || x == y
}

// recursive finds goroutines that wait for a lock in a method called by one of the same
// object, which may hold it: Go's locks cannot be taken twice, nor for reading while a
// writer waits. No other goroutine may be in such a method, but main's behind a writer.
func recursive(all []shape) (said []string) {
	named := map[string]bool{}
	for i := range all {
		r := &all[i]
		if r.use.Class == "" || named[homeOf(r.use.At)] {
			continue
		}
		outer := r.inner + 1
		for outer < len(r.frames) && !r.akin(r.inner, r, outer) {
			outer++
		}
		writer, busy, main := -1, false, false
		for j := range all {
			w := &all[j]
			if w.use.Class == r.use.Class && r.akin(r.inner, w, w.inner) {
				if w.use.Method == "Lock" && i != j {
					writer = j
				}
				continue
			}
			for k := range w.frames {
				if r.akin(r.inner, w, k) {
					busy, main = busy || w.id != mainID, main || w.id == mainID
				}
			}
		}
		if outer == len(r.frames) || busy {
			continue
		}
		if r.use.Method == "RLock" && writer >= 0 {
			named[homeOf(r.use.At)] = true
			said = append(said, fmt.Sprintf("a recursive RLock, by its shape: %s waits to read behind the writer at %s, and its caller %s may hold the same %s for reading",
				at(r.use.At), at(all[writer].use.At), at(r.frames[outer]), rwMutex))
		} else if writer < 0 && !main {
			named[homeOf(r.use.At)] = true
			said = append(said, fmt.Sprintf("a %s taken twice, by its shape: %s waits for it, and its caller %s may hold it", r.use.Class, at(r.use.At), at(r.frames[outer])))
		}
	}
	return said
}

// starved finds pools of which all goroutines wait, within the tasks that they run, in
// the pool's own methods: for a place, or for a task that none of them is free to run.
func starved(all []shape) (said []string) {
	type pool struct {
		workers int
		free    bool // not all of them wait so
		task    format.Frame
	}
	pools, order := map[string]*pool{}, []string{}
	for i := range all {
		start, _ := rules.StartOfGo(all[i].frames)
		if pools[start] == nil {
			pools[start] = &pool{}
			order = append(order, start)
		}
		p := pools[start]
		task, waits := all[i].task()
		p.workers, p.free, p.task = p.workers+1, p.free || !waits, task
	}
	for _, start := range order {
		if p := pools[start]; p.workers > 1 && !p.free {
			said = append(said, fmt.Sprintf("a self-starved pool, by its shape: all %d goroutines of %s wait for it within a task that they run, as at %s", p.workers, start, at(p.task)))
		}
	}
	return said
}

// task is the frame of the task that a pool's goroutine runs, where that waits in a method
// of the pool: the innermost frames and the outermost are then of one type, or of one
// package that offers pools.
func (s *shape) task() (f format.Frame, waits bool) {
	last := len(s.frames) - 1
	for last > s.inner && rules.OfGoLocks(s.frames[last].Class) {
		last--
	}
	if !s.waits() || s.use.Class != "" || last < 0 {
		return f, false
	}
	run := s.frames[last]
	own := func(f format.Frame) bool {
		if of := homeOf(run); of != run.Class && of == homeOf(f) {
			return true
		}
		return run.Class == f.Class && run.Class != "main" && s.state != "select" // which waits for many things
	}
	task := s.inner
	for task < last && own(s.frames[task]) {
		task++
	}
	return s.frames[task], task > s.inner && task < last && !own(s.frames[task])
}

// at writes a frame as it is looked up.
func at(f format.Frame) string { return fmt.Sprintf("%s:%d", rules.GoName(f), f.Line) }
