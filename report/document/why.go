package document

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/analysis/owners/model"
	"contend/blame"
	"contend/blame/waits"
	"contend/format"
)

// Why is the document of `contend why`: one wait, and the evidence for its owners.
type Why struct {
	Schema string `json:"schema"`
	Lock   string `json:"lock"`
	Class  string `json:"class"`
	Site   string `json:"site"` // in the name of the lock

	StartNs int64  `json:"startNs"` // of the wait
	WaitNs  int64  `json:"waitNs"`
	Thread  string `json:"thread"`
	WaitsAt string `json:"waitsAt"`
	Failed  bool   `json:"failed"` // it ended without the lock
	Rank    int    `json:"rank"`   // among the waits for the lock: 1 is the longest
	Waits   int64  `json:"waits"`

	Known    string       `json:"known"` // the provenance of most of its owners: recorded, inferred or unknown
	Suspects []Suspect    `json:"suspects"`
	FromNs   int64        `json:"fromNs"` // of the lanes
	ToNs     int64        `json:"toNs"`
	Lanes    []ThreadLane `json:"lanes"` // the wait's own thread first, then other waiters, then suspects

	traceNs int64
	paths   bool
}

// OriginNs returns the start of the trace, the origin of times for people.
func (d *Why) OriginNs() int64 { return d.traceNs }

// HasPaths reports whether names have paths instead of packages.
func (d *Why) HasPaths() bool { return d.paths }

// Asked is a wait that was asked for, and where it stands.
type Asked struct {
	Wait  *waits.Wait
	Site  string // in the name of its lock
	Rank  int    // among the waits for the lock, from 1
	Waits int64  // all waits for it

	TraceNs int64 // the start of the trace
	Paths   bool  // names have paths instead of packages
}

// Suspect is a possible state of the lock during the wait: held by an owner at a site, free, or
// unknown.
type Suspect struct {
	Site     string    `json:"site"` // the acquisition site, or a pseudo owner
	Thread   string    `json:"thread,omitempty"`
	Chance   float64   `json:"chance"`             // the part of the wait that it is charged with
	Evidence *Evidence `json:"evidence,omitempty"` // for inferred owners

	id format.ThreadID
	by *model.Candidate // of an inferred owner: what the evidence is taken from
}

// Evidence is the evidence for an owner in bits, negative against it. The sum is the logarithm to
// base 2 of the odds of the chance: of a wait of several gaps, evidence is that for the mean.
type Evidence struct {
	Prior      float64 `json:"prior"`      // the duration and frequency of its holds, and the duration of the gap
	Next       float64 `json:"next"`       // the acquisition that ends the gap
	Alibis     float64 `json:"alibis"`     // threads wait for the lock, or are elsewhere
	Activities float64 `json:"activities"` // activities of threads on its path
	Samples    float64 `json:"samples"`    // samples of threads on its path
	Dumps      float64 `json:"dumps"`      // dumps, and recorded holds
	Checked    float64 `json:"checked"`    // the correction by hidden dumps and samples
}

// Each returns the kinds of evidence in the order of the sum.
func (e *Evidence) Each() [7]float64 {
	return [...]float64{e.Prior, e.Next, e.Alibis, e.Activities, e.Samples, e.Dumps, e.Checked}
}

// ThreadLane holds the activities of one thread.
type ThreadLane struct {
	Thread string `json:"thread"`
	Role   string `json:"role"` // waiter or suspect
	Spans  []Span `json:"spans"`
}

// Span is one activity of a thread; several may overlap.
type Span struct {
	What    string `json:"what"` // waits, holds, asleep, idle, or an activity: sampled, file, socket ...
	StartNs int64  `json:"startNs"`
	EndNs   int64  `json:"endNs"`
	Lock    string `json:"lock,omitempty"` // of waits and holds
	Here    bool   `json:"here,omitempty"` // it is the lock waited for
	Site    string `json:"site,omitempty"`
	Known   string `json:"known,omitempty"` // of holds
}

// The limits of a document.
const (
	maxSuspects = 6
	maxWaiters  = 8     // lanes of other threads that wait
	minChance   = 0.005 // of a suspect
	maxSpans    = 1000  // of a lane: equal spans nearer than a thousandth of it are one
	minDrawn    = 0.05  // part of the wait that an owner with a lane is charged with
)

// whyBuilder makes the document of one wait.
type whyBuilder struct {
	why    *Why
	wait   *waits.Wait
	window *waits.Window // the activities around the wait
	sym    *analysis.Symbols
	sites  *blame.Sites
}

