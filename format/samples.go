package format

// Samples is a stretch of the sampling instants of a trace, one after the other,
// with what was seen at them: of those that show the same it is told once. It
// stands for the ticks, and the contention events and idle threads behind each,
// that a Source gives to those who do not ask for it. It is good until the next
// Read.
type Samples struct {
	Ticks []Tick
	*Shown
	Events  int64 // how many it stands for
	Mixed   bool  // its scenes hold other events than contention that stands for time, and idle threads; nobody is given these
	Skipped *Span // of a block that was not read, of which only the first and the last tick are given; else nil
}

// Tick is a sampling instant; its fields are those of a KindTick.
type Tick struct {
	Time, Intended, Weight int64
	Live, Idle             uint32
	Scene                  uint32 // what was seen: one of Shown.Scenes
}

// Shown is what instants show. Several stretches may share it.
type Shown struct {
	Serial uint64     // no two of a program are alike
	Parts  []Event    // contention events and idle threads, without their times
	Scenes [][]uint32 // each of some parts, in order
	Moved  bool       // a reader of readers has given the ids in it other numbers
}

// Folder is a Source that gives KindTick events with Samples from the next event
// on, once it is told to.
type Folder interface {
	Fold()
}

// Windower is a Folder that need not read instants outside of [from, to), if it
// can do without.
type Windower interface {
	Window(from, to int64)
}
