package analysis

import (
	"maps"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// WhyVisitor is a Visitor that also wants to know what the owners of some locks are
// inferred from. Both calls come before the slices, on the goroutine that reads.
type WhyVisitor interface {
	// Asks returns of which stretch of the waiting for a lock; an empty one for none.
	Asks(sym *Symbols, lock format.ObjectID) (from, to int64)
	// Why answers for a lock whose owners are inferred by the model.
	Why(lock format.ObjectID, why *Why)
}

// asks returns the question of the visitors that ask; nil for none. One asks per lock.
func (e *emitter) asks() func(format.ObjectID) (from, to int64) {
	ask := asking[WhyVisitor](e)
	if len(ask) == 0 {
		return nil
	}
	return func(lock format.ObjectID) (from, to int64) {
		for _, v := range ask {
			if from, to = v.Asks(e.out.sym, lock); from < to {
				break
			}
		}
		return from, to
	}
}

// tellWhy answers them.
func (e *emitter) tellWhy(tl *owners.Timelines) {
	for _, v := range asking[WhyVisitor](e) {
		for _, lock := range slices.Sorted(maps.Keys(tl.Whys)) {
			if from, to := v.Asks(e.out.sym, lock); from < to {
				w := tl.Whys[lock]
				v.Why(lock, &w)
			}
		}
	}
}
