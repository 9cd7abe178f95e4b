package gotrace

import (
	"strings"

	"contend/format"

	"golang.org/x/exp/trace"
)

// annotation is the innermost region a goroutine is in (runtime/trace.WithRegion), and that
// region's task. Stacks taken inside it get two more frames, below the function the
// goroutine started in.
type annotation struct{ task, region string }

// annotations gives each pair of names a number; 0 is no annotation.
type annotations struct {
	tasks map[trace.TaskID]string // that have not ended
	ids   format.Interner[annotation]
}

func (a *annotations) init() {
	*a = annotations{tasks: map[trace.TaskID]string{}}
	a.ids.Intern(annotation{})
}

// task notes that a task begins or ends.
func (a *annotations) task(ev *trace.Event) {
	t := ev.Task()
	if ev.Kind() == trace.EventTaskEnd {
		delete(a.tasks, t.ID)
	} else {
		a.tasks[t.ID] = clean(t.Type)
	}
}

// id returns the number of a region.
func (a *annotations) id(reg trace.Region) uint32 {
	id, _ := a.ids.Intern(annotation{a.tasks[reg.Task], clean(reg.Type)})
	return id
}

// clean replaces bytes that are no text, and keeps no buffer of the library.
func clean(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }

// frames appends the frames of an annotation.
func (a *annotations) frames(id uint32, to []format.Frame) []format.Frame {
	note := a.ids.List[id]
	if note.region != "" {
		to = append(to, format.Frame{Class: format.RegionClass, Method: note.region})
	}
	if note.task != "" {
		to = append(to, format.Frame{Class: format.TaskClass, Method: note.task})
	}
	return to
}

// region notes that the running goroutine begins or ends a region. Regions
// nest; the end of one that began before the recording is ignored.
func (r *Reader) region(ev *trace.Event) {
	g := r.goroutines[ev.Goroutine()]
	if g == nil {
		return
	}
	if ev.Kind() == trace.EventRegionBegin {
		g.regions = append(g.regions, r.notes.id(ev.Region()))
	} else if n := len(g.regions); n > 0 {
		g.regions = g.regions[:n-1]
	}
}

// annotation is the annotation of a goroutine.
func (g *goroutine) annotation() uint32 {
	if n := len(g.regions); n > 0 {
		return g.regions[n-1]
	}
	return 0
}
