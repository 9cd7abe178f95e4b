package jfr

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// Sleeps of four thousand lengths have a stack of their own, others none.
func TestHowManySleepsAreToldApart(t *testing.T) {
	r := Reader{symbols: resolver{ids: newIdentities()}}
	var known, beyond format.StackID
	for i := range int64(5000) {
		if beyond = r.symbols.sleepStack(i + 1); i < 3000 {
			known = beyond
		}
	}
	if known == format.NoStack || beyond != format.NoStack || r.symbols.sleepStack(3000) != known {
		t.Errorf("the 3000th is %d, the 5000th %d", known, beyond)
	}
}

// A stack of ten thousand frames is whole, one of thirty thousand or a million is cut,
// and one that only says so is none.
func TestHowDeepStacksAre(t *testing.T) {
	for n, want := range map[int]int{10_000: 10_000, 30_000: maxFrames, 1 << 20: maxFrames, -(1 << 20): 0} {
		r := started(t)
		const key = 1 << 20
		at := r.grow(append(binary.AppendUvarint([]byte{0}, uint64(max(n, -n))), make([]byte, 8*max(n, 0))...)...)
		r.symbols.chunk.pools[r.symbols.chunk.meta.parts.stack.pool].set(key, uint32(at)+1)
		frames, _, _, _ := r.symbols.stackFrames(key)
		golden.Equal(t, len(frames), want, "frames of", n)
	}
}

// types are a class of some fields, each of which lies some classes deep.
func types(fields, deep int) *metadata {
	m := &metadata{classes: map[int64]*class{}, layouts: map[int64]*layout{}}
	for id := range int64(deep) {
		m.classes[id] = &class{id: id, fields: []field{{name: "f", class: id + 1}}}
	}
	m.classes[int64(deep)] = &class{id: int64(deep), name: "int"}
	m.classes[0].fields = make([]field, fields)
	for i := range m.classes[0].fields {
		m.classes[0].fields[i] = field{name: "f", class: 1}
	}
	return m
}

// Types of a hundred thousand fields are read, and types that lie twenty-five deep;
// not half as many again.
func TestHowLargeTypesAre(t *testing.T) {
	for _, c := range []struct {
		fields, deep int
		read         bool
	}{{100_000, 1, true}, {160_000, 1, false}, {1, 25, true}, {1, 40, false}} {
		golden.Equal(t, types(c.fields, c.deep).layout(0) != nil, c.read, c.fields, "fields", c.deep, "deep: read")
	}
}

// What was found last is asked first: it is what the maps know, however many locks
// and places there are.
func TestRecentAnswersAreTheOnesKnown(t *testing.T) {
	const all = 5000
	r := started(t)
	ids := map[format.ObjectID]int64{}
	for round := range 2 {
		for i := range int64(all) {
			id := r.symbols.object(0, 8*i, heapSpace, format.KindMonitor, format.NoStack)
			if was, ok := ids[id]; ok != (round > 0) || ok && was != i {
				t.Fatalf("object %d has the id %d, as %d has", i, id, was)
			}
			ids[id] = i
		}
	}
	for _, name := range []string{"App$Lock", "java.util.concurrent.Semaphore$FairSync",
		"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"} {
		r.symbols.intern(name)
	}
	for i := range all {
		stack := r.symbols.internStack(
			[]format.Frame{
				{Class: "java.util.concurrent.ThreadPoolExecutor", Method: "getTask", Line: i},
				{Class: "App", Method: "run"},
			},
		)
		class := uint32(i % len(r.symbols.ids.classes.List))
		for range 2 {
			s := &r.symbols
			if got, want := s.classify(class, stack), s.rules.Classify(s.ids.classes.List[class],
				s.ids.frames[stack]); !reflect.DeepEqual(
				got,
				want,
			) {
				t.Fatalf("%s at %d: %+v, want %+v", r.symbols.ids.classes.List[class], stack, got, want)
			}
		}
	}
}

// A million checkpoints of a chunk are followed.
func TestHowManyCheckpointsAreFollowed(t *testing.T) {
	r := started(t)
	for before, want := range map[int]bool{1e6: true, 1.1e6: false} {
		c := r.symbols.chunk
		c.marks = make([]int, before)
		golden.Equal(t, r.feed.split.chain(&c), want, "behind", before, "followed")
	}
}

// A chunk of the JDK's usual length costs an array of its length and little more to
// read, also where the one before was shorter; a length that lies, a few times
// what there is.
func TestHowArraysOfChunksGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: what is allocated, and under the race detector that is twice as much")
	}
	const mb = 1 << 20
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	in := input{in: bytes.NewReader(make([]byte, 40*mb))}
	for _, c := range []struct{ chunk, most int }{{15 * mb, 20 * mb}, {15*mb + mb/2, 20 * mb}, {100 * mb, 48 * mb}} {
		got := allocated(func() {
			in.leave(in.buf)
			in.fill(headerSize)
			in.fill(c.chunk)
		})
		golden.AtMost(t, got, uint64(c.most))
		golden.AtLeast(t, len(in.buf), min(c.chunk, 9*mb))
	}
}

// Inputs made to cost more than their size: each is read in a moment.
func TestInputsMadeToBeSlow(t *testing.T) {
	golden.SkipIfShort(t)
	head := load(t, ours+"/truth-8threads.jfr")[:headerSize]
	live := patched(head, 8, 0)
	var overlap []byte // checkpoints inside each other
	for range 1 << 18 {
		overlap = append(overlap, 0xff, 0xff, 0x03, 1)
	}
	for name, data := range map[string][]byte{
		"headers only":        bytes.Repeat(live, 1<<15),
		"headers with a size": bytes.Repeat(patched(head, 8, headerSize), 1<<15),
		"magic only":          append(bytes.Clone(live), bytes.Repeat([]byte(magic), 1<<20)...),
		"nothing but zeros":   append(bytes.Clone(live), make([]byte, 8<<20)...),
		"overlapping":         append(bytes.Clone(live), overlap...),
	} {
		t.Run(name, func(t *testing.T) {
			var st format.Stats
			var err error
			took := golden.CPUTime(t, func() { _, st, err = count(data) })
			if err != nil || st.BytesTotal != int64(len(data)) || took > 20*time.Second {
				t.Errorf("%v, %d of %d bytes: %v", took, st.BytesTotal, len(data), err)
			}
		})
	}
}

// One high key does not buy an array for each pool.
func TestKeysBuyNoArrays(t *testing.T) {
	var p table
	p.set(denseKeys-1, 7)
	golden.AtMost(t, len(p.dense), 0)
	golden.Equal(t, p.get(denseKeys-1), 7)
	for k := range int64(3 * denseKeys) {
		p.set(k, uint32(k)+1)
	}
	for k := range int64(3 * denseKeys) {
		if p.get(k) != uint32(k)+1 {
			t.Fatalf("key %d: %d", k, p.get(k))
		}
	}
	if p.clear(0); p.get(5) != 0 || p.get(denseKeys+5) != 0 {
		t.Error("cleared keys are still there")
	}
}
