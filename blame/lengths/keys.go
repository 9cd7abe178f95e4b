package lengths

import (
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/analysis/dist"
	"contend/format"
)

// key is one thing waits can be told apart by.
type key struct {
	name string
	id   func(sym *analysis.Symbols, lock format.ObjectID, w *analysis.Waiter) uint32
	text func(sym *analysis.Symbols, id uint32) string
}

// keys are all there are. Keys of owners are missing on purpose: a wait has
// one length, but may have many owners.
var keys = []key{
	{"class",
		func(sym *analysis.Symbols, lock format.ObjectID, _ *analysis.Waiter) uint32 { return sym.Class(lock) },
		func(sym *analysis.Symbols, id uint32) string { return sym.Classes().Name(id) }},
	{"lock",
		func(_ *analysis.Symbols, lock format.ObjectID, _ *analysis.Waiter) uint32 { return uint32(lock) },
		func(sym *analysis.Symbols, id uint32) string { return sym.LockName(format.ObjectID(id)) }},
	{"waiter-method",
		func(sym *analysis.Symbols, _ format.ObjectID, w *analysis.Waiter) uint32 { return sym.Method(w.Stack) },
		func(sym *analysis.Symbols, id uint32) string { return sym.Methods().Name(id) }},
	{"waiter-thread",
		func(_ *analysis.Symbols, _ format.ObjectID, w *analysis.Waiter) uint32 { return uint32(w.Thread) },
		func(sym *analysis.Symbols, id uint32) string { return sym.ThreadName(format.ThreadID(id)) }},
	{"waiter-group",
		func(sym *analysis.Symbols, _ format.ObjectID, w *analysis.Waiter) uint32 { return sym.Group(w.Thread) },
		func(sym *analysis.Symbols, id uint32) string { return sym.Groups().Name(id) }},
	{"mode",
		func(_ *analysis.Symbols, _ format.ObjectID, w *analysis.Waiter) uint32 { return uint32(w.Mode) },
		func(_ *analysis.Symbols, id uint32) string { return format.Mode(id).String() }},
	{dist.InputKey,
		func(sym *analysis.Symbols, _ format.ObjectID, w *analysis.Waiter) uint32 { return sym.Input(w.Thread) },
		func(sym *analysis.Symbols, id uint32) string { return sym.Inputs().Name(id) }},
}

// maxKeys is how many keys a row can have: all of them.
const maxKeys = 7

// ids are what a wait has for each key, in the order asked for.
type ids [maxKeys]uint32

// Keys returns the names of the keys.
func Keys() []string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].name
	}
	return names
}

// parseKeys reads a comma-separated list of keys. The error names the key
// that does not exist, or comes twice, and the ones that do.
func parseKeys(list string) ([]key, error) {
	var out []key
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		same := func(k key) bool { return k.name == word }
		i := slices.IndexFunc(keys, same)
		if i < 0 {
			return nil, fmt.Errorf("no key is called %q; there are %s", word, strings.Join(Keys(), ", "))
		}
		if slices.ContainsFunc(out, same) {
			return nil, fmt.Errorf("key %q comes twice", word)
		}
		out = append(out, keys[i])
	}
	return out, nil
}
