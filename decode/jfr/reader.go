package jfr

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
	"contend/format/human"
)

// Options of a Reader.
type Options struct {
	Rules        *rules.Table      // separates parks on locks from idle ones; nil means the default
	Skip         map[ChunkKey]bool // chunks not to read: another input has them
	AgentSamples bool              // an agent's samples will follow, by Show
	// for chunks that are stepped over ahead of the events, which Close ends; nil: none are
	Room *Room
}

// Reader is a format.Source over one input. The feed yields batches of events of a chunk, the
// symbols resolve what they refer to, and the evidence collects what several events say
// together.
type Reader struct {
	name     string
	feed     feed
	symbols  resolver
	evidence evidence

	values  values // of the current event
	events  int64
	damaged int64
	open    bool         // a chunk is not finished
	said    format.Stats // warnings and damage
	err     error
}

// evidence is derived from the events of several chunks.
type evidence struct {
	settings   map[string]string
	recorded   map[string]bool // by event: whether any settings enable it
	waitSeen   bool            // any event of a wait
	dumps      threaddump.HotSpot
	telling    tellingDumps
	dumpTimes  dumpTimes
	unparks    unparks
	unobserved unobserved
	until      int64        // the latest end of an event
	agent      agentSamples // by an agent in the same JVM
}

// NewReader reads the first chunk's header and metadata. The error is a *format.Error:
// ErrNotMine for input that is not a recording, ErrVersion for JDK 7 or 8, ErrTruncated for
// input without a whole header.
func NewReader(in io.Reader, name string, o Options) (*Reader, error) {
	r := &Reader{
		name:    name,
		symbols: resolver{rules: o.Rules, ids: newIdentities()},
		evidence: evidence{
			settings: map[string]string{},
			recorded: map[string]bool{},
			dumps:    threaddump.NewHotSpot(),
			agent:    agentSamples{follows: o.AgentSamples},
		},
	}
	r.feed = feed{
		room:  o.Room,
		split: splitter{in: input{in: in}, name: name, skip: o.Skip, specs: wanted(), metas: map[string]*metadata{}},
	}
	r.feed.batch = &r.feed.own
	if r.symbols.rules == nil {
		r.symbols.rules = rules.Default()
	}
	if err := r.feed.split.in.fill(len(magic)); err != nil || string(r.feed.split.in.buf) != magic {
		return nil, &format.Error{Pos: format.Pos{File: name}, What: "magic", Err: format.ErrNotMine}
	}
	r.feed.split.in.unread(0)
	if err := r.begin(); err != nil {
		return nil, err
	}
	return r, nil
}

// Stats describes what has been read so far.
func (r *Reader) Stats() format.Stats {
	name := fmt.Sprintf("jfr %d.%d", r.symbols.chunk.head.major, r.symbols.chunk.head.minor)
	if r.symbols.chunk.meta != nil && r.symbols.chunk.meta.sampler {
		name += format.OfAsyncProfiler
	}
	return format.Stats{
		Format:        name,
		Events:        r.events,
		BytesRead:     r.feed.taken - r.damaged,
		BytesTotal:    r.feed.taken,
		DeadlockDumps: r.evidence.telling.count,
		Blind:         r.blind(),
		Warnings: slices.Concat(
			r.said.Warnings,
			r.unrecorded(),
			r.unfinished(),
			r.virtualWarning(),
			r.evidence.unobserved.warnings(),
		),
		Damage: r.said.Damage,
	}
}

// unfinished returns the warning about a chunk that the recorder did not finish.
func (r *Reader) unfinished() []format.Warning {
	if !r.open {
		return nil
	}
	return []format.Warning{{
		Code: format.CodeUnfinished,
		Text: "the recording is not finished: the program was killed, or ran on when the file was copied; " +
			"what came after the recorder's last flush is missing, by default up to a second",
	}}
}

// Close ends reading ahead, which may wait for the input. It does not close the input.
func (r *Reader) Close() error {
	if r.feed.ahead != nil {
		r.feed.ahead.close()
		r.err = cmp.Or(r.err, io.ErrClosedPipe) // the chunks read ahead are lost
	}
	return nil
}

// Read delivers the next event. Damage is delivered as KindGap and in the warnings of
// Stats. The error is io.EOF or the error of the input.
func (r *Reader) Read(ev *format.Event) error {
	for {
		if r.symbols.queue.Pop(ev) {
			return nil
		}
		if r.err != nil {
			return r.err
		}
		if r.feed.batch.next == len(r.feed.batch.words) {
			r.advance()
			continue
		}
		ev.Reset()
		if !r.event(ev) {
			continue
		}
		if !r.symbols.queue.Empty() { // metadata goes first
			r.symbols.queue.Push(*ev)
			continue
		}
		return nil
	}
}

// event reads the next event of the batch; false if it delivers nothing itself.
func (r *Reader) event(ev *format.Event) bool {
	v := &r.values
	p, start, end := r.feed.batch.readHead(r.symbols.chunk.meta, v)
	if p == nil {
		r.lost(r.feed.batch.losses[start])
		return false
	}
	ev.Time = start
	ev.End = end
	r.symbols.early = start < r.symbols.chunk.head.startNanos
	if !p.spec.book(r, v, ev) {
		return false
	}
	r.inspect(ev)
	return true
}

// lost reports damage.
func (r *Reader) lost(d format.Damage) {
	d.Pos.File = r.name
	r.said.Lose(d)
	if d.Bytes > 0 {
		r.damaged += d.Bytes
		r.symbols.queue.Push(d.Gap())
	}
}

// reportMissing reports the missing data of the current chunk. Names that are missing in a chunk without
// other damage are no damage: the recorder left them out, and every event is there.
func (r *Reader) reportMissing() {
	chunk := r.symbols.chunk
	r.open = r.open || chunk.meta != nil && !chunk.cutOff && chunk.head.unfinished()
	if r.symbols.missing > 0 || len(chunk.losses) > 0 || chunk.unfinished {
		r.symbols.missing += r.symbols.unnamed
	} else {
		r.evidence.unobserved.unnamed += r.symbols.unnamed
	}
	r.symbols.unnamed = 0
	if r.symbols.missing > 0 {
		r.lost(
			chunk.lost(
				0,
				0,
				format.CodeLostData,
				human.Say(
					"names, threads or stacks that events of the chunk refer to cannot be read, or contradict "+
						"others: %v",
					r.symbols.missing,
				),
			),
		)
	}
	r.symbols.missing = 0
}
