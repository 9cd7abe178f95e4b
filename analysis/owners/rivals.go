package owners

import "slices"

// Of threads that wait for locks of one class several get theirs at once when one thread
// lets go of all it has. Each such wait looks as if it had been inside another of these
// locks, as does what the owner did, which was. But an exclusive lock has one owner at a
// time; and what is done elsewhere, other than such waits, does not end just then.

// contest takes waits for locks of the same class that look as if they had been inside an
// exclusive one, if no other thread is known to have been in it meanwhile, or looks so as
// much: first those of threads that were the last to get the lock.
func (s *section) contest(waits []anchor) {
	if len(waits) == 0 { // mostly
		return
	}
	slices.SortFunc(waits, anchor.compare)
	var own, others []anchor
	for _, a := range waits {
		if n := s.after(a.start + 1); n > 0 && s.acquired[n-1].thread == a.thread {
			own = append(own, a)
		} else {
			others = append(others, a)
		}
	}
	for _, list := range [...][]anchor{own, others} {
		slices.SortFunc(s.seen, anchor.compare)
		list = alone(list, s.seen)
		s.take(alone(list, list))
	}
}

// alone leaves out the stretches of a list during which another thread is in one of others;
// both are in order of time.
func alone(list, others []anchor) (out []anchor) {
	var until []anchor // of others, those that began before and may not be over
	for _, a := range list {
		for len(others) > 0 && others[0].start < a.end {
			until, others = append(until, others[0]), others[1:]
		}
		until = slices.DeleteFunc(until, func(o anchor) bool { return o.end <= a.start })
		if !slices.ContainsFunc(until, func(o anchor) bool { return o.thread != a.thread && o.start < a.end }) {
			out = append(out, a)
		}
	}
	return out
}
