package screen

import (
	"fmt"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// unowned is what to look for where threads wait for what has no owner, by its kind.
var unowned = map[string]string{
	"pool":      "Its users are not recorded: return objects sooner, or enlarge it",
	"queue":     "The other side is not recorded: look for slow producers, or consumers",
	"latch":     "What opens it is not recorded: look for slow threads that must reach it",
	"result":    "The task is not recorded: look at what computes the result",
	"condition": "The notifier is not recorded: look for what makes the condition true",
	"resource":  "Its users are not recorded: look for slow users or producers",
}

// unranked are, where all is asked for, the places where one thread waits, or where all of a
// thread's life is to wait: it may have nothing to do. Those of idle threads follow.
func (s *screen) unranked() (lines []line) {
	list := func(title string, rows []document.Resource, most int, wanted func(*document.Resource) bool) {
		for i, head := 0, true; i < len(rows) && i < most; i++ {
			if r := &rows[i]; wanted(r) {
				if head {
					lines = append(lines, line{title, plain})
				}
				head = false
				w := document.Wait{Kind: document.KindOf(r.What, r.Site), Of: r, Lock: document.Lock{Waits: r.Waits, WaitNs: r.WaitNs, MaxNs: r.MaxNs, Waiters: r.Waiters}}
				lines = append(lines, s.block(&w, false)...)
			}
		}
	}
	if s.Full {
		list("Waits that may be idleness: of one "+s.thread+", or in its outermost method", s.Resources, everything, func(r *document.Resource) bool { return r.Loop || r.Waiters < 2 })
	}
	list("Idle: waits of "+s.thread+"s with nothing to do", s.Idle, s.most(mostResources), func(*document.Resource) bool { return true })
	return lines
}

// elsewhere returns how many threads wait on average for what is no lock, where they are
// more than those that wait for locks; else 0.
func (s *screen) elsewhere() float64 {
	ns := s.waitNs - s.Total.WaitNs
	if ns <= s.Total.WaitNs || float64(ns) < worthwhile*float64(s.ElapsedNs) {
		return 0
	}
	return float64(ns) / float64(max(s.ElapsedNs, 1))
}

// leads reports whether what most threads wait for is no lock: then findings, which are about
// locks, come later.
func (s *screen) leads() bool {
	return len(s.waits) > 0 && s.waits[0].Of != nil && len(s.Deadlocks) == 0
}

// callers says who calls a place where threads wait: it may be a pool's own, which all of the
// program calls. Of the first that is shown the most frequent callers are named.
func (s *screen) callers(r *document.Resource, foremost bool) (lines []line) {
	if !s.Full && (!foremost || s.short) {
		return nil
	}
	first := "      called by  "
	for _, c := range r.Callers[:min(len(r.Callers), s.most(mostCallers))] {
		parts := []string{s.names.Name(c.Sites[0])}
		for _, site := range c.Sites[1:] {
			parts = append(parts, "< "+s.names.Name(site))
		}
		lines = append(lines, fill(first+fmt.Sprintf("%4s ", percent(c.WaitNs, r.WaitNs)), s.Width, plain, parts...)...)
		first = strings.Repeat(" ", len(first))
	}
	return lines
}

// idle says how much was left out since nobody had anything to do.
func (s *screen) idle() []line {
	t := &s.IdleTotal
	if t.Waiters == 0 || len(s.Idle) > 0 {
		return nil
	}
	what := fmt.Sprintf("%s with nothing to do (--idle lists them)", s.threads(t.WaitNs))
	if t.WaitNs == 1 {
		what = strings.Replace(what, "them", "it", 1)
	}
	if !s.counts {
		what = fmt.Sprintf("%s of idle time in %s (--idle lists it)", text.Duration(t.WaitNs), s.threads(int64(t.Waiters)))
	}
	return append(fill("not counted: ", s.Width, plain, prose(what)...), s.loop()...)
}

// loop names the longest wait in an outermost method of threads: they may have nothing to
// do there, or need an object of a pool.
func (s *screen) loop() []line {
	if s.Full || s.counts {
		return nil
	}
	var most *document.Resource
	for i := range s.Resources {
		if r := &s.Resources[i]; r.Loop && r.Waiters > 1 && r.Waits > int64(r.Waiters) && (most == nil || r.WaitNs > most.WaitNs) {
			most = r
		}
	}
	if most == nil || float64(most.WaitNs) < worthwhile*float64(s.ElapsedNs) {
		return nil
	}
	return fill("not counted: ", s.Width, plain, prose(fmt.Sprintf("%s in %s at %s in %s, an outermost method: a pool's, if not idle (--full shows it)",
		text.Duration(most.WaitNs), s.threads(int64(most.Waiters)), s.names.Name(most.What), s.names.Name(most.Site)))...)
}
