package jfr

import (
	"fmt"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
)

// resolver resolves the keys of the current chunk to ids, which are valid for all chunks.
type resolver struct {
	chunk   chunk // the current one
	rules   *rules.Table
	known   constants
	ids     identities
	frames  []frame // of the stack read last
	natives []nativeID
	early   bool         // the event at hand began before its chunk
	missing int          // unreadable constants and texts of the current chunk
	unnamed int          // constants of the current chunk without which only names of frames are missing
	queue   format.Queue // events to deliver first: metadata comes before its use
}

// identities keep the threads, locks and stacks of the recording apart over all chunks,
// whose keys differ. Threads and locks are those of the current JVM.
type identities struct {
	threads map[threadKey]format.ThreadID
	last    format.ThreadID // given
	alive   map[lifeKey]living
	called  map[format.ThreadID]string // the name announced last
	byJava  map[int64]format.ThreadID
	byKey   map[int64]format.ThreadID // a thread has one key in all chunks
	native  map[int64]int64           // by Java id: the id the operating system gave
	objects map[objectKey]format.ObjectID
	object  format.ObjectID             // given last
	stacks  map[uint64][]format.StackID // by hash
	frames  [][]format.Frame            // by stack
	sleeps  map[int64]format.StackID
	classes format.Interner[string]
	// names of classes, methods and threads, which repeat in the constants of all chunks
	words   format.Interner[string]
	named   []uint32 // by word: the class the JVM calls so, plus one
	methods format.Interner[method]
	brief   [][]frame // by stack
	verdict map[verdictKey]rules.Result

	entries map[format.StackID]struct{} // the innermost method is synchronized
	entered map[entry]struct{}          // reported

	cut      map[format.StackID]struct{} // the outermost frames are missing
	nameless map[format.StackID]struct{} // a frame has no method, or its method no name or class
	virtual  virtuals
	calls    map[call]format.StackID // of traced methods
	releases map[format.StackID]release
	families map[uint32]uint32 // by class

	// Most events concern few locks at few sites: the last answers of the maps, by some
	// bits of the key.
	recentObjects [recentObjects]struct {
		key objectKey
		id  format.ObjectID // NoObject: nothing yet
	}
	recentVerdicts [recentVerdicts]struct {
		key     verdictKey
		known   bool
		verdict rules.Result
	}
}

// Lengths of the caches of recent answers, powers of two.
const (
	recentObjects  = 1 << 10
	recentVerdicts = 1 << 8
)

// slot returns the place of an object among the recent ones: addresses are multiples
// of 8, and neighbours differ in the low bits.
func (k *objectKey) slot() uint64 {
	return (uint64(k.address)>>3 ^ uint64(k.address)>>13 ^ uint64(k.class)) % recentObjects
}

func (k *verdictKey) slot() uint32 { return (uint32(k.stack) ^ k.class<<4) % recentVerdicts }

type objectKey struct {
	class   uint32
	address int64
	space   space
}

// space is the kind of object an address points to: the ObjectMonitor in recorded waits for
// monitors, the object itself in parks and thread dumps.
type space uint8

const (
	monitorSpace space = iota
	heapSpace
	hashSpace    // identity hashes, from an agent
	initSpace    // no address: the name of the class being initialised
	virtualSpace // no address: the class that uses the locks of virtual threads
)

type verdictKey struct {
	class uint32
	stack format.StackID
}

func newIdentities() identities {
	ids := identities{
		threads:  map[threadKey]format.ThreadID{},
		alive:    map[lifeKey]living{},
		called:   map[format.ThreadID]string{},
		byJava:   map[int64]format.ThreadID{},
		byKey:    map[int64]format.ThreadID{},
		native:   map[int64]int64{},
		objects:  map[objectKey]format.ObjectID{},
		stacks:   map[uint64][]format.StackID{},
		sleeps:   map[int64]format.StackID{},
		frames:   [][]format.Frame{nil},
		brief:    [][]frame{nil},
		verdict:  map[verdictKey]rules.Result{},
		entries:  map[format.StackID]struct{}{},
		entered:  map[entry]struct{}{},
		cut:      map[format.StackID]struct{}{},
		nameless: map[format.StackID]struct{}{},
		virtual:  virtuals{lives: map[format.ThreadID]*virtualLife{}},
		calls:    map[call]format.StackID{},
		releases: map[format.StackID]release{},
		families: map[uint32]uint32{},
	}
	ids.classes.Intern("") // no class, and no name, is 0
	ids.words.Intern("")
	return ids
}

