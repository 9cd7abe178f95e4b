package screen

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"contend/analysis"
	"contend/report/document"
	"contend/report/text"
)

// maxThreadLines is how many lines the threads of dumps take without --full.
const maxThreadLines = 10

// Threads writes what the threads of dumps do: in ten lines of 80 columns, with Options.Full in any
// number.
func Threads(w io.Writer, d *document.Threads, o Options) error {
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	t := &threads{d, o, text.Plain{Paths: document.Goroutines(d.Trace.Format)}, "thread"}
	if t.names.Paths {
		t.thread = "goroutine"
	}
	out := bufio.NewWriter(w)
	for _, l := range t.lines() {
		out.WriteString(l.string(o.Color))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// threads is the input of all lines.
type threads struct {
	doc    *document.Threads
	opts   Options
	names  text.Plain
	thread string // "thread", or "goroutine"
}

// fill fills lines of the screen's width, see the function fill.
func (t *threads) fill(first string, how style, parts ...string) []line {
	return fill(first, t.opts.Width, how, parts...)
}

func (t *threads) lines() []line {
	lines := append(t.head(), t.deadlocks()...)
	tail := slices.Concat(t.groups(), t.changes(), t.next())
	rows := t.stacks(maxThreadLines - len(lines) - len(tail))
	return slices.Concat(lines, rows, tail)
}

// head writes how many dumps there are, and what the threads of the last one do.
func (t *threads) head() []line {
	d := &t.doc.Dumps
	what := some(len(d.Taken), "dump", "dumps")
	if t.doc.Coverage.Timed() && len(d.Taken) > 1 && d.Processes == 1 {
		what += " over " + text.Duration(t.doc.Trace.DurationNs)
	}
	if d.Processes > 1 {
		what += fmt.Sprintf(" of %d processes", d.Processes)
	}
	last := ", "
	if len(d.Taken) > d.Processes {
		last = ", in the last "
	}
	name := t.doc.Trace.Inputs[0]
	if len(t.doc.Trace.Inputs) > 1 && !t.opts.Full {
		name += fmt.Sprintf(" and %d more", len(t.doc.Trace.Inputs)-1)
	}
	parts := append([]string{name + ":"}, prose(what+last+t.amount(d.Threads)+":")...)
	return t.fill("", strong, append(parts, prose(strings.Join(t.states(&d.States), ", "))...)...)
}

// some writes a number of something.
func some(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return text.Number(int64(n)) + " " + many
}

func (t *threads) amount(n int) string { return some(n, t.thread, t.thread+"s") }

// states writes the numbers of threads by what they do, without those that are 0.
func (t *threads) states(s *document.ThreadStates) (parts []string) {
	for _, one := range []struct {
		n         int
		one, many string
	}{
		{s.Lock, "waits for a lock", "wait for locks"},
		{s.Resource, "waits for a pool, queue or result", "wait for pools, queues or results"},
		{s.Running, "runs", "run"},
		{s.IO, "is in I/O", "are in I/O"},
		{s.Asleep, "sleeps", "sleep"},
		{s.Idle, "is idle", "are idle"},
	} {
		if one.n > 0 {
			parts = append(parts, some(one.n, one.one, one.many))
		}
	}
	return parts
}

// deadlocks writes that there are some: analyze has their stacks.
func (t *threads) deadlocks() []line {
	if len(t.doc.Deadlocks) == 0 {
		return nil
	}
	var names []string
	for _, m := range t.doc.Deadlocks[0].Cycle {
		names = append(names, middle(text.Sanitize(m.Thread), shortName))
	}
	what := "DEADLOCK: " + strings.Join(names, ", ") + " wait for each other"
	if n := len(t.doc.Deadlocks) - 1; n > 0 {
		what += fmt.Sprintf(", and %d more", n)
	}
	return t.fill("", alarm, prose(what+" (contend analyze shows what for)")...)
}

// stacks writes the threads with one stack: stuck ones first, then the most.
func (t *threads) stacks(room int) (lines []line) {
	d := &t.doc.Dumps
	lines = t.fill("", plain, prose(t.title())...)
	left := 0
	for i := range d.Stacks {
		s := &d.Stacks[i]
		row := t.fill(t.counts(s), plain, t.stack(s)...)
		if !t.opts.Full && len(lines)+len(row) >= room && (i+1 < len(d.Stacks) || len(lines)+len(row) > room) {
			for _, rest := range d.Stacks[i:] {
				left += rest.Threads
			}
			break
		}
		lines = append(lines, row...)
		if t.opts.Full {
			for _, f := range s.Stack.Frames() {
				at := analysis.MethodName(f)
				if f.Line > 0 {
					at += ":" + strconv.Itoa(f.Line)
				}
				lines = append(lines, line{strings.Repeat(" ", 9) + text.Sanitize(at), plain})
			}
		}
	}
	if left > 0 {
		lines = append(lines, t.fill("", plain,
			fmt.Sprintf("%5d more, at other places (--full shows them)", left))...)
	}
	return lines
}

// title writes what the rows are, and how many threads are stuck.
func (t *threads) title() string {
	d := &t.doc.Dumps
	if len(d.Stacks) == 0 {
		return "All " + t.thread + "s wait for work"
	}
	title := strings.ToUpper(t.thread[:1]) + t.thread[1:] + "s with the same stack"
	switch {
	case d.StuckOver == 0:
		return title
	case d.Stuck == 0:
		return title + "; none is stuck, the same in " + t.dumps(d.StuckOver)
	}
	return title + "; " + some(d.Stuck, "is", "are") + " stuck: the same in " + t.dumps(d.StuckOver)
}

// dumps writes the dumps over which threads are compared.
func (t *threads) dumps(over int) string {
	if len(t.doc.Dumps.Taken) > over && t.doc.Dumps.Processes == 1 {
		return fmt.Sprintf("the last %d dumps", over)
	}
	if over == 2 {
		return "both dumps"
	}
	return fmt.Sprintf("all %d dumps", over)
}

// counts writes the number of threads with a stack, and how many of them are stuck.
func (t *threads) counts(s *document.ThreadStack) string {
	switch s.Stuck {
	case 0:
	case s.Threads:
		return fmt.Sprintf("%5d stuck  ", s.Threads)
	default:
		return fmt.Sprintf("%5d, %d stuck  ", s.Threads, s.Stuck)
	}
	return fmt.Sprintf("%5d  ", s.Threads)
}

// stack writes what the threads with a stack do, where, and who they are.
func (t *threads) stack(s *document.ThreadStack) []string {
	parts, site := []string{}, t.names.Name(s.Site)
	switch s.State {
	case "lock":
		parts = []string{"waiting for lock", t.names.Class(s.Class)}
		if s.Class == "" {
			parts = []string{"waiting for a lock that the dump does not name"}
		}
		if s.Locks > 1 {
			parts = append(parts, fmt.Sprintf("(%d of them)", s.Locks))
		}
		parts = append(parts, "at "+site)
	case "resource":
		parts = append([]string{"waiting in"}, t.names.Resource(cmp.Or(s.What, s.Site), s.Site)...)
	case "io":
		parts = append(parts, s.Doing, "at "+site)
	case "asleep":
		parts = append(parts, "asleep", "at "+site)
	default:
		parts = append(parts, "running", "at "+site)
	}
	groups := s.Groups[:1]
	if t.opts.Full {
		groups = s.Groups
	}
	who := strings.Join(groups, ", ")
	if n := len(s.Groups) - len(groups); n > 0 {
		who += fmt.Sprintf(" and %d more", n)
	}
	return append(parts, "("+middle(text.Sanitize(who), shortName)+")")
}

// groups writes the largest groups of threads.
func (t *threads) groups() []line {
	var parts []string
	for i := range t.doc.Dumps.Groups {
		g := &t.doc.Dumps.Groups[i]
		parts = append(parts, fmt.Sprintf("%d %s", g.Threads, middle(text.Sanitize(g.Group), shortName)))
	}
	least := 1
	if t.opts.Full {
		least = len(parts)
	}
	return asFit(least, len(parts), func(n int) []line {
		shown := listed(parts[:n])
		if n < len(parts) {
			shown[n-1] += fmt.Sprintf(", %d more", len(parts)-n)
		}
		return t.fill("groups: ", plain, shown...)
	})
}

// changes writes how the last dump differs from the one before, with --full all of them.
func (t *threads) changes() (lines []line) {
	if t.doc.Dumps.Processes > 1 && !t.opts.Full || len(t.doc.Dumps.Taken) < 2 {
		return nil
	}
	taken := t.doc.Dumps.Taken
	first := max(len(taken)-1, 1)
	if t.opts.Full {
		first = 1
	}
	for i := first; i < len(taken); i++ {
		d := &taken[i]
		what := "since the dump before: "
		if t.opts.Full {
			what = fmt.Sprintf("dump %d: ", i+1)
		}
		lines = append(lines, t.fill(what, plain, prose(
			fmt.Sprintf("%d alike, %d moved, %d new, %d ended", d.Same, d.Moved, d.New, d.Ended))...)...)
	}
	return lines
}

// next writes the command to run next.
func (t *threads) next() []line {
	if t.doc.Dumps.StuckOver == 0 {
		return t.fill(nextIs, plain, prose("take more dumps, some seconds apart: they show what is stuck")...)
	}
	if t.doc.Dumps.States.Lock > 0 {
		return t.fill(nextIs, plain, "contend analyze "+arguments(t.doc.Trace.Inputs, &t.opts),
			"(who holds the locks)")
	}
	return nil
}
