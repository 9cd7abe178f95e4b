package findings

import (
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// readers are the methods of the JDK's synchronized classes that only read, by
// what their documents say of them. Of a program's own sections no trace tells
// whether they do.
var readers = [...]struct {
	class   string // as it begins
	methods []string
}{
	{"java.util.Hashtable", []string{"get", "getOrDefault", "contains", "containsKey", "containsValue", "size", "isEmpty", "keys", "elements", "toString", "hashCode", "equals"}},
	{"java.util.Vector", []string{"get", "elementAt", "firstElement", "lastElement", "contains", "indexOf", "lastIndexOf", "size", "capacity", "isEmpty", "toArray", "copyInto", "toString", "hashCode", "equals", "containsAll"}},
	{"java.util.Stack", []string{"peek", "search"}},
	{"java.util.Collections$Synchronized", []string{"get", "getOrDefault", "contains", "containsKey", "containsValue", "containsAll", "indexOf", "lastIndexOf", "size", "isEmpty", "toArray", "toString", "hashCode", "equals", "first", "last", "firstKey", "lastKey"}},
	{"java.lang.StringBuffer", []string{"length", "capacity", "charAt", "codePointAt", "substring", "subSequence", "indexOf", "lastIndexOf", "toString", "getChars"}},
	{"java.io.ByteArrayOutputStream", []string{"toByteArray", "size", "toString", "writeTo"}},
}

// reading returns the method of the JDK that a stack is in and that only reads
// under its lock; "" where it is in none. It is the frame inside of the
// program's own code.
func (v *Evidence) reading(id format.StackID) string {
	s := v.stacks.At(int(id))
	if s.read || id == format.NoStack {
		return s.reads
	}
	s.read = true
	for _, f := range v.sym.Frames(id) {
		if v.sites.Own(f) {
			break
		}
		s.reads = ""
		for _, r := range readers {
			if strings.HasPrefix(f.Class, r.class) && slices.Contains(r.methods, f.Method) {
				s.reads = analysis.MethodName(f)
			}
		}
	}
	return s.reads
}

// reader reports whether a waiter wants to read.
func (v *Evidence) reader(w *analysis.Waiter) bool {
	return w.Mode == format.Exclusive && v.reading(w.Stack) != ""
}

// readersOf counts the waiters that want to read.
func (v *Evidence) readersOf(waiters []analysis.Waiter) (n int64) {
	for i := range waiters {
		if v.reader(&waiters[i]) {
			n++
		}
	}
	return n
}

// readMostly finds exclusive locks at which readers wait for readers: by
// definition these need not exclude each other. Confidence is not high, as a
// collection may change when it is read (one in order of access).
func readMostly(v *Evidence, t *Trace) (out []Finding) {
	v.each(func(id format.ObjectID, l *lockSeen) {
		if l.reads == nil || l.reads.ns == 0 {
			return
		}
		f := v.about(ReadMostly, id, l.reads)
		f.Site = v.sites.Names().Name(l.spread.site)
		f.Evidence = percent(l.reads.ns, l.spread.ns) + " of the waiting for it is of readers for readers"
		f.Confidence = min(confidence(&f), Medium)
		out = append(out, f)
	})
	return out
}
