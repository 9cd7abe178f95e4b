package jfr

import (
	"bytes"
	"strings"
	"sync"

	"contend/decode/rules"
)

// Constants have no checksum, but they repeat themselves. A healthy recording of any
// producer never contradicts itself in these:
//   - a symbol is referred to (checkSymbols; JDK 8 and 11 may leave out one that is);
//   - a key has one value in a checkpoint (layout.go);
//   - one bytecode of a method is of one line (sameLine);
//   - the name of a class begins with that of its package (inPackage);
//   - the two names of a thread are equal, or entirely different, and no thread of
//     another name has its Java id (thread): compiler threads that come and go share one;
//   - no name differs in one byte from one that the rules know (misspelled).

// checkSymbols compares the symbols of the chunk with the references to them.
func (c *chunk) checkSymbols() {
	p := c.meta.parts.symbol
	if p == nil || !isSymbol(p.class) || c.unfinished || len(c.losses) > 0 {
		return // there are none, or some are missing anyway
	}
	symbols := &c.pools[p.pool]
	for key := range symbols.all {
		if c.named.get(key) == 0 && !c.isLocation(p, int(symbols.get(key))-1) {
			c.flawed(0, "a checkpoint holds a name to which nothing refers")
			return
		}
	}
}

// isSymbol reports whether a class is the class of symbols.
func isSymbol(cl *class) bool { return cl != nil && strings.HasSuffix(cl.name, ".Symbol") }

// isLocation reports whether the symbol at an offset is the URL of a module or of a source
// of code, which events refer to, or which outlives the module.
func (c *chunk) isLocation(p *program, at int) bool {
	var v values
	cur := c.cursor(at)
	p.run(&cur, &v)
	cur = c.cursor(int(v[slotName]))
	encoding, text, _ := cur.raw()
	return plain(encoding, text) && bytes.IndexByte(text, ':') >= 0
}

// sameLine counts a frame as damaged if another frame has a different line for its
// bytecode.
func (s *resolver) sameLine(v *values) {
	if s.known.lines.differs(v[slotMethod]<<16^v[slotBytecode], uint32(max(int32(v[slotLine]), 0))+1) {
		s.missing++
	}
}

// differs notes the value of a key, other than zero, and reports whether it had another.
func (t *table) differs(key int64, value uint32) bool {
	before := t.get(key)
	if before == 0 {
		t.set(key, value)
	}
	return before != 0 && before != value
}

// inPackage counts a class as damaged if its name does not begin with the name of its
// package.
func (s *resolver) inPackage(name string, key int64) {
	p := s.chunk.meta.parts.pack
	var v values
	if key == 0 || p == nil || s.chunk.pools[p.pool].get(key) == 0 || !s.constant(p, key, &v) {
		return
	}
	pack := strings.ReplaceAll(s.ids.words.List[s.symbol(p, &v)], "/", ".")
	if pack != "" && !strings.HasPrefix(name, pack+".") {
		s.missing++
	}
}

// misspelled counts a name as damaged that begins with a name of the rules, except for one
// byte.
func (s *resolver) misspelled(name string) {
	for _, known := range ruled() {
		if len(name) >= len(known) && nearly(name[:len(known)], known) {
			s.missing++
			return
		}
	}
}

// ruled are the beginnings of the names of Java that the rules know, and of the states
// and operations this package asks for.
var ruled = sync.OnceValue(func() []string {
	out := []string{"STATE_RUNNABLE", "STATE_DEFAULT", "PrintThreads"}
	for _, pattern := range strings.Fields(string(rules.Text())) {
		if name := strings.TrimRight(strings.Split(pattern, "*")[0], "."); strings.Count(name, ".") > 1 &&
			len(name) > minRuled {
			out = append(out, name)
		}
	}
	return out
})

// minRuled is the length up to which other names differ in one byte by chance.
const minRuled = 14

// nearly reports whether texts of one length differ in one byte.
func nearly(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := 0; i < len(a) && differ < 2; i++ {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 1
}