// constants are the resolved keys of the current chunk.
type constants struct {
	threads, stacks, classes, methods table
	symbols, lines, java              table        // many constants may refer to one
	named                             []methodName // by method, less one
	numbers                           []uint32     // theirs, which is all that most frames are asked for
	texts                             map[int64]string
	labels                            map[labelled]string
}

// labelled is a constant of some class.
type labelled struct {
	class *program
	key   int64
}

type methodName struct {
	class, method string
	synchronized  bool
	unnamed       bool   // it, its class or a name is missing
	number        uint32 // among all of that class and name
}

// synchronizedFlag is the modifier of Java's synchronized methods.
const synchronizedFlag = 0x20

func (s *resolver) newConstants() {
	k := &s.known
	for _, t := range [...]*table{&k.threads, &k.stacks, &k.classes, &k.methods, &k.symbols, &k.lines, &k.java} {
		t.clear(denseKeys) // there are only these
	}
	k.named, k.numbers = k.named[:0], k.numbers[:0]
	k.texts, k.labels = map[int64]string{}, map[labelled]string{}
}

// constant runs a program over the constant with a key; ok is false when the
// chunk does not hold it.
func (s *resolver) constant(p *program, key int64, v *values) (ok bool) {
	if p == nil {
		return false
	}
	at := s.chunk.pools[p.pool].get(key)
	if at == 0 {
		s.missed(p, key)
		return false
	}
	c := s.chunk.cursor(int(at - 1))
	*v = values{}
	p.run(&c, v)
	return s.read(&c)
}

// held reports whether the chunk holds a constant of a class.
func (s *resolver) held(p *program, key int64) bool {
	return p != nil && s.chunk.pools[p.pool].get(key) != 0
}

// missed counts a missing constant. JDK 8 and 11 leave out methods, classes and symbols of classes that
// were unloaded: that costs names of frames, but no event.
func (s *resolver) missed(p *program, key int64) {
	parts := &s.chunk.meta.parts
	switch {
	case key == 0: // there is none
	case p == parts.method || p == parts.class || p == parts.symbol:
		s.unnamed++
	default:
		s.missing++
	}
}

// read reports whether a cursor could read all of a constant, and counts it as missing
// if not.
func (s *resolver) read(c *cursor) bool {
	if c.err != nil {
		s.missing++
	}
	return c.err == nil
}

// class resolves a class's key to its name as Java writes it.
func (s *resolver) class(key int64) uint32 {
	if key == 0 {
		return 0
	}
	if id := s.known.classes.get(key); id != 0 {
		return id - 1
	}
	var v values
	id := uint32(0)
	if s.constant(s.chunk.meta.parts.class, key, &v) {
		id = s.classOf(s.symbol(s.chunk.meta.parts.class, &v))
		s.inPackage(s.ids.classes.List[id], v[slotPackage])
	}
	s.known.classes.set(key, id+1)
	return id
}

// waitClass resolves the key of the class of an object that threads wait for. Without its name the kind of
// the wait is not known, which is damage.
func (s *resolver) waitClass(key int64) uint32 {
	id := s.class(key)
	if id == 0 && key != 0 {
		s.missing++
	}
	return id
}

// classOf returns the class the JVM calls by a word.
func (s *resolver) classOf(word uint32) uint32 {
	ids := &s.ids
	for len(ids.named) <= int(word) {
		ids.named = append(ids.named, 0)
	}
	if ids.named[word] == 0 {
		ids.named[word] = s.intern(threaddump.JavaName(ids.words.List[word])) + 1
	}
	return ids.named[word] - 1
}

