package screen

import (
	"fmt"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// resources are what threads wait for that is no lock: what others must give
// back. A pool that is too small shows here only. Where all of a thread's life is
// to wait there, it may have nothing to do, and the place is not worth a first
// look. The first shows in any case where the head speaks of them.
func (s *screen) resources(room int) (lines []line) {
	shown, title := 0, "Pools, queues and results, by "+s.thread+"s waiting for them"
	for i := range s.Resources {
		r := &s.Resources[i]
		if shown == s.most(mostResources) || !s.Full && (r.Loop || !s.counts && float64(r.WaitNs) < worthwhile*float64(s.ElapsedNs)) {
			continue
		}
		one := s.resource(r)
		if len(lines)+len(one) >= room && (shown > 0 || s.elsewhere() == 0) {
			break
		}
		if shown == 0 {
			lines = append(lines, line{title, plain})
		}
		shown++
		lines = append(lines, one...)
		if shown == 1 && s.elsewhere() > 0 {
			lines = append(lines, fill("      -> ", s.Width, plain, prose("These have no recorded owner: look for slow users or producers")...)...)
		}
	}
	if len(s.Idle) > 0 {
		lines = append(lines, line{"Idle: waits of " + s.thread + "s with nothing to do", plain})
	}
	for i := range s.Idle {
		if i == s.most(mostResources) {
			break
		}
		lines = append(lines, s.resource(&s.Idle[i])...)
	}
	return lines
}

// elsewhere returns how many threads wait on average for what is no lock, where they are
// more than those that wait for locks; else 0.
func (s *screen) elsewhere() float64 {
	ns := int64(0)
	for i := range s.Resources {
		if r := &s.Resources[i]; !r.Loop && r.Waiters > 1 { // one alone may have nothing to do
			ns += r.WaitNs
		}
	}
	if ns <= s.Total.WaitNs || float64(ns) < worthwhile*float64(s.ElapsedNs) {
		return 0
	}
	return float64(ns) / float64(max(s.ElapsedNs, 1))
}

// resource is one place where threads wait.
func (s *screen) resource(r *document.Resource) []line {
	first, amount := average(float64(r.WaitNs)/float64(max(s.ElapsedNs, 1))), text.Duration(r.WaitNs)+","
	parts := []string{s.names.Name(r.What)}
	if r.Site != "" && r.Site != r.What {
		parts = append(parts, "at "+s.names.Name(r.Site))
	}
	if s.counts {
		return fill(fmt.Sprintf("%4s  ", text.Number(r.WaitNs)), s.Width, plain, parts...)
	}
	parts = append(parts, "("+amount, text.Amount(r.Waits, "wait")+",", s.threads(int64(r.Waiters))+")")
	return append(fill(fmt.Sprintf("%4s  ", first), s.Width, plain, parts...), s.callers(r)...)
}

// callers says who calls a place where threads wait: it may be a pool's own, which all of the
// program calls.
func (s *screen) callers(r *document.Resource) (lines []line) {
	if !s.Full {
		return nil
	}
	first := "      called by  "
	for _, c := range r.Callers {
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
