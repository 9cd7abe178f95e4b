package jfr

import (
	"fmt"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
)

const rulesLock = rules.Lock

// identities keeps the recording's threads, locks and stacks apart across
// chunks, whose keys differ. Threads and locks are those of the JVM at hand.
type identities struct {
	threads map[threadKey]format.ThreadID
	last    format.ThreadID // given
	alive   map[lifeKey]living
	called  map[format.ThreadID]string // the name told last
	byJava  map[int64]format.ThreadID
	native  map[int64]int64 // by Java id: the id the operating system gave
	objects map[objectKey]format.ObjectID
	object  format.ObjectID             // given last
	stacks  map[uint64][]format.StackID // by hash
	frames  [][]format.Frame            // by stack
	sleeps  map[int64]format.StackID
	classes map[string]uint32
	names   []string // by class
	words   words
	named   []uint32 // by word: the class the JVM calls so, plus one
	numbers map[method]uint32
	methods []method  // by number
	brief   [][]frame // by stack
	verdict map[verdictKey]verdict

	entries map[format.StackID]struct{} // the innermost method is synchronized
	entered map[entry]struct{}          // told

	cut      map[format.StackID]struct{} // the outermost frames are missing
	virtual  virtuals
	calls    map[call]format.StackID // of traced methods
	releases map[format.StackID]release
	families map[uint32]uint32 // by class

	// Many events are of few locks, at few places: what the maps said last, by
	// some bits of the key.
	recentObjects [recentObjects]struct {
		key objectKey
		id  format.ObjectID // NoObject: nothing yet
	}
	recentVerdicts [recentVerdicts]struct {
		key   verdictKey
		known bool
		verdict
	}
}

// Lengths of the arrays of recent answers, powers of two. The answers are the same.
const (
	recentObjects  = 1 << 10
	recentVerdicts = 1 << 8
)

// slot tells where an object may be among the recent ones: addresses are
// multiples of 8, of neighbours the low bits differ.
func (k *objectKey) slot() uint64 {
	return (uint64(k.address)>>3 ^ uint64(k.address)>>13 ^ uint64(k.class)) % recentObjects
}

func (k *verdictKey) slot() uint32 { return (uint32(k.stack) ^ k.class<<4) % recentVerdicts }

type objectKey struct {
	class   uint32
	address int64
	space   space
}

// space is what an address points to: recorded waits for monitors give that of
// the ObjectMonitor, parks and thread dumps that of the object itself.
type space uint8

const (
	monitorSpace space = iota
	heapSpace
	hashSpace    // identity hashes, as an agent tells them
	initSpace    // no address: the name of the class that is initialised stands for it
	virtualSpace // no address: the class that uses locks of virtual threads stands for it
)

type verdictKey struct {
	class uint32
	stack format.StackID
}

type verdict struct {
	rules.Result
	activity format.Activity
}

func newIdentities() identities {
	return identities{threads: map[threadKey]format.ThreadID{}, alive: map[lifeKey]living{}, called: map[format.ThreadID]string{}, byJava: map[int64]format.ThreadID{}, native: map[int64]int64{}, objects: map[objectKey]format.ObjectID{},
		stacks: map[uint64][]format.StackID{}, sleeps: map[int64]format.StackID{}, frames: [][]format.Frame{nil}, brief: [][]frame{nil}, classes: map[string]uint32{"": 0}, names: []string{""},
		words: newWords(), numbers: map[method]uint32{}, verdict: map[verdictKey]verdict{},
		entries: map[format.StackID]struct{}{}, entered: map[entry]struct{}{}, cut: map[format.StackID]struct{}{}, virtual: virtuals{lives: map[format.ThreadID]*virtualLife{}}, calls: map[call]format.StackID{}, releases: map[format.StackID]release{}, families: map[uint32]uint32{}}
}

// constants are the resolved keys of the current chunk.
type constants struct {
	threads, stacks, classes, methods, states table
	symbols, words                            table            // many constants may refer to one
	named                                     []methodName     // by method, less one
	numbers                                   []uint32         // theirs, which is all that most frames are asked for
	texts, operations                         map[int64]string // the same
}

type methodName struct {
	class, method string
	synchronized  bool
	number        uint32 // among all of that class and name
}

// synchronizedFlag is that of Java's modifiers.
const synchronizedFlag = 0x20

func (r *Reader) newConstants() {
	k := &r.known
	for _, t := range [...]*table{&k.threads, &k.stacks, &k.classes, &k.methods, &k.states, &k.symbols, &k.words} {
		t.clear()
		t.span = denseKeys // there are only these
	}
	k.named, k.numbers = k.named[:0], k.numbers[:0]
	k.texts, k.operations = map[int64]string{}, map[int64]string{}
}

// constant runs a program over the constant with a key; ok is false when the
// chunk does not hold it.
func (r *Reader) constant(p *program, key int64, v *values) (ok bool) {
	if p == nil {
		return false
	}
	at := r.pools[p.pool].get(key)
	if at == 0 {
		r.lacks(key)
		return false
	}
	c := r.cursor(int(at - 1))
	*v = values{}
	p.run(&c, v)
	return r.read(&c)
}

// lacks notes that a constant is missing.
func (r *Reader) lacks(key int64) {
	if key != 0 { // else there is none
		r.missing++
	}
}

// read reports whether a cursor could read all of a constant, and notes it if not.
func (r *Reader) read(c *cursor) bool {
	if c.err != nil {
		r.missing++
	}
	return c.err == nil
}