// symbol reads the name a constant refers to, as a word: a symbol, or the string itself
// in the files of some producers.
func (s *resolver) symbol(p *program, v *values) uint32 {
	if cl := s.chunk.meta.classes[p.pools[slotName]]; cl != nil && cl.name == "java.lang.String" {
		return s.word(v[slotName])
	}
	key := v[slotName]
	if word := s.known.symbols.get(key); word != 0 {
		return word - 1
	}
	var t values
	word := uint32(0)
	if s.constant(s.chunk.meta.parts.symbol, key, &t) {
		word = s.word(t[slotName])
	}
	s.known.symbols.set(key, word+1)
	return word
}

// intern numbers a class.
func (s *resolver) intern(name string) uint32 {
	id, added := s.ids.classes.Intern(name)
	if added {
		s.misspelled(name)
	}
	return id
}

// wordOf numbers a text that may repeat.
func (s *resolver) wordOf(text string) uint32 {
	id, _ := s.ids.words.Intern(text)
	return id
}

// text reads the string at an offset of the chunk.
func (s *resolver) text(at int64) string {
	if at <= 0 {
		return ""
	}
	c := s.chunk.cursor(int(at))
	text := c.str(func(key int64) string {
		t, ok := s.known.texts[key]
		if ok {
			return t
		}
		if where := s.chunk.pools[s.chunk.meta.parts.texts].get(key); where != 0 {
			inner := s.chunk.cursor(int(where - 1))
			t = inner.str(nil) // a constant that is a constant again ends here
			s.read(&inner)
		} else {
			s.missed(nil, key)
		}
		s.known.texts[key] = t
		return t
	})
	if s.read(&c) && garbled(text) {
		s.missing++
	}
	return text
}

// word is text for strings that repeat.
func (s *resolver) word(at int64) uint32 {
	if at <= 0 {
		return 0
	}
	c := s.chunk.cursor(int(at))
	if encoding, b, _ := c.raw(); plain(encoding, b) && !garbled(string(b)) {
		if id, ok := s.ids.words.IDs[string(b)]; ok { // as nearly always, and without a copy
			return id
		}
		return s.wordOf(string(b))
	}
	return s.wordOf(s.text(at))
}

// object resolves a lock, first seen by a thread at a stack.
func (s *resolver) object(
	class uint32,
	address int64,
	in space,
	kind format.LockKind,
	at format.StackID,
) format.ObjectID {
	k := objectKey{class, address, in}
	recent := &s.ids.recentObjects[k.slot()]
	if recent.id != format.NoObject && recent.key == k {
		return recent.id
	}
	id, ok := s.ids.objects[k]
	if !ok {
		s.ids.object++
		id = s.ids.object
		s.ids.objects[k] = id
		name := s.ids.classes.List[class]
		if name == "" {
			name = "[unknown class]"
		}
		ev := format.Event{Kind: format.KindObject, Object: id, Class: lockClass(name), LockKind: kind}
		switch in {
		case virtualSpace:
			ev.Name = fmt.Sprintf("%s (of virtual threads in %s)", name, s.ids.classes.List[address])
		case initSpace:
			ev.Name = s.ids.classes.List[address]
		default:
			ev.Hash, ev.Name = uint64(address), lockName(name, address, s.ids.frames[at])
		}
		s.queue.Push(ev)
	}
	recent.key, recent.id = k, id
	return id
}

// classify asks the rules once for each class and stack.
func (s *resolver) classify(class uint32, stack format.StackID) rules.Result {
	k := verdictKey{class, stack}
	recent := &s.ids.recentVerdicts[k.slot()]
	if recent.known && recent.key == k {
		return recent.verdict
	}
	v, ok := s.ids.verdict[k]
	if !ok {
		v = s.rules.Classify(s.ids.classes.List[class], s.ids.frames[stack])
		s.ids.verdict[k] = v
	}
	recent.key = k
	recent.known = true
	recent.verdict = v
	return v
}
