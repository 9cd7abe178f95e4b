package godump

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"contend/decode/rules"
	"contend/decode/unwrap"
	"contend/format"
	"contend/format/human"
)

// Reader is a format.Source over the dumps of one input. Each dump is a tick. Dumps have no
// times: they are a second apart, and each weighs 1, so that sums count goroutines, not
// nanoseconds.
type Reader struct {
	name  string
	text  dumps
	names dumpNames

	count      int64 // of dumps
	goroutines int64
	waiting    int64    // for locks
	vague      int      // that wait for a mutex or a WaitGroup, whose frames are cut
	shapes     []string // of deadlocks in the last dump
}

// dumpDistance is the time between dumps, ns.
const dumpDistance = int64(1e9)

// Begins reports whether a line is the first of a goroutine, `goroutine 7 [running]:`, or
// of a report of deadlocks.
func Begins(line string) bool {
	_, _, ok := header(line)
	return ok || strings.HasPrefix(line, reportLine)
}

// profileHead begins the profile of debug=1.
const profileHead = "goroutine profile: total "

// IsProfile reports whether text is that: counts of goroutines by stack.
func IsProfile(line string) bool { return strings.HasPrefix(line, profileHead) }

// NewReader reads the first dump of an input of which off bytes are already read. The rules
// separate locks from idle waiting. The error is a *format.Error with ErrNotMine for text
// without a dump, or the error of the input.
func NewReader(in io.Reader, name string, t *rules.Table, off int64) (*Reader, error) {
	r := &Reader{name: name, text: dumps{lines: unwrap.NewLines(in, 64<<10, 0, off)}, names: newDumpNames(t)}
	r.advance()
	if r.count > 0 || r.text.stuck != "" && errors.Is(r.names.Ended, io.EOF) {
		return r, nil
	}
	if !errors.Is(r.names.Ended, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, r.names.Ended)
	}
	return nil, &format.Error{Pos: format.Pos{File: name}, What: "goroutine dump", Err: format.ErrNotMine}
}

// Read delivers the next event. The error is io.EOF, or the error of the input.
func (r *Reader) Read(ev *format.Event) error { return r.names.Next(ev, r.advance) }

// Close implements io.Closer: the input belongs to the caller.
func (r *Reader) Close() error { return r.names.Close() }

// advance queues the next dump, or ends.
func (r *Reader) advance() {
	list, err := r.text.next()
	if len(list) > 0 {
		r.deliver(list)
	}
	if n := r.text.lost; n > 0 {
		r.text.lost = 0
		r.damaged(format.CodeLostData, fmt.Errorf(
			"%s like the first of a goroutine and could not be read, as %.60q: the goroutine is left out",
			human.Some(n, "line looks", "lines look"),
			r.text.example,
		))
	}
	switch lines := r.text.lines; {
	case lines.Err() != nil && !errors.Is(lines.Err(), io.EOF):
		r.names.Ended = lines.Err()
	case errors.Is(err, format.ErrTruncated):
		r.damaged(format.CodeTruncated, err)
	case err != nil:
		r.damaged(format.CodeLostData, fmt.Errorf("%w (%.200q)", format.ErrCorrupt, err))
	case len(list) == 0:
		r.names.Ended = io.EOF
	}
}

// running returns the activity of a goroutine that runs, is ready to, or is in a system call.
func (r *Reader) running(g *goroutine, thread format.ThreadID, at int64) format.Event {
	return format.Event{
		Kind:     format.KindActivity,
		Activity: format.ActivityRunnable,
		Thread:   thread,
		Stack:    r.names.stacks.Announce(g.frames, &r.names.Queue),
		Time:     at,
		End:      at,
	}
}

func (r *Reader) damaged(code string, err error) {
	why := fmt.Sprintf("goroutine dump: %v", err)
	r.names.Said.Damage.AddDamage(
		format.Damage{
			Pos:    format.Pos{File: r.name, Off: r.text.lines.Taken()},
			Code:   code,
			Why:    why,
			Events: format.UnknownEvents,
			From:   format.NoTime,
			Until:  format.NoTime,
		},
	)
	r.names.Said.Warn(code, r.name+": "+why)
}

// Stats describes what has been read so far.
func (r *Reader) Stats() format.Stats {
	const unowned = "goroutine dumps do not show the owner of a lock"
	read := r.text.lines.Taken()
	s := format.Stats{
		Format:     "goroutine dump",
		Unit:       format.UnitThreads,
		Events:     r.goroutines,
		BytesRead:  read,
		BytesTotal: read,
		Damage:     r.names.Said.Damage,
		Blind:      unowned,
	}
	warn := func(code, text string) { s.Warnings = append(s.Warnings, format.Warning{Code: code, Text: text}) }
	s.Warnings = append(s.Warnings, r.names.Said.Warnings...)
	warn(
		format.CodeNoTimes,
		"goroutine dumps have no times: sums count waiting goroutines, in "+human.Some(
			int(r.count),
			"dump",
			"dumps together",
		),
	)
	if why := r.text.stuck; why != "" {
		warn(format.CodeDeadlock, why)
	}
	for _, shape := range r.shapes {
		warn(format.CodeLikelyDeadlock, shape)
	}
	if r.vague > 0 {
		warn(format.CodeUnclassified, human.Some(r.vague, "goroutine waits", "goroutines wait")+
			" for a mutex or a WaitGroup: the frames that would show which are not in the text")
	}
	if r.waiting > 0 {
		warn(format.CodeNoOwners, unowned)
	}
	return s
}

// deliver queues the events of one dump.
func (r *Reader) deliver(list []*goroutine) {
	at := r.count * dumpDistance
	r.count++
	r.goroutines += int64(len(list))
	r.shapes = patterns(list)
	tick := format.Event{Kind: format.KindTick, Time: at, Weight: 1, Live: uint32(len(list))}
	r.names.joinHalves(list)
	var locks, others []format.Event
	index := map[format.ObjectID]int{}
	for _, g := range list {
		thread := r.names.thread(g)
		if !g.waits() {
			others = append(others, r.running(g, thread, at))
			continue
		}
		res := r.names.rules.Classify("go:"+strings.ReplaceAll(g.state, " ", "-"), g.frames)
		if res.Verdict != rules.Lock {
			if g.state == "semacquire" && !g.shows() {
				r.vague++
			}
			tick.IdleThreads++
			others = append(
				others,
				format.Event{
					Kind:     format.KindActivity,
					Activity: format.ActivityPark,
					Thread:   thread,
					Stack:    r.names.idleStack(g),
					Time:     at,
					End:      at,
					Resource: res.Verdict == rules.Resource,
				},
			)
			continue
		}
		r.waiting++
		party := format.Party{Thread: thread, Stack: r.names.stacks.Announce(g.frames, &r.names.Queue), Mode: res.Mode}
		lock := r.names.lock(g, res.Kind)
		i, ok := index[lock]
		if !ok {
			i = len(locks)
			index[lock] = i
			locks = append(
				locks,
				format.Event{
					Kind:   format.KindContention,
					Time:   at,
					Weight: 1,
					Object: lock,
					Owners: []format.Party{{}},
				},
			)
		}
		locks[i].Waiters = append(locks[i].Waiters, party)
	}
	r.names.Push(tick)
	r.names.Push(others...)
	r.names.Push(locks...)
}
