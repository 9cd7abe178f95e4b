package jfr

import "contend/format"

// A recording may consist of several, joined by cat or written by a JVM that was started
// again. Each JVM numbers threads, addresses and types by itself, so ids of one JVM mean
// nothing in the next.

// sameTypes reports whether a chunk may use the same type numbers as the previous one: it
// has the same recorder and clock.
func (h *header) sameTypes(last *header) bool {
	const drift = 10e9 // between the ticks and the time of day
	if !h.sameRecorder(last) {
		return false
	}
	off := last.timeOf(h.startTicks) - h.startNanos
	return -drift < off && off < drift
}

func (h *header) sameRecorder(last *header) bool {
	return h.major == last.major && h.minor == last.minor && h.ticksPerSecond == last.ticksPerSecond
}

// checkJVM reads the threads of the current chunk, and begins another JVM if they, or the
// times, contradict the chunk before.
func (r *Reader) checkJVM(last *header) {
	now, virtual := r.symbols.nativeIDs()
	if r.feed.chunks > 1 && r.symbols.chunk.head.another(last, agreement(r.symbols.ids.native, now)) {
		r.nextJVM()
	}
	r.symbols.ids.virtual.jvm.ran = r.symbols.ids.virtual.jvm.ran || virtual
	for _, t := range now {
		r.symbols.ids.native[t.java] = t.native
	}
}

// another reports whether a chunk comes from another JVM than the previous one; same is the
// agreement of their threads. A recorder begins a chunk when it ends the previous one,
// whatever its clock says; a profiler's chunks may overlap with the JVM's, and have the
// same threads.
func (h *header) another(last *header, same int) bool {
	const slack = 1e9
	switch {
	case same < 0:
		return true
	case !h.sameRecorder(last):
		return same == 0
	case h.startNanos < last.end()-slack:
		return true
	default:
		return !h.sameTypes(last) && h.startNanos > plus(last.end(), slack)
	}
}

// nativeID is the id the operating system gave a thread of Java.
type nativeID struct{ java, native int64 }

// nativeIDs returns the ids of the threads of a chunk, and whether any shows that virtual
// threads ran. They are valid until the next chunk.
func (s *resolver) nativeIDs() (ids []nativeID, virtual bool) {
	if s.chunk.meta == nil || s.chunk.meta.parts.thread == nil {
		return nil, false
	}
	var v values
	thread := s.chunk.meta.parts.thread
	ids = s.natives[:0]
	for key := range s.chunk.pools[thread.pool].all {
		java, native := &v[slotID], &v[slotOSID]
		if !s.constant(thread, key, &v) {
			continue
		}
		virtual = virtual || s.indicatesVirtual(&v)
		if *java > 0 && *native > 0 &&
			v[slotVirtual] == 0 { // else it is the JVM's own, does not run, or moves between threads
			ids = append(ids, nativeID{*java, *native})
		}
	}
	s.natives = ids
	return ids, virtual
}

// agreement returns the number of threads that kept their id minus the number that changed
// it. Two JVMs started at nearly the same time have clocks that agree, but different
// threads; one or two differing threads may be damage.
func agreement(before map[int64]int64, now []nativeID) (same int) {
	for _, t := range now {
		switch was, known := before[t.java]; {
		case known && was == t.native:
			same++
		case known:
			same--
		}
	}
	return same
}

// nextJVM forgets all ids of the JVM before and announces a new input.
func (r *Reader) nextJVM() {
	r.evidence.dumpTimes.advance(true, &r.symbols.queue) // the dumps of the JVM before show its own locks
	r.evidence.unparks.advance(&r.symbols.queue)
	r.reportIdle()
	r.evidence.unparks.reported = false // to the input that begins
	r.symbols.ids.forget()
	r.symbols.ids.virtual.next(r.evidence.until)
	clear(r.evidence.settings)
	r.symbols.queue.Push(format.Event{Kind: format.KindSetting, Name: format.SettingInput})
}

// forget drops the numbers of one JVM. The given ids continue.
func (ids *identities) forget() {
	clear(ids.threads)
	clear(ids.alive)
	clear(ids.called)
	clear(ids.byJava)
	clear(ids.byKey)
	clear(ids.native)
	clear(ids.objects)
	clear(ids.recentObjects[:])
}
