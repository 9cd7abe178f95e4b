package jfr

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// damages is how often each recording is damaged. 2,000 of ten recordings take some
// minutes of one core.
var damages = flag.Int("damages", 60, "damage each recording so many times")

// answered are recordings of all producers there are, by the damage that may go unseen
// in so many.
var answered = []string{
	ours + "/truth-8threads.jfr",
	ours + "/truth-8threads-jdk25.jfr",
	ours + "/xalan-8threads.jfr",
	ours + "/phases-default-settings.jfr",
	ours + "/lab-striped-jdk17-profile.jfr",
	ours + "/virtual-jdk25.jfr",
	ours + "/notify-jdk25.jfr",
	"../../../shared/fixtures/jfr/phases.jfr",
	"../../../shared/fixtures/jfr/derby-8clients.jfr",
	"../../../shared/fixtures/public/jfr/async-profiler-kafka-lock.jfr.gz",
}

// A recording that is damaged anywhere says so, or loses no more than the damage: what the
// one event tells that was hit, or how one name, line or frame is spelled. What cannot be known
// is a value that may as well have been recorded.
func TestDamageIsSaid(t *testing.T) {
	golden.Thorough(t)
	var total, values, names, more int
	for _, path := range answered {
		if found, _ := filepath.Glob(path); len(found) == 0 {
			t.Logf("%s is missing", path)
			continue
		}
		whole := load(t, path)
		want, said := told(whole)
		if said {
			t.Errorf("%s is damaged itself", path)
		}
		random := rand.New(rand.NewPCG(1, uint64(len(whole))))
		for range *damages {
			what, data := damaged(random, whole)
			got, said := told(data)
			if total++; said || maps.Equal(got.events, want.events) {
				continue
			}
			where, without := struck(t, whole, what.at)
			lost, alone := want.lacking(got), 0
			if without != nil {
				rest, _ := told(without)
				alone = want.lacking(rest)
			}
			switch {
			case lost <= max(alone, 1):
				values++
			case want.respelled(got):
				names++
				t.Logf(
					"%s: %s: %s: names or lines of %d of %d events",
					filepath.Base(path),
					what.how,
					where,
					lost,
					len(want.events),
				)
			default:
				more++
				t.Errorf(
					"%s: %s: %s: %d of %d events, %d are its own",
					filepath.Base(path),
					what.how,
					where,
					lost,
					len(want.events),
					alone,
				)
			}
		}
	}
	t.Logf(
		"of %d damaged recordings %d do not say so and tell something else: %d differ in what the event tells that "+
			"was hit, %d in a name or a line, %d in more",
		total,
		values+names+more,
		values,
		names,
		more,
	)
}

// Each byte of metadata, and of what leads to it and to constants, is held to something
// else. Of a header without a copy the time of day and the clock are not, and of
// constants the names and lines.
func TestEachByteIsHeldToAnother(t *testing.T) {
	whole := load(t, "testdata/small.jfr")
	want, said := told(whole)
	if said {
		t.Fatal("small.jfr is damaged itself")
	}
	values := map[string]bool{}
	const events, constants = 68 + 824, 2703 - 116
	for i := range whole {
		if i > events+64 && i < constants { // they are alike
			continue
		}
		for _, v := range []byte{0, whole[i] ^ 1, whole[i] ^ 64, whole[i] ^ 128} {
			data := bytes.Clone(whole)
			data[i] = v
			if got, said := told(data); !said && !maps.Equal(got.events, want.events) {
				where, _ := struck(t, whole, i)
				values[where] = true
			}
		}
	}
	structure := regexp.MustCompile(
		"^byte ([0-9]|[123][0-9]) of a header|metadata|^byte (1?[0-9]) of 116 of a checkpoint|^byte [01] of [0-9]+ " +
			"of jdk",
	)
	for where := range values {
		if structure.MatchString(where) && !regexp.MustCompile("^byte 3[2-9] of a header").MatchString(where) {
			t.Errorf("%s: what changes it is not said", where)
		}
	}
}

