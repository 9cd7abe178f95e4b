package screen

import (
	"fmt"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// unranked are, where all is asked for, the places where one thread waits, or a thread waits
// in its outermost method: it may have nothing to do. Those of idle threads follow.
func (s *screen) unranked() (lines []line) {
	list := func(title string, rows []document.Resource, most int, wanted func(*document.Resource) bool) {
		before := len(lines)
		for i := range rows[:min(len(rows), most)] {
			if r := &rows[i]; wanted(r) {
				if len(lines) == before {
					lines = append(lines, line{title, plain})
				}
				w := document.Wait{Kind: r.Kind(), Of: r, Lock: document.Lock{Waits: r.Waits, WaitNs: r.WaitNs, MaxNs: r.MaxNs, Waiters: r.Waiters}}
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

// idle says how much waiting is left out because the threads had nothing to do.
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
	return append(s.say("not counted: ", what), s.loop()...)
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