// NewWhy builds the document of a wait.
func NewWhy(asked *Asked, s *waits.Window, sym *analysis.Symbols, of *blame.Sites) *Why {
	w := asked.Wait
	d := whyBuilder{wait: w, window: s, sym: sym, sites: of}
	d.why = &Why{
		Schema:  "contend.why/1",
		Lock:    sym.LockName(w.Lock),
		Class:   sym.ClassName(w.Lock),
		Site:    asked.Site,
		StartNs: w.Start,
		WaitNs:  w.Ns,
		Thread:  sym.ThreadName(w.Thread),
		WaitsAt: of.Names().Value(of.Waiter(w.Stack)),
		Failed:  w.Failed,
		Rank:    asked.Rank,
		Waits:   asked.Waits,
		Lanes:   []ThreadLane{},
		traceNs: asked.TraceNs,
		paths:   asked.Paths,
	}
	d.why.FromNs, d.why.ToNs = s.Bounds()
	charged := d.chargedSuspects()
	d.why.Suspects, d.why.Known = slices.Clone(charged), mostlyKnown(w)
	if s.Because != nil {
		d.why.Suspects = d.inferredSuspects(charged)
	}
	slices.SortStableFunc(d.why.Suspects, func(a, b Suspect) int { return cmp.Compare(b.Chance, a.Chance) })
	likeliest := limit(d.why.Suspects, maxSuspects)
	d.why.Suspects = slices.DeleteFunc(likeliest, func(s Suspect) bool { return s.Chance < minChance })
	for _, t := range d.waiters() {
		d.addLane(t, "waiter")
	}
	for _, t := range d.drawn(charged) {
		d.addLane(t, "suspect")
	}
	return d.why
}

// waiters returns the wait's own thread, and others that wait for the lock in that time.
func (d *whyBuilder) waiters() []format.ThreadID {
	list := []format.ThreadID{d.wait.Thread}
	for i := range d.window.Spans {
		if p := &d.window.Spans[i]; d.waitsForIt(p) && p.Start < d.window.To && p.End > d.window.From &&
			!slices.Contains(list, p.Thread) &&
			len(list) < maxWaiters {
			list = append(list, p.Thread)
		}
	}
	return list
}

// waitsForIt reports whether a span is a wait for the lock of the wait.
func (d *whyBuilder) waitsForIt(p *waits.LaneSpan) bool {
	return p.State == waits.Waiting && p.Lock == d.wait.Lock
}