// A byte that another value would fit as well is damage where that contradicts the rest.
func TestContradictionsAreSaid(t *testing.T) {
	for _, c := range []struct {
		what, name string
		at         int
		from, to   byte
	}{
		{"a field of a setting has the name of another text", ours + "/notify-jdk25.jfr", 0x22843, 0xcd, 0xc5},
		{"a bytecode is of two lines", ours + "/truth-8threads.jfr", 0x22902, 5, 0x15},
		{"the Java name of a thread is worker-2, that of the system is not", ours + "/truth-8threads.jfr", 0x22c93,
			'o', 'k'},
		{"a thread that only starts and ends has two names", ours + "/phases.jfr", 0x250d1, 'i', 'I'},
		{"two threads have one Java id", ours + "/phases.jfr", 0x2521f, 0x11, 0x15},
		{"java.laff.Thread is in java.lang", ours + "/xalan-8threads.jfr", 0x2b67e, 'n', 'f'},
		{"the rules know ReentrantLock", ours + "/truth-8threads-jdk25.jfr", 0x296b7, 'k', '+'},
		{"a thread is nearly runnable", ours + "/truth-8threads-jdk25.jfr", 0xb02, 'N', 'J'},
		{"a method has the name of another, and nothing has its own", ours + "/xalan-8threads.jfr", 0x265f0, 0xdd,
			0xf1},
		{"two symbols have one key", "../../../shared/fixtures/public/jfr/async-profiler-kafka-lock.jfr.gz", 0x86107,
			0xeb, 0xb1},
	} {
		if found, _ := filepath.Glob(c.name); len(found) == 0 {
			continue
		}
		data := load(t, c.name)
		if data[c.at] != c.from {
			t.Fatalf("%s: %#x", c.what, data[c.at])
		}
		data[c.at] = c.to
		if _, said := told(data); !said {
			t.Errorf("%s, and nothing says so", c.what)
		}
	}
}

// Damage that was answered as if there were none: a page of the metadata, a page of
// constants, a number of constants that no file holds, and a clock of nonsense.
func TestDamageThatHidEverything(t *testing.T) {
	jdk, small := load(t, ours+"/truth-8threads.jfr"), load(t, "testdata/small.jfr")
	page := func(data []byte, at int) []byte {
		out := bytes.Clone(data)
		clear(out[at : at+4096])
		return out
	}
	counted := bytes.Replace(small, []byte("\x16\x82\x80\x80\x80\x00"), []byte("\x16\x80\x80\x80\x80\x08"), 1)
	whole, _, _ := count(jdk)
	for _, c := range []struct {
		name  string
		data  []byte
		waits int
		says  string
	}{
		{"metadata", page(jdk, 3*4096), 0, "no readable metadata"},
		{"constants", page(jdk, 142854-142854%4096+4096), -1, "checkpoint"},
		{"2^31 constants", counted, 100, "pool size of a checkpoint"},
		{"a clock that is too fast", patched(jdk, 56, 4050200851643709488), whole,
			"its copy in the chunk says another"},
		{"a clock that is a little too fast", patched(jdk, 56, 2_100_000_001), whole,
			"its copy in the chunk says another"},
		{"a clock without a copy that does not fit",
			bytes.ReplaceAll(patched(jdk, 56, 2_100_000), []byte("\x44FLR"), []byte("\x44FLS")), -1, "does not fit"},
		{"a duration", patched(jdk, 40, 9_095_084_977), whole, "another duration"},
	} {
		n, st, err := count(c.data)
		if err != nil || st.Damage.Whole() || c.waits >= 0 && n != c.waits ||
			!strings.Contains(fmt.Sprint(st.Damage.Places), c.says) {
			t.Errorf("%s: %d waits and activities, want %d: %v %+v", c.name, n, c.waits, err, st.Damage)
		}
	}
}

// telling is what a recording tells: how often each event, with the names of threads, locks
// and stacks instead of their numbers, and one after the other the events without them.
type telling struct {
	events map[string]int
	order  []spelled
}

// spelled is an event with the numbers of threads and locks, and all names and lines of it.
type spelled struct {
	event string
	words []string
}

// told reads a recording, and reports whether it is said to be damaged, or refused.
func told(data []byte) (all telling, damaged bool) {
	all.events = map[string]int{}
	r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{})
	if err != nil {
		return all, true
	}
	threads, objects, stacks := map[format.ThreadID]string{}, map[format.ObjectID]string{}, map[format.StackID]string{}
	frames := map[format.StackID][]string{}
	parties := func(list []format.Party) (out string) {
		for _, p := range list {
			out += fmt.Sprint(threads[p.Thread], stacks[p.Stack], p.Mode)
		}
		return out
	}
	var ev format.Event
	for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
		switch ev.Kind {
		case format.KindThread:
			threads[ev.Thread] = ev.Name
		case format.KindObject:
			objects[ev.Object] = fmt.Sprint(ev.Class, ev.Name, ev.Hash)
		case format.KindStack:
			h := fnv.New64a()
			fmt.Fprint(h, ev.Frames)
			stacks[ev.Stack] = string(h.Sum(nil))
			for _, f := range ev.Frames {
				frames[ev.Stack] = append(frames[ev.Stack], fmt.Sprintf("%s.%s:%d", f.Class, f.Method, f.Line))
			}
		default:
			all.order = append(all.order, spell(ev, threads, objects, frames))
			names := fmt.Sprint(
				threads[ev.Thread],
				threads[ev.Owner],
				threads[ev.Woken],
				objects[ev.Object],
				stacks[ev.Stack],
				parties(ev.Owners),
				parties(ev.Waiters),
			)
			ev.Thread, ev.Owner, ev.Woken, ev.Object, ev.Stack, ev.Owners, ev.Waiters = 0, 0, 0, 0, 0, nil, nil
			all.events[string(format.AppendText(nil, &ev))+names]++
		}
	}
	st := r.Stats()
	return all, !errors.Is(err, io.EOF) || !st.Damage.Whole()
}

