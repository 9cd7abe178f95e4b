package screen

import "contend/report/document"

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
