package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// maxNearest is how many names are offered for one that matches nothing.
const maxNearest = 3

// noMatch warns of an expression that matches no name of the trace, because an empty answer
// would look like a healthy program. It returns the warning.
func (e *env) noMatch(x *expression, all func() []string) (said string) {
	if x.re == nil {
		return ""
	}
	names := slices.DeleteFunc(all(), func(name string) bool {
		return name == "" || strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]")
	})
	if len(names) == 0 || slices.ContainsFunc(names, x.re.MatchString) {
		return ""
	}
	said = fmt.Sprintf("--%s %s matches nothing in the input", x.flag, x.text)
	if near := blame.TheNearest(x.text, names, maxNearest); near != "" {
		said += "; " + near
	} else {
		said += "; there are " + strings.Join(names[:min(len(names), maxNearest)], ", ")
	}
	e.warn(said)
	return said
}

// unmatched warns of filters that match no name of the trace. It returns the last warning.
func (o *traceOptions) unmatched(e *env, lock *expression, sym *analysis.Symbols) (said string) {
	if !o.how.lenient {
		e = &env{msg: io.Discard} // the error has the message
	}
	said = e.noMatch(
		&o.class,
		namesOf(sym.Classes().Len(), func(i int) string { return sym.Classes().Value(uint32(i)) }),
	)
	said = cmp.Or(
		e.noMatch(lock, namesOf(sym.Objects()+1, func(i int) string { return sym.LockName(format.ObjectID(i)) })),
		said,
	)
	return cmp.Or(
		e.noMatch(
			&o.thread,
			namesOf(sym.Threads()+1, func(i int) string { return sym.ThreadName(format.ThreadID(i)) }),
		),
		said,
	)
}

func namesOf(n int, name func(int) string) func() []string {
	return func() []string {
		names := make([]string, n)
		for i := range names {
			names[i] = name(i)
		}
		return names
	}
}

// frameNames are the methods of all stacks, each once.
func frameNames(sym *analysis.Symbols) func() []string {
	return func() (names []string) {
		seen := map[string]bool{}
		sym.EachFrame(func(f format.Frame) {
			if name := analysis.MethodName(f); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		})
		return names
	}
}
