package findings

import (
	"fmt"

	"contend/blame/locks"
	"contend/format/human"
)

// exhaustedPools finds pools without free objects or permits. A wait for one means that,
// because a thread that finds a free one takes it. Waits for resources count beside those for
// locks.
func exhaustedPools(v *Evidence, t *Trace) (out []Finding) {
	for _, p := range v.Pools() {
		f := Finding{
			Kind:       PoolExhausted,
			Class:      p.What,
			Site:       p.Site,
			WaitNs:     p.Waited.WaitNs,
			Threads:    p.Waited.Waiters,
			Confidence: High,
		}
		f.Evidence = fmt.Sprintf(
			"%s of %s",
			human.Some(int(p.Waited.Waits), "wait", "waits"),
			human.Some(p.Waited.Waiters, "thread", "threads"),
		)
		if ns := p.EmptyNs; ns > 0 { // 0 where only samples tell
			f.Evidence += fmt.Sprintf(": nothing was left for %s", human.Duration(ns))
			if t.ElapsedNs > 0 {
				f.Evidence += fmt.Sprintf(", %s of the time", percent(ns, t.ElapsedNs))
			}
		}
		if t.Holders != nil {
			f.Evidence += heldBy(t.Holders(p.Stack))
		}
		out = append(out, f)
	}
	return out
}

// heldBy names the main holder of a pool's objects, as a part of a sentence; "" if none is known.
func heldBy(list []locks.Holder) string {
	if len(list) == 0 {
		return ""
	}
	said := fmt.Sprintf("; %.1f threads on average held one since %s", list[0].Threads, list[0].Site)
	if list[0].Doing != "" {
		said += ", " + list[0].Doing
	}
	return said
}
