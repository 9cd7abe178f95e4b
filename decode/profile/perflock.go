package profile

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// Tables of `perf lock contention`: sums of the waiting for locks of the kernel, by the call that waits,
// by the lock's address, or by thread. With -v each row has its stack. Since Linux 6.15, -o -v adds a
// second table of the stacks that owned kernel mutexes.

var (
	lockHead  = regexp.MustCompile(`^ *contended +total wait +max wait +avg wait +(.*)$`)
	lockRow   = regexp.MustCompile(`^ *(\d+) +([\d.]+) (ns|us|ms|s|m) +[\d.]+ \w+ +[\d.]+ \w+ +(\S+) +(\S.*)$`)
	lockFrame = regexp.MustCompile(`^ +0x[0-9a-f]+ +(\S+)$`)
	ownerHead = regexp.MustCompile(`^(=== |# )owner stack trace`)
)

// IsPerfLock reports whether a line begins such a table.
func IsPerfLock(line string) bool { return lockHead.MatchString(line) }

// lockUnits are those of its times, in ns.
var lockUnits = map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}

// perfRow is a row of a table.
type perfRow struct {
	class, name string
	frames      []format.Frame
	ns, waits   int64
}

// NewPerfLock reads such tables. Other lines are passed over: perf and its shell print some.
func NewPerfLock(in *bufio.Reader, name string, t *rules.Table) (*Reader, error) {
	r := newReader(t, "perf lock contention", "waiting")
	r.Said.Unit, r.empty = format.UnitDelays, "the table has no rows: no wait was seen"
	var waiters, owners []perfRow
	into, columns := &waiters, ""
	err := r.lines(in, name, "row", func(line string) bool {
		if m := lockHead.FindStringSubmatch(line); m != nil {
			columns = strings.Join(strings.Fields(m[1]), " ")
		} else if ownerHead.MatchString(strings.TrimSpace(line)) {
			into = &owners
		} else if m := lockRow.FindStringSubmatch(line); m != nil && columns != "" {
			*into = append(*into, rowOf(columns, m))
		} else if m := lockFrame.FindStringSubmatch(line); m != nil && len(*into) > 0 {
			row := &(*into)[len(*into)-1]
			row.frames = append(row.frames, kernelFrame(m[1]))
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.addRows(waiters, owners)
	return r, nil
}

// rowOf reads the columns of a row: `type caller`, `address symbol`, or `pid comm`.
func rowOf(columns string, m []string) (row perfRow) {
	row.waits, _ = strconv.ParseInt(m[1], 10, 64)
	n, _ := strconv.ParseFloat(m[2], 64)
	row.ns = int64(min(n*lockUnits[m[3]], float64(maxDelay)))
	key, value := m[4], strings.ToValidUTF8(strings.TrimSpace(m[5]), "\uFFFD")
	switch columns {
	case "type caller":
		row.class, row.name = "kernel:"+key, function(value)
		row.frames = []format.Frame{kernelFrame(value)}
	case "address symbol":
		symbol, kind, _ := strings.Cut(value, " (")
		row.class, row.name = "kernel:"+strings.TrimSuffix(kind, ")"), strings.TrimSpace(symbol+" "+key)
	default: // of a thread
		row.class, row.name = "kernel:lock", "all that "+value+" waits for"
	}
	return row
}

// function is a symbol without its offset.
func function(symbol string) string {
	name, _, _ := strings.Cut(symbol, "+0x")
	return name
}

func kernelFrame(symbol string) format.Frame {
	return format.Frame{Class: "kernel", Method: function(symbol)}
}

// addRows adds the waiting of all rows. Owners are summed apart from waiters, by kind of lock: all
// locks of such a kind are then one, and its owners the same for each waiter, as far as they are known.
func (r *Reader) addRows(waiters, owners []perfRow) {
	owned, waited := map[string]int64{}, map[string]int64{}
	for _, o := range owners {
		owned[o.class] += o.ns
	}
	for _, w := range waiters {
		waited[w.class] += w.ns
	}
	for i := range waiters {
		w := &waiters[i]
		if len(w.frames) > 1 {
			w.frames = w.frames[1:] // the stack repeats the caller
		}
		r.sum += w.ns
		if owned[w.class] == 0 {
			r.addOwned(w, w.name, nil, w.ns, w.waits)
			continue
		}
		left, begin := w.ns, w.waits
		for j := range owners {
			o := &owners[j]
			if o.class == w.class {
				ns := int64(float64(w.ns) * float64(o.ns) / float64(max(waited[w.class], owned[w.class])))
				waits := int64(float64(w.waits) * float64(ns) / float64(w.ns))
				left, begin = left-ns, begin-waits
				r.addOwned(w, "all of this kind", o.frames[min(1, len(o.frames)-1):], ns, waits)
			}
		}
		r.addOwned(w, "all of this kind", nil, left, begin)
	}
	if len(owners) > 0 {
		r.Said.Warn(format.CodeIdentity, "perf sums owners apart from waiters: "+
			"each waiter of a kind of lock is charged to all of its owners alike")
	}
}

// addOwned adds waiting, and its number of waits, for a lock with the stack of its owner, nil if that is not known.
func (r *Reader) addOwned(w *perfRow, name string, owner []format.Frame, ns, waits int64) {
	if ns <= 0 {
		return
	}
	r.Said.Events++
	r.waited, r.locked = true, r.locked+ns
	verdict := rules.Result{Verdict: rules.Lock, Kind: format.KindMutex}
	lock := r.lock(&wait{class: w.class, site: name, verdict: verdict})
	ev := format.Event{Kind: format.KindContention, Time: r.at, Weight: ns, Object: lock, Owners: []format.Party{{}}}
	ev.Count = uint64(max(waits, 0))
	ev.Waiters = []format.Party{{Thread: waiterThread, Stack: r.stacks.Announce(w.frames, &r.Queue)}}
	if owner != nil {
		ev.Owners[0] = format.Party{Thread: ownerThread, Stack: r.stacks.Announce(owner, &r.Queue)}
	}
	r.pushSum(ev)
}
