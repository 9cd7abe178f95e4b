package findings

import (
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// readers are the methods of the JDK's synchronized classes that only read, by their
// documentation. No trace shows whether a section of a program only reads.
var readers = [...]struct {
	class   string // prefix of the name
	methods []string
}{
	{
		"java.util.Hashtable",
		[]string{
			"get",
			"getOrDefault",
			"contains",
			"containsKey",
			"containsValue",
			"size",
			"isEmpty",
			"keys",
			"elements",
			"toString",
			"hashCode",
			"equals",
		},
	},
	{
		"java.util.Vector",
		[]string{"get", "elementAt", "firstElement", "lastElement", "contains", "indexOf", "lastIndexOf",
			"size", "capacity", "isEmpty", "toArray", "copyInto", "toString", "hashCode", "equals", "containsAll"},
	},
	{"java.util.Stack", []string{"peek", "search"}},
	{
		"java.util.Collections$Synchronized",
		[]string{"get", "getOrDefault", "contains", "containsKey", "containsValue", "containsAll",
			"indexOf", "lastIndexOf", "size", "isEmpty", "toArray", "toString", "hashCode", "equals", "first",
			"last", "firstKey", "lastKey"},
	},
	{
		"java.lang.StringBuffer",
		[]string{
			"length",
			"capacity",
			"charAt",
			"codePointAt",
			"substring",
			"subSequence",
			"indexOf",
			"lastIndexOf",
			"toString",
			"getChars",
		},
	},
	{"java.io.ByteArrayOutputStream", []string{"toByteArray", "size", "toString", "writeTo"}},
}

// reading returns the reading method of the JDK that a stack is in: the outermost frame inside
// the program's own code. It is "" for none.
func (v *Evidence) reading(id format.StackID) string {
	s := v.stacks.Entry(int(id))
	if s.readKnown || id == format.NoStack {
		return s.readMethod
	}
	s.readKnown = true
	for _, f := range v.sym.Frames(id) {
		if v.sites.IsOwnCode(f) {
			break
		}
		s.readMethod = ""
		for _, r := range readers {
			if strings.HasPrefix(f.Class, r.class) && slices.Contains(r.methods, f.Method) {
				s.readMethod = analysis.MethodName(f)
			}
		}
	}
	return s.readMethod
}

// reader reports whether a waiter only reads.
func (v *Evidence) reader(w *analysis.Waiter) bool {
	return w.Mode == format.Exclusive && v.reading(w.Stack) != ""
}

// readersOf counts the readers among waiters.
func (v *Evidence) readersOf(waiters []analysis.Waiter) (n int64) {
	for i := range waiters {
		if v.reader(&waiters[i]) {
			n++
		}
	}
	return n
}

// readMostly finds exclusive locks at which readers wait for readers, which need not exclude
// each other. Confidence is at most medium: a read may change the collection, as with access
// order.
func readMostly(v *Evidence, t *Trace) (out []Finding) {
	v.each(func(id format.ObjectID, l *lockEvidence) {
		if l.reads == nil || l.reads.ns == 0 {
			return
		}
		f := v.about(ReadMostly, id, l.reads)
		f.Site = v.sites.Names().Value(l.spread.site)
		f.Evidence = percent(l.reads.ns, l.spread.ns) + " of the waiting for it is of readers for readers"
		if f.Confidence = confidence(&f); f.Confidence == High {
			f.Confidence = Medium
		}
		out = append(out, f)
	})
	return out
}
