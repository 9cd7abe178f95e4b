package screen

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// Write writes the screen.
func Write(w io.Writer, a *document.Analyze, o Options) error {
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	s := &screen{doc: a, opts: o, words: wordsOf(a), waits: a.Awaited()}
	s.waits = slices.DeleteFunc(s.waits, func(w document.Awaited) bool {
		return w.Of != nil && !s.opts.Full && !s.counts && below(w.WaitNs, worthwhile, s.doc.ElapsedNs)
	})
	for i := range s.waits {
		s.waitNs += s.waits[i].WaitNs
	}
	s.lockFirst()
	lines := s.all()
	out := bufio.NewWriter(w)
	for _, l := range lines {
		out.WriteString(l.string(o.Color))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// lockFirst moves the lock with most waiting to the front, or behind one pool: threads at latches, queues and
// conditions may have nothing to do. A lock that hardly any thread waits for stays where it is.
func (s *screen) lockFirst() {
	s.topLock = slices.IndexFunc(s.waits, func(w document.Awaited) bool { return w.Of == nil })
	if s.topLock < 0 || !s.counts && below(s.waits[s.topLock].WaitNs, worthwhile, s.doc.ElapsedNs) {
		s.topLock = -1
		return
	}
	first := 0
	if kind := s.waits[0].Kind; kind == "pool" || kind == "semaphore" {
		first = 1
	}
	for ; s.topLock > first; s.topLock-- {
		s.waits[s.topLock], s.waits[s.topLock-1] = s.waits[s.topLock-1], s.waits[s.topLock]
	}
}

// all returns the sections; if they are too long, those of a short screen.
func (s *screen) all() []line {
	lines := s.sections()
	if s.short = !s.opts.Full && s.opts.Top <= 1 && len(lines) > MaxLines; s.short {
		return s.sections()
	}
	return lines
}

// sections returns all of them, with an empty line between two.
func (s *screen) sections() (lines []line) {
	head, tail := s.head(), s.tail()
	room := MaxLines - len(head) - len(tail) - 2
	if s.opts.Full {
		room = everything
	}
	sections := [][]line{head, nil, nil, s.unranked(), s.stacks(), tail}
	if s.leads() { // findings are about locks, so they come later
		sections[1] = s.ranked(room - minFindings)
		sections[2] = s.findings(room - len(sections[1]) - 1)
	} else {
		sections[1] = s.findings(room - len(s.ranked(0)) - 1)
		sections[2] = s.ranked(room - len(sections[1]) - 1)
	}
	for _, section := range sections {
		if len(lines) > 0 && len(section) > 0 {
			lines = append(lines, line{})
		}
		lines = append(lines, section...)
	}
	return lines
}

// head writes the inputs and the total waiting.
func (s *screen) head() []line {
	parts := append([]string{s.inputs() + ":"}, strings.Split(strings.ReplaceAll(s.amounts(), ", ", ",\n"), "\n")...)
	if s.counts || s.doc.Total.Waits == 0 || s.elsewhere() > 0 {
		return s.fill("", strong, parts...)
	}
	if p := s.pressure(); p != "" { // unless it takes another line
		with := append(slices.Clone(parts[:len(parts)-1]), parts[len(parts)-1]+",", p+" of running time")
		if s.opts.Full || len(s.fill("", strong, with...)) == len(s.fill("", strong, parts...)) {
			parts = with
		}
	}
	total := &s.doc.Total
	parts = append(parts, fmt.Sprintf("(%s in %s)", text.Duration(total.WaitNs), text.Amount(total.Waits, "wait")))
	return asFit(len(parts)-1, len(parts), func(n int) []line { return s.fill("", strong, parts[:n]...) })
}

// pressure returns the share of the threads' running time spent waiting, which shows whether a
// change is worth the work. It is a range if the running time is not known exactly.
func (s *screen) pressure() string {
	if s.unitIsThreads || s.doc.Total.RunningNs <= 0 {
		return ""
	}
	out := percent(s.doc.Total.WaitNs, s.doc.Total.RunningNs)
	if p := s.doc.Coverage.Pressure; p != nil {
		low, high := percent(int64(p.Low*1e9), 1e9), percent(int64(p.High*1e9), 1e9)
		if out = high; low != high {
			out = strings.TrimSuffix(low, " %") + " to " + high
		}
	}
	return out
}

// inputs names the inputs, or the first of many.
func (s *screen) inputs() string {
	names := slices.Clone(s.doc.Trace.Inputs)
	for i := range names {
		if names[i] == "-" {
			names[i] = "standard input"
		}
	}
	if len(names) > 2 && !s.opts.Full {
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, ", ")
}

// amounts returns the summary in one sentence.
func (s *screen) amounts() string {
	t := &s.doc.Total
	switch {
	case s.unitIsThreads:
		if t.WaitNs == 0 {
			return fmt.Sprintf("%s, none waiting for a lock", s.threads(int64(s.doc.Trace.Threads)))
		}
		return fmt.Sprintf("%s, %s waiting for a lock", s.threads(int64(s.doc.Trace.Threads)), text.Number(t.WaitNs))
	case s.counts && s.doc.Coverage.Warned(format.CodeNoTimes):
		if s.measure.Lasts() {
			return s.measure.Text(t.WaitNs) + ", summed by stack, without instants"
		}
		return s.measure.Text(t.WaitNs) + ", counted but not timed"
	case s.counts:
		return fmt.Sprintf("%s in %s, counted but not timed", s.measure.Text(t.WaitNs), text.Duration(s.doc.ElapsedNs))
	case s.nothing():
		return "nothing of any thread could be read"
	case t.WaitNs == 0 && t.Waits == 0 && len(s.doc.Deadlocks) > 0:
		return fmt.Sprintf(
			"%s, %s, no wait for a lock recorded that has ended",
			text.Duration(s.doc.ElapsedNs),
			s.threads(int64(s.doc.Trace.Threads)),
		)
	case t.WaitNs == 0 && t.Waits == 0:
		return fmt.Sprintf(
			"%s, %s, none seen waiting for a lock%s",
			text.Duration(s.doc.ElapsedNs),
			s.threads(int64(s.doc.Trace.Threads)),
			s.others(),
		)
	}
	of := ""
	if s.damaged() { // no bound: threads may have waited more or less where they are not known
		of = " in the part that was read"
	}
	return fmt.Sprintf(
		"%s, %s, %s waiting for a lock on average%s%s",
		text.Duration(s.doc.ElapsedNs),
		s.threads(int64(s.doc.Trace.Threads)),
		average(s.doc.WaitingThreads),
		of,
		s.others(),
	)
}

// damaged reports whether a part of the input could not be read: time that was lost is not time
// without waiting.
func (s *screen) damaged() bool {
	return s.doc.Coverage.Warned(
		format.CodeLostData,
		format.CodeTruncated,
		format.CodeDamagedSource,
		format.CodeInterrupted,
	)
}

// others mentions the threads that wait for resources if they are more than those that wait for
// locks, so that a reader of one line does not blame the locks.
func (s *screen) others() string {
	if n := s.elsewhere(); n > 0 {
		return ", " + average(n) + " for resources"
	}
	return ""
}
