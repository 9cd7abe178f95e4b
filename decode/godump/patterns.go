package godump

import (
	"fmt"
	"strings"

	"contend/decode/gonames"
	"contend/format"
)

// patterns describes the deadlocks whose shape the stacks of a dump have. The dump does not
// show owners, so none of them is certain.
func patterns(list []*goroutine) (said []string) {
	var all []shape
	for _, g := range list {
		if len(g.frames) > 0 {
			all = append(all, shapeOf(g))
		}
	}
	return append(recursive(all), starved(all)...)
}

// shape is a goroutine with the meaning of its frames.
type shape struct {
	goroutine *goroutine
	use       gonames.Use // of one that waits
	inner     int         // the innermost frame of the program
}

func shapeOf(g *goroutine) shape {
	s := shape{goroutine: g}
	if g.waits() {
		s.use = gonames.UseOf(g.frames)
	}
	for s.inner < len(s.goroutine.frames)-1 && gonames.OfLocks(s.goroutine.frames[s.inner].Class) {
		s.inner++
	}
	return s
}

// mainID is the goroutine that main runs in.
const mainID = 1

// homeOf returns the package and type of a method or of a function inside of it; for other
// functions the package.
func homeOf(f format.Frame) string {
	if end := strings.Index(f.Method, ")."); end > 0 && f.Method[0] == '(' {
		return f.Class + "." + f.Method[:end+1]
	}
	return f.Class
}

// akin reports whether two frames have the same home and, if that is a type, as far as
// known the same object.
func (s *shape) akin(i int, o *shape, j int) bool {
	home := homeOf(s.goroutine.frames[i])
	if home != homeOf(o.goroutine.frames[j]) {
		return false
	}
	x, y := s.goroutine.args[i], o.goroutine.args[j]
	return home == s.goroutine.frames[i].Class || x == 0 || y == 0 || x == y
}

// recursive finds goroutines that wait for a lock in a method called by another method of
// the same object, which may hold the lock: Go's locks cannot be acquired twice, nor for
// reading while a writer waits. No other goroutine may be in such a method, except in
// main's wait behind a writer.
func recursive(all []shape) (said []string) {
	named := map[string]bool{}
	for i := range all {
		r := &all[i]
		if r.use.Class == "" || named[homeOf(r.use.At)] {
			continue
		}
		outer := r.inner + 1
		for outer < len(r.goroutine.frames) && !r.akin(r.inner, r, outer) {
			outer++
		}
		writer := -1
		busy := false
		main := false
		for j := range all {
			w := &all[j]
			if w.use.Class == r.use.Class && r.akin(r.inner, w, w.inner) {
				if w.use.Method == "Lock" && i != j {
					writer = j
				}
				continue
			}
			for k := range w.goroutine.frames {
				if r.akin(r.inner, w, k) {
					busy, main = busy || w.goroutine.id != mainID, main || w.goroutine.id == mainID
				}
			}
		}
		if outer == len(r.goroutine.frames) || busy {
			continue
		}
		if r.use.Method == "RLock" && writer >= 0 {
			named[homeOf(r.use.At)] = true
			said = append(
				said,
				fmt.Sprintf(
					"a recursive RLock, by its shape: %s waits to read behind the writer at %s, and its caller %s "+
						"may hold the same %s for reading",
					frameText(r.use.At),
					frameText(all[writer].use.At),
					frameText(r.goroutine.frames[outer]),
					rwMutex,
				),
			)
		} else if writer < 0 && !main {
			named[homeOf(r.use.At)] = true
			said = append(said, fmt.Sprintf("a %s taken twice, by its shape: %s waits for it, and its caller %s may "+
				"hold it", r.use.Class, frameText(r.use.At), frameText(r.goroutine.frames[outer])))
		}
	}
	return said
}

// starved finds pools all of whose goroutines wait in the pool's own methods, within the
// tasks they run: for a free place, or for a task that none of them can run.
func starved(all []shape) (said []string) {
	type pool struct {
		workers int
		free    bool // not all of them wait so
		task    format.Frame
	}
	pools, order := map[string]*pool{}, []string{}
	for i := range all {
		start, _ := gonames.Start(all[i].goroutine.frames)
		if pools[start] == nil {
			pools[start] = &pool{}
			order = append(order, start)
		}
		p := pools[start]
		task, waits := all[i].task()
		p.workers++
		p.free = p.free || !waits
		p.task = task
	}
	for _, start := range order {
		if p := pools[start]; p.workers > 1 && !p.free {
			said = append(
				said,
				fmt.Sprintf(
					"a self-starved pool, by its shape: all %d goroutines of %s wait for it within a task that they "+
						"run, as at %s",
					p.workers,
					start,
					frameText(p.task),
				),
			)
		}
	}
	return said
}

// task returns the frame of the task that a pool's goroutine runs, if the task waits in a
// method of the pool: the innermost and the outermost frames are then of one type, or of
// one package that implements pools.
func (s *shape) task() (f format.Frame, waits bool) {
	last := len(s.goroutine.frames) - 1
	for last > s.inner && gonames.OfLocks(s.goroutine.frames[last].Class) {
		last--
	}
	if !s.goroutine.waits() || s.use.Class != "" || last < 0 {
		return f, false
	}
	run := s.goroutine.frames[last]
	own := func(f format.Frame) bool {
		if of := homeOf(run); of != run.Class && of == homeOf(f) {
			return true
		}
		// a select waits for many things
		return run.Class == f.Class && run.Class != "main" && s.goroutine.state != "select"
	}
	task := s.inner
	for task < last && own(s.goroutine.frames[task]) {
		task++
	}
	return s.goroutine.frames[task], task > s.inner && task < last && !own(s.goroutine.frames[task])
}

// frameText writes a frame as it is looked up.
func frameText(f format.Frame) string { return fmt.Sprintf("%s:%d", gonames.Name(f), f.Line) }
