package compare

import (
	"strings"

	"contend/analysis"
)

// ownerName names an owner by its call chain: without line numbers, which any
// edit of a file moves, and without the frames of the lock and the runtime,
// which differ between versions of a JVM.
func ownerName(sym *analysis.Symbols, o analysis.Owner) string {
	frames := sym.Frames(o.Stack)
	if o.Kind != analysis.OwnerThread || len(frames) == 0 {
		return sym.OwnerText(o)
	}
	var names []string
	for _, f := range frames {
		if !analysis.RuntimeFrame(f) {
			names = append(names, stable(analysis.MethodName(f)))
		}
	}
	if len(names) == 0 { // nothing else is known of it
		return stable(analysis.MethodName(frames[0]))
	}
	return strings.Join(names, " < ")
}

// chainName names a chain of waits: who waits, for a lock of which class,
// whose owner waits in turn, and who holds the last one.
func chainName(sym *analysis.Symbols, s *analysis.Slice, sh *analysis.Share) string {
	method := func(id uint32) string { return stable(sym.Methods().Name(id)) }
	parts := []string{method(sym.Method(s.Stack)), "(" + stable(sym.ClassName(s.Lock)) + ")"}
	for _, h := range sh.Path {
		parts = append(parts, method(sym.Method(h.Stack)), "("+stable(sym.ClassName(h.Lock))+")")
	}
	if sh.Root.Kind == analysis.OwnerThread {
		parts = append(parts, method(sym.Method(sh.Root.Stack)))
	} else {
		parts = append(parts, analysis.PseudoOwner(sh.Root.Kind, sh.Root.Cycle))
	}
	return strings.Join(parts, " -> ")
}

// stable removes from a name what a JVM draws anew at each start: the number
// and address of a hidden class, as in App$$Lambda/0x00007f1c2c0a1bc8.run or
// App$$Lambda$14+0x0000000800c03000.1234.
func stable(name string) string {
	for _, mark := range [...]string{"$$Lambda", "LambdaForm$", "GeneratedMethodAccessor", "GeneratedConstructorAccessor", "$Proxy"} {
		i := strings.Index(name, mark)
		if i < 0 {
			continue
		}
		end := i + len(mark)
		rest := name[end:]
		if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
			return name[:end] + rest[dot:]
		}
		return name[:end]
	}
	return name
}
