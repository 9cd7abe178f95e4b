package simulate

import "contend/format"

// sampler periodically samples the world.
type sampler struct {
	intended    int64
	next        int64 // actual time of the next sample
	taken       int64
	contentions int64
	owners      []format.Party
	waiters     []format.Party
}

// sample writes a tick and a contention event for each contended lock, and sets the time of
// the next sample. An owner has the stack of its critical section.
func (w *world) sample() {
	s := &w.sampler
	live, idle := uint32(0), uint32(0)
	for _, t := range w.threads {
		if !t.ended {
			live++
		}
		if t.idle && !t.ended {
			idle++
		}
	}
	w.write(
		w.sampled,
		format.Event{Kind: format.KindTick, Time: w.now, Intended: s.intended, Live: live, IdleThreads: idle},
	)
	for _, l := range w.locks {
		if len(l.queue) > 0 {
			w.contention(l)
		}
	}
	s.taken++
	s.intended += w.c.Period * (1 + (s.next-s.intended)/w.c.Period) // a late sampler skips the samples that it missed
	s.next = max(s.intended, s.next+1)
	if w.c.Stall > 0 && s.taken%100 == 99 {
		s.next = s.intended + w.c.Stall
	}
}

func (w *world) contention(l *lock) {
	s := &w.sampler
	s.contentions++
	s.owners, s.waiters = s.owners[:0], s.waiters[:0]
	for _, h := range l.holders {
		s.owners = append(s.owners, format.Party{Thread: h.thread.id, Stack: h.stack, Mode: h.mode})
	}
	for _, t := range l.queue {
		s.waiters = append(s.waiters, format.Party{Thread: t.id, Stack: t.stack, Mode: t.mode})
	}
	w.write(
		w.sampled,
		format.Event{Kind: format.KindContention, Time: w.now, Object: l.id, Owners: s.owners, Waiters: s.waiters},
	)
}