// drawn returns the threads of suspects with a lane: those of listed suspects, and those that are
// charged with a large part of the wait.
func (d *whyBuilder) drawn(charged []Suspect) (list []format.ThreadID) {
	for i, one := range append(slices.Clone(d.why.Suspects), charged...) {
		if t := one.id; len(list) < maxSuspects && (i < len(d.why.Suspects) || one.Chance >= minDrawn) &&
			t != format.NoThread &&
			!slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// like reports whether two spans are of one activity.
func (s *Span) like(o *Span) bool {
	return s.What == o.What && s.Lock == o.Lock && s.Known == o.Known && s.Site == o.Site
}

// addLane adds the lane of a thread. A waiter has only its waits for the lock, a suspect all spans.
func (d *whyBuilder) addLane(t format.ThreadID, role string) {
	l := ThreadLane{Thread: d.sym.ThreadName(t), Role: role, Spans: []Span{}}
	for i := range d.window.Spans {
		p := &d.window.Spans[i]
		if p.Thread != t || role == "waiter" && !d.waitsForIt(p) ||
			p.State == waits.Acting && p.Activity == format.ActivityTook {
			continue
		}
		out := d.span(p)
		if n := len(l.Spans) - 1; n >= 0 && l.Spans[n].like(&out) &&
			out.StartNs-l.Spans[n].EndNs <= (d.why.ToNs-d.why.FromNs)/maxSpans {
			l.Spans[n].EndNs = max(l.Spans[n].EndNs, out.EndNs)
			continue
		}
		l.Spans = append(l.Spans, out)
	}
	d.why.Lanes = append(d.why.Lanes, l)
}

// span describes a span, cut to the bounds of the lanes.
func (d *whyBuilder) span(p *waits.LaneSpan) Span {
	out := Span{StartNs: max(p.Start, d.why.FromNs), EndNs: min(p.End, d.why.ToNs)}
	switch p.State {
	case waits.Holding:
		out.What = "holds"
		out.Known = p.Word.String()
		out.Site = d.owner(p.Stack, p.Lock)
	case waits.Waiting:
		out.What, out.Site = "waits", d.waiter(p.Stack)
	case waits.Idle:
		if out.What = "idle"; p.Activity == format.ActivitySleep {
			out.What = "asleep"
		}
	case waits.Acting:
		out.What, out.Site = cmp.Or(activities[p.Activity], p.Activity.String()), d.waiter(p.Stack)
	}
	if p.State <= waits.Waiting {
		out.Lock, out.Here = d.sym.LockName(p.Lock), p.Lock == d.wait.Lock
	}
	return out
}

// owner returns the site at which the owner of a lock, with a stack, acquired it.
func (d *whyBuilder) owner(stack format.StackID, lock format.ObjectID) string {
	return d.sites.Names().Value(d.sites.Owner(stack, lock))
}

// waiter returns the line of the program in a stack.
func (d *whyBuilder) waiter(stack format.StackID) string {
	return d.sites.Names().Value(d.sites.Waiter(stack))
}

// activities are the words for activities.
var activities = map[format.Activity]string{
	format.ActivityRun:      "sampled",
	format.ActivitySeen:     "sampled",
	format.ActivityRunnable: "sampled",
	format.ActivityLive:     "seen",
	format.ActivitySleep:    "asleep",
	format.ActivityWait:     "idle",
	format.ActivityPark:     "idle",
	format.ActivityUnknown:  "idle",
}

// evidenceOf returns what speaks for a candidate and against it.
func evidenceOf(c *model.Candidate) *Evidence {
	b := c.Bits()
	return &Evidence{
		b[model.Prior],
		b[model.Next],
		b[model.Alibis],
		b[model.Activities],
		b[model.Samples],
		b[model.Shown],
		b[model.Checked],
	}
}

// inferredSuspects are the model's candidates; those of one site are one, with the thread that is
// charged most there.
func (d *whyBuilder) inferredSuspects(charged []Suspect) []Suspect {
	list := []Suspect{}
	for i := range d.window.Because.Candidates {
		c := &d.window.Because.Candidates[i]
		s := Suspect{Site: analysis.PseudoOwner(analysis.OwnerUnknown, 0), Chance: c.Chance}
		switch c.State {
		case model.Held:
			s.Site, s.id = d.owner(c.Stack, d.wait.Lock), c.Thread
		case model.Free:
			s.Site = analysis.PseudoOwner(analysis.OwnerHandoff, 0)
		}
		one := *c
		s.by = &one
		list = d.addSuspect(list, s, func(o Suspect) bool { return o.Site == s.Site })
	}
	for i := range list {
		list[i].Evidence = evidenceOf(list[i].by)
		for _, o := range charged {
			if o.Site == list[i].Site && o.id != format.NoThread {
				list[i].id, list[i].Thread = o.id, o.Thread
				break
			}
		}
	}
	return list
}

// chargedSuspects are the owners a wait is charged to, the longest first.
func (d *whyBuilder) chargedSuspects() []Suspect {
	list := []Suspect{}
	for i := range d.wait.Parts {
		p := &d.wait.Parts[i]
		s := Suspect{
			Site:   analysis.PseudoOwner(p.Direct.Kind, p.Direct.Cycle),
			Chance: float64(p.Ns) / float64(max(d.wait.Ns, 1)),
		}
		if p.Direct.Kind == analysis.OwnerThread {
			s.Site, s.id = d.owner(p.Direct.Stack, d.wait.Lock), p.Direct.Thread
		}
		list = d.addSuspect(list, s, func(o Suspect) bool { return o.Site == s.Site && o.id == s.id })
	}
	slices.SortStableFunc(list, func(a, b Suspect) int { return cmp.Compare(b.Chance, a.Chance) })
	return list
}

// addSuspect adds one, or its chance to the one it is the same as.
func (d *whyBuilder) addSuspect(list []Suspect, s Suspect, same func(Suspect) bool) []Suspect {
	if at := slices.IndexFunc(list, same); at >= 0 {
		list[at].Chance += s.Chance
		if s.by != nil {
			list[at].by.Join(s.by)
		}
		return list
	}
	if s.id != format.NoThread {
		s.Thread = d.sym.ThreadName(s.id)
	}
	return append(list, s)
}

// mostlyKnown is how most of a wait's owners are known.
func mostlyKnown(w *waits.Wait) string {
	var sums [analysis.Words]int64
	most := analysis.Exact.Word()
	for i := range w.Parts {
		word := w.Parts[i].Direct.Prov.Word()
		if sums[word] += w.Parts[i].Ns; sums[word] > sums[most] {
			most = word
		}
	}
	return most.String()
}
