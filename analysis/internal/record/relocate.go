package record

import (
	"maps"
	"slices"
	"time"

	"contend/analysis"
	"contend/analysis/moved"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
	"contend/format/human"
)

// relocated counts the locks that a garbage collector moved.
type relocated struct {
	locks, addresses int // locks that moved, and the addresses they were recorded at
	doubtful         int
	ns               int64 // waiting for the doubtful ones
}

// Relocate merges the addresses of each moved lock, before owners are inferred: a wait at
// the new address then finds the owner from the old one. It reports how many there are.
func (r *Record) Relocate(defs *analysis.Definer) []format.Warning {
	var out relocated
	r.Evidence.Same = map[format.ObjectID]format.ObjectID{}
	sym := defs.Symbols()
	of := r.movable(sym)
	for i := range r.Parts {
		waits := func(f func(moved.Wait)) {
			of[i].Each(func(_ column.Ref, w *moved.Wait) { f(*w) })
		}
		found := moved.Find(
			waits,
			r.Parts[i].collections,
			func(l format.ObjectID) (uint32, bool) { return addressed(sym, l) },
		)
		maps.Copy(r.Evidence.Same, found.Same)
		for lock, n := range found.Joined() {
			defs.Moved(lock, n)
			out.locks++
			out.addresses += n
		}
		out.doubtful += found.Doubtful
		out.ns += found.NS
	}
	return out.warnings()
}

// movable returns, by input, the waits for locks that a collection may have moved.
func (r *Record) movable(defs *analysis.Symbols) []column.Column[moved.Wait] {
	of := make([]column.Column[moved.Wait], len(r.Parts))
	if !slices.ContainsFunc(r.Parts, func(p Part) bool { return len(p.collections) > 0 }) {
		return of
	}
	r.Evidence.EachWait(func(w *owners.Activity) {
		i := 0
		if len(r.Parts) > 1 {
			i = r.Evidence.InputOf(w.Lock)
		}
		if _, ok := addressed(defs, w.Lock); ok && len(r.Parts[i].collections) > 0 {
			of[i].Append(moved.Wait{Lock: w.Lock, Stack: w.Stack, Start: w.Start, End: w.End})
		}
	})
	return of
}

// addressed returns the class of a lock that is named by an address which a collector
// changes. Monitors are named by the address of a structure of the JVM, which stays.
func addressed(defs *analysis.Symbols, l format.ObjectID) (class uint32, ok bool) {
	o := defs.Object(l)
	switch o.Kind {
	case format.KindSynchronizer, format.KindReadWriteLock, format.KindSemaphore:
		return o.Class, o.Hash != 0
	}
	return 0, false
}

// warnings reports the merged locks, and locks that may have moved.
func (m *relocated) warnings() (out []format.Warning) {
	switch {
	case m.locks == 1:
		out = append(
			out,
			format.Warning{
				Code: format.CodeJoinedLocks,
				Text: human.Say("garbage collections moved a lock: %v addresses are one lock here", m.addresses),
			},
		)
	case m.locks > 1:
		out = append(
			out,
			format.Warning{
				Code: format.CodeJoinedLocks,
				Text: human.Say(
					"garbage collections moved locks: %v addresses are %v locks here",
					m.addresses,
					m.locks,
				),
			},
		)
	}
	if m.doubtful > 0 {
		out = append(out, format.Warning{
			Code: format.CodeMovedLocks,
			Text: human.Say(
				"%s (%v of waiting) may be others that a garbage collection moved: sum by class",
				human.Some(m.doubtful, "lock", "locks"),
				time.Duration(m.ns),
			),
		})
	}
	return out
}
