package owners

import "contend/format"

// Threads that are named as owners and never had to wait take the lock where no wait
// shows it. What such a thread is sampled at, if that is nearly always one part of the
// program, is then what it does inside.

// usual returns the stack of the part of the program, by its methods, most samples of
// a thread are of; NoStack if no part has nearly all.
func (ev *evidence) usual(t format.ThreadID) format.StackID {
	if st, ok := ev.usuals.Load(t); ok {
		return st.(format.StackID)
	}
	type path struct {
		stack format.StackID
		times int
	}
	by, total := map[uint64]path{}, 0
	var most path
	b := &builder{ev: ev} // searches from where it found last
	b.running(t, minTime, maxTime, func(_ format.ThreadID, st format.StackID) {
		frames := ev.sym.Application(st)
		if len(frames) == 0 {
			return
		}
		key := uint64(outermost)
		for i := range frames {
			key = chained(key, &frames[i], false)
		}
		p := path{st, by[key].times + 1}
		by[key] = p
		if total++; p.times > most.times {
			most = p
		}
	})
	if total < fewestPrompt || float64(most.times) < sure*float64(total) {
		most.stack = format.NoStack
	}
	ev.usuals.Store(t, most.stack)
	return most.stack
}

// learnNamed finds out what threads do that are named as owners and never wait: it is
// never sampled while another thread is in a section, though it would be by chance.
func (ev *evidence) learnNamed(k *kin) {
	var r *rounds
	for t := range k.named {
		if k.waited(k.groupKnown(ev.sym, t)) || ev.inputOfThread(t) != k.input {
			continue
		}
		p := ev.usually(k, t)
		if p == nil || p.owns {
			continue
		}
		if r == nil {
			r = ev.rounds(k)
		}
		p.owns = r.exclusive(p) && r.tells(p)
	}
}

// usually returns the part of the program nearly all samples of a thread are of, nil
// if there is none.
func (ev *evidence) usually(k *kin, t format.ThreadID) *witness {
	st := ev.usual(t)
	if st == format.NoStack {
		return nil
	}
	return k.witnesses.at(st)
}
