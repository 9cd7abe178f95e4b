package findings

import "contend/format"

// pausedHolding finds locks that are waited for while a garbage collection has stopped their
// owners, by the recorded pauses, which are exact.
func pausedHolding(v *Evidence, _ *Trace) (out []Finding) {
	v.each(func(id format.ObjectID, l *lockEvidence) {
		if l.paused == nil || l.paused.ns == 0 {
			return
		}
		f := v.about(PausedHolding, id, l.paused)
		f.Evidence = percent(l.paused.ns, l.spread.ns) + " of the waiting for it is such time"
		f.Confidence = High
		out = append(out, f)
	})
	return out
}