// spell takes an event and its names apart.
func spell(
	ev format.Event,
	threads map[format.ThreadID]string,
	objects map[format.ObjectID]string,
	frames map[format.StackID][]string,
) spelled {
	words := append(
		[]string{ev.Name, threads[ev.Thread], threads[ev.Owner], threads[ev.Woken], objects[ev.Object]},
		frames[ev.Stack]...)
	bare := func(list []format.Party) (out []format.Party) {
		for _, p := range list {
			words = append(append(words, threads[p.Thread]), frames[p.Stack]...)
			p.Stack = 0
			out = append(out, p)
		}
		return out
	}
	ev.Name, ev.Stack, ev.Owners, ev.Waiters = "", 0, bare(ev.Owners), bare(ev.Waiters)
	return spelled{string(format.AppendText(nil, &ev)), words}
}

// respelled reports whether another recording tells the same but for one text, which is
// another in the same way wherever it is.
func (all *telling) respelled(other telling) bool {
	changes := map[[2]string]bool{}
	same := slices.EqualFunc(all.order, other.order, func(a, b spelled) bool {
		return a.event == b.event && slices.EqualFunc(a.words, b.words, func(x, y string) bool {
			if x != y {
				for x != "" && y != "" && x[0] == y[0] {
					x, y = x[1:], y[1:]
				}
				for x != "" && y != "" && x[len(x)-1] == y[len(y)-1] {
					x, y = x[:len(x)-1], y[:len(y)-1]
				}
				changes[[2]string{x, y}] = true
			}
			return true
		})
	})
	return same && len(changes) == 1
}

// lacking is how many events of one recording another does not tell as they were.
func (all *telling) lacking(other telling) (n int) {
	for line, times := range all.events {
		n += max(times-other.events[line], 0)
	}
	return n
}

// harm is what was done to a recording, and where.
type harm struct {
	how string
	at  int
}

// damaged changes a copy of a recording as disks, networks and people do.
func damaged(random *rand.Rand, whole []byte) (harm, []byte) {
	at, n := random.IntN(len(whole)), 1+random.IntN(16)
	data := bytes.Clone(whole)
	switch random.IntN(6) {
	case 0:
		at &^= 4095
		clear(data[at:min(at+4096, len(data))])
		return harm{"a page of zeros", at}, data
	case 1:
		bit := byte(1) << random.IntN(8)
		data[at] ^= bit
		return harm{fmt.Sprintf("byte %#x from %#x to %#x", at, whole[at], data[at]), at}, data
	case 2:
		data[at] ^= byte(1 + random.IntN(255))
		return harm{fmt.Sprintf("byte %#x from %#x to %#x", at, whole[at], data[at]), at}, data
	case 3:
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(random.IntN(256))
		}
		return harm{fmt.Sprintf("%d bytes inserted", n), at}, append(append(data[:at:at], noise...), whole[at:]...)
	case 4:
		return harm{fmt.Sprintf("%d bytes deleted", n), at}, append(data[:at:at], whole[min(at+n, len(whole)):]...)
	}
	return harm{"the rest cut off", at}, data[:at]
}

// struck says what lies at an offset of a recording and, where that is an event, returns
// the recording without it.
func struck(t *testing.T, data []byte, offset int) (what string, without []byte) {
	t.Helper()
	s := splitter{
		in:    input{in: bytes.NewReader(data)},
		name:  "test.jfr",
		specs: wanted(),
		metas: map[string]*metadata{},
	}
	for {
		var c chunk
		if s.next(&c) != nil {
			return "behind all chunks", nil
		}
		if offset >= int(c.end) {
			continue
		}
		if offset -= int(c.base); offset < headerSize {
			return fmt.Sprintf("byte %d of a header", offset), nil
		}
		for at := headerSize; at < len(c.buf); {
			cur := c.cursor(at)
			size, from := int(cur.integer("size", 4)), cur.off
			kind := cur.long("type")
			if offset >= at+size {
				at += size
				continue
			}
			name := map[int64]string{0: "metadata", 1: "a checkpoint"}[kind]
			if kind > 1 {
				name = c.meta.classes[kind].name
				without = bytes.Clone(data)
				other := slices.IndexFunc(c.meta.dense, func(p *program) bool { return p == unwanted })
				for i := range cur.off - from { // a number may be longer than it need be
					b := byte(other>>(7*i)) & 0x7f
					if i < cur.off-from-1 {
						b |= 0x80
					}
					without[int(c.base)+from+i] = b
				}
			}
			return fmt.Sprintf(
				"byte %d of %d of %s, whose fields begin at %d",
				offset-at,
				size,
				name,
				cur.off-at,
			), without
		}
	}
}
