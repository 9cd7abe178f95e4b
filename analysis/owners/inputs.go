package owners

import "contend/format"

// input is one of several recordings that are read as one trace. No two have a lock in common.
type input struct {
	waits    bool  // it has waits
	tenures  bool  // it has holds
	inferred bool  // its writer inferred the holds
	partial  bool  // it has holds of some locks only, while threads waited for these
	waking   bool  // it has every release that woke a thread
	whole    bool  // each of its waits is a whole acquisition, however often the thread was woken
	from, to int64 // the recorded time, NoTime if not known
	before   begun
	pauses   pauses
}

type begun struct {
	dumps int
	waits int // pieces of the column
}

func (in *input) prov() Provenance {
	if in.inferred {
		return byReleases
	}
	return Exact
}

// addEvent adds a setting or a recorded interval.
func (in *input) addEvent(ev *format.Event, end int64) {
	switch {
	case ev.Kind == format.KindRecording:
		if in.from == format.NoTime {
			in.from, in.to = ev.Time, end
		}
		in.from, in.to = min(in.from, ev.Time), max(in.to, end)
	case ev.Name == format.SettingTenures && ev.Value == format.TenuresInferred:
		in.inferred = true
	case ev.Name == format.SettingTenures && ev.Value == format.TenuresContended:
		in.partial = true
	case ev.Name == format.SettingReleases && ev.Value == format.ReleasesWaking:
		in.waking, in.whole = true, true
	case ev.Name == format.SettingReleases && ev.Value == format.ReleasesUnparks:
		in.waking = true
	}
}