// tellMissing books what is missing in the chunk at hand.
func (r *Reader) tellMissing() {
	if r.missing > 0 {
		r.lost(loss{at: r.base, missing: true, code: "lost-data", from: r.head.startNanos, until: r.head.end(),
			why: format.Say("names, threads or stacks that events of the chunk refer to cannot be read: %v", r.missing)})
	}
	r.missing = 0
}

// class resolves a class's key to its name as Java writes it.
func (r *Reader) class(key int64) uint32 {
	if key == 0 {
		return 0
	}
	if id := r.known.classes.get(key); id != 0 {
		return id - 1
	}
	id := r.classOf(r.className(key))
	r.known.classes.set(key, id+1)
	return id
}

// classOf returns the class the JVM calls by a word.
func (r *Reader) classOf(word uint32) uint32 {
	ids := &r.ids
	for len(ids.named) <= int(word) {
		ids.named = append(ids.named, 0)
	}
	if ids.named[word] == 0 {
		ids.named[word] = r.intern(threaddump.JavaName(ids.words.list[word])) + 1
	}
	return ids.named[word] - 1
}

func (r *Reader) className(key int64) uint32 {
	var v values
	if !r.constant(r.meta.parts.class, key, &v) {
		return 0
	}
	return r.symbol(r.meta.parts.class, &v)
}

// symbol reads the name a constant refers to, as a word: a symbol, or in the files
// of some producers the string itself.
func (r *Reader) symbol(p *program, v *values) uint32 {
	if cl := r.meta.classes[p.pools[slotName]]; cl != nil && cl.name == "java.lang.String" {
		return r.word(v[slotName])
	}
	key := v[slotName]
	if word := r.known.symbols.get(key); word != 0 {
		return word - 1
	}
	var s values
	word := uint32(0)
	if r.constant(r.meta.parts.symbol, key, &s) {
		word = r.word(s[slotName])
	}
	r.known.symbols.set(key, word+1)
	return word
}

func (r *Reader) intern(name string) uint32 {
	id, ok := r.ids.classes[name]
	if !ok {
		id = uint32(len(r.ids.names))
		r.ids.classes[name] = id
		r.ids.names = append(r.ids.names, name)
	}
	return id
}

// text reads the string at an offset of the chunk.
func (r *Reader) text(at int64) string {
	if at <= 0 {
		return ""
	}
	c := r.cursor(int(at))
	text := c.str(func(key int64) string {
		s, ok := r.known.texts[key]
		if ok {
			return s
		}
		if where := r.pools[r.meta.parts.texts].get(key); where != 0 {
			inner := r.cursor(int(where - 1))
			s = inner.str(nil) // a constant that is a constant again ends here
			r.read(&inner)
		} else {
			r.lacks(key)
		}
		r.known.texts[key] = s
		return s
	})
	if r.read(&c) && garbled(text) {
		r.missing++
	}
	return text
}

// word is text for what comes again and again.
func (r *Reader) word(at int64) uint32 {
	if at <= 0 {
		return 0
	}
	c := r.cursor(int(at))
	if b, ok := c.plain(); ok && !garbled(string(b)) {
		return r.ids.words.of(b)
	}
	c = r.cursor(int(at))
	key, ok := c.textKey()
	if !ok {
		return r.ids.words.ofString(r.text(at))
	}
	word := r.known.words.get(key)
	if word == 0 {
		word = r.ids.words.ofString(r.text(at)) + 1
		r.known.words.set(key, word)
	}
	return word - 1
}

// object resolves a lock, first met by a thread at a stack.
func (r *Reader) object(class uint32, address int64, in space, kind format.LockKind, at format.StackID) format.ObjectID {
	k := objectKey{class, address, in}
	recent := &r.ids.recentObjects[k.slot()]
	if recent.id != format.NoObject && recent.key == k {
		return recent.id
	}
	id, ok := r.ids.objects[k]
	if !ok {
		r.ids.object++
		id = r.ids.object
		r.ids.objects[k] = id
		name := r.ids.names[class]
		if name == "" {
			name = "[unknown class]"
		}
		ev := format.Event{Kind: format.KindObject, Object: id, Class: lockClass(name), LockKind: kind}
		switch in {
		case virtualSpace:
			ev.Name = fmt.Sprintf("%s (of virtual threads in %s)", name, r.ids.names[address])
		case initSpace:
			ev.Name = r.ids.names[address]
		default:
			ev.Hash, ev.Name = uint64(address), lockName(name, address, r.ids.frames[at])
		}
		r.queue.Push(ev)
	}
	recent.key, recent.id = k, id
	return id
}

// classify asks the rules once for each class and stack.
func (r *Reader) classify(class uint32, stack format.StackID) verdict {
	k := verdictKey{class, stack}
	recent := &r.ids.recentVerdicts[k.slot()]
	if recent.known && recent.key == k {
		return recent.verdict
	}
	v, ok := r.ids.verdict[k]
	if !ok {
		v.Result = r.rules.Classify(r.ids.names[class], r.ids.frames[stack])
		if v.Verdict == rules.Idle || v.Verdict == rules.Resource {
			v.activity = format.ActivityPark
		}
		r.ids.verdict[k] = v
	}
	recent.key, recent.known, recent.verdict = k, true, v
	return v
}

// forResource reports whether what is waited for is what others must give back.
func (v *verdict) forResource() bool { return v.Verdict == rules.Resource }
