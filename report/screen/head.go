package screen

import (
	"fmt"
	"slices"
	"strings"

	"contend/format"
	"contend/report/text"
)

// head says what was read, and how much waiting there was.
func (s *screen) head() []line {
	parts := append([]string{s.inputs() + ":"}, strings.Split(strings.ReplaceAll(s.amounts(), ", ", ",\n"), "\n")...)
	if s.counts || s.Total.Waits == 0 || s.elsewhere() > 0 {
		return fill("", s.Width, strong, parts...)
	}
	if p := s.pressure(); p != "" { // where it takes no line
		with := append(slices.Clone(parts[:len(parts)-1]), parts[len(parts)-1]+",", p+" of running time")
		if s.Full || len(fill("", s.Width, strong, with...)) == len(fill("", s.Width, strong, parts...)) {
			parts = with
		}
	}
	parts = append(parts, fmt.Sprintf("(%s in %s)", text.Duration(s.Total.WaitNs), text.Amount(s.Total.Waits, "wait")))
	return asFit(len(parts)-1, len(parts), func(n int) []line { return fill("", s.Width, strong, parts[:n]...) })
}

// pressure is the share of the threads' running time spent waiting, which shows whether a
// change is worth the work. Where the running time is not known exactly it is a range.
func (s *screen) pressure() string {
	if s.unitIsThreads || s.Total.RunningNs <= 0 {
		return ""
	}
	out := percent(s.Total.WaitNs, s.Total.RunningNs)
	if p := s.Coverage.Pressure; p != nil {
		low, high := percent(int64(p.Low*1e9), 1e9), percent(int64(p.High*1e9), 1e9)
		if out = high; low != high {
			out = strings.TrimSuffix(low, " %") + " to " + high
		}
	}
	return out
}

// inputs names the inputs, few of many.
func (s *screen) inputs() string {
	names := slices.Clone(s.Trace.Inputs)
	for i := range names {
		if names[i] == "-" {
			names[i] = "standard input"
		}
	}
	if len(names) > 2 && !s.Full {
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, ", ")
}

// amounts returns the one sentence for readers who stop here.
func (s *screen) amounts() string {
	t := &s.Total
	switch {
	case s.unitIsThreads:
		if t.WaitNs == 0 {
			return fmt.Sprintf("%s, none waiting for a lock", s.threads(int64(s.Trace.Threads)))
		}
		return fmt.Sprintf("%s, %s waiting for a lock", s.threads(int64(s.Trace.Threads)), text.Number(t.WaitNs))
	case s.counts && s.warned(format.CodeNoTimes):
		if s.measure.Lasts() {
			return s.measure.Text(t.WaitNs) + ", summed by stack, without instants"
		}
		return s.measure.Text(t.WaitNs) + ", counted but not timed"
	case s.counts:
		return fmt.Sprintf("%s in %s, counted but not timed", s.measure.Text(t.WaitNs), text.Duration(s.ElapsedNs))
	case s.nothing():
		return "nothing of any thread could be read"
	case t.WaitNs == 0 && t.Waits == 0 && len(s.Deadlocks) > 0:
		return fmt.Sprintf("%s, %s, no wait for a lock recorded that has ended", text.Duration(s.ElapsedNs), s.threads(int64(s.Trace.Threads)))
	case t.WaitNs == 0 && t.Waits == 0:
		return fmt.Sprintf("%s, %s, none seen waiting for a lock%s", text.Duration(s.ElapsedNs), s.threads(int64(s.Trace.Threads)), s.others())
	}
	return fmt.Sprintf("%s, %s, %s waiting for a lock on average%s", text.Duration(s.ElapsedNs), s.threads(int64(s.Trace.Threads)), average(s.WaitingThreads), s.others())
}

// others says that more threads wait for something else than for locks: a reader of one
// line must not blame the locks.
func (s *screen) others() string {
	if n := s.elsewhere(); n > 0 {
		return ", " + average(n) + " for what is no lock"
	}
	return ""
}
