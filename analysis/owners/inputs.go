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
	before   begun
	pauses   pauses
}

// begun is how much there is of the inputs before one.
type begun struct {
	dumps int
	waits int // in pieces of the column
}

// prov says how the tenures of an input are known.
func (in *input) prov() Provenance {
	if in.inferred {
		return byReleases
	}
	return Exact
}

// complete reports whether the waits of an input are whole acquires: it says so,
// or tells who owned its locks.
func (in *input) complete() bool { return in.tenures || in.whole }

// note keeps what an input says of itself.
func (in *input) note(ev *format.Event, end int64) {
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
