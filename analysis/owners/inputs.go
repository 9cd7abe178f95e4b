package owners

import "contend/format"

// input is what one of several inputs that are read as one trace says of the
// owners of its locks, which no other one has.
type input struct {
	waits    bool  // it has any
	tenures  bool  // the same
	inferred bool  // its tenures are, by who wrote it
	waking   bool  // it tells of every release that woke a thread
	whole    bool  // and each of its waits is all of an acquisition, however often the thread was woken
	from, to int64 // what was recorded; NoTime when not told
	pauses   pauses
}

// prov says how the tenures of an input are known.
func (in *input) prov() Provenance {
	if in.inferred {
		return Inferred
	}
	return Exact
}

// complete reports whether the waits of an input are whole acquires: it says so,
// or tells who owned its locks.
func (in *input) complete() bool { return in.tenures || in.whole }

// note keeps what an input says of itself.
func (r *Record) note(ev *format.Event, end int64) {
	in := &r.inputs[len(r.inputs)-1]
	switch {
	case ev.Kind == format.KindRecording:
		if in.from == format.NoTime {
			in.from, in.to = ev.Time, end
		}
		in.from, in.to = min(in.from, ev.Time), max(in.to, end)
	case ev.Name == format.SettingTenures && ev.Value == format.TenuresInferred:
		in.inferred = true
	case ev.Name == format.SettingReleases && ev.Value == format.ReleasesWaking:
		in.waking, in.whole = true, true
	case ev.Name == format.SettingReleases && ev.Value == format.ReleasesUnparks:
		in.waking = true
	}
}

// NextInput says that what follows is of another input.
func (r *Record) NextInput() {
	r.inputs = append(r.inputs, input{from: format.NoTime, to: format.NoTime})
}

// TellsOwners reports whether every input that has waits tells itself who held
// the locks meanwhile, and at least one does.
func (r *Record) TellsOwners() bool {
	any := false
	for i := range r.inputs {
		in := &r.inputs[i]
		if in.waits && !in.tenures || in.inferred {
			return false
		}
		any = any || in.tenures
	}
	return any
}

// found says that a lock is one of the input at hand, and returns that.
func (r *Record) found(l format.ObjectID) *input {
	for len(r.inputOf) <= int(l) {
		r.inputOf = append(r.inputOf, 0)
	}
	r.inputOf[l] = uint32(len(r.inputs) - 1)
	return &r.inputs[r.inputOf[l]]
}

// inputOfThread returns the input of a thread that was sampled.
func (r *Record) inputOfThread(t format.ThreadID) *input {
	if int(t) < len(r.sampledIn) {
		return &r.inputs[r.sampledIn[t]]
	}
	return &r.inputs[0]
}

// InputOf returns the number of a lock's input.
func (r *Record) InputOf(l format.ObjectID) int {
	if int(l) < len(r.inputOf) {
		return int(r.inputOf[l])
	}
	return 0
}

// input returns the input of a lock.
func (r *Record) input(l format.ObjectID) *input {
	if int(l) < len(r.inputOf) {
		return &r.inputs[r.inputOf[l]]
	}
	return &r.inputs[0]
}

// Told reports whether the tenures of a lock were recorded, not inferred by who
// wrote the trace: then they are all there were.
func (r *Record) Told(l format.ObjectID) bool { in := r.input(l); return in.tenures && !in.inferred }
