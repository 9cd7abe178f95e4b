package analysis

import "contend/format"

// stretch takes a stretch of instants, and tells definers what they show of stacks.
// It returns how many events had wild times.
func (s *sampler) stretch(all *format.Samples, names definer) (wild int64) {
	if s.scenes.serial != all.Serial {
		for i := range all.Parts {
			bound(&all.Parts[i])
		}
	}
	s.scenes.open(all.Shown)
	for i := range all.Ticks {
		t := &all.Ticks[i]
		if wildly(t.Time) || wildly(t.Intended) || t.Weight > latest {
			wild += clampTick(t, len(all.Scenes[t.Scene]))
		}
		s.instant(t)
		sc, isNew := s.scenes.at(all.Shown, t.Scene)
		if isNew {
			for _, at := range all.Scenes[t.Scene] {
				names.use(&all.Parts[at])
				s.sees(&all.Parts[at])
			}
		}
		s.show(sc, all, t.Scene)
	}
	if all.Skipped != nil {
		s.skipped(all)
	}
	return wild
}

// skipped takes account of instants that were not read.
func (s *sampler) skipped(all *format.Samples) {
	b := all.Skipped
	s.samples += int(b.Ticks) - len(all.Ticks)
	s.threads = max(s.threads, int(b.Live))
	s.owned = s.owned || b.Holds&format.HoldsOwners != 0
	s.unowned = s.unowned || b.Holds&format.HoldsUnowned != 0
}

// window tells the source which stretch of time the filter leaves, once it is known
// and instants outside of it are no longer needed to know the period. What an
// instant stands for reaches no further than so many periods.
func (s *sampler) window(src format.Source) {
	if s.windowed || !s.e.begun || !s.told && !s.distances.full() {
		return
	}
	s.windowed = true
	f := &s.e.filter
	w, ok := src.(format.Windower)
	if !ok || f.From == format.NoTime && f.To == format.NoTime {
		return
	}
	far := reachCap * max(s.period, 1)
	w.Window(max(s.e.from, earliest+far)-far, min(s.e.to, latest-far)+far)
}

// show adds a scene to the instant at hand.
func (s *sampler) show(sc *scene, all *format.Samples, number uint32) {
	in := s.next
	if sc != nil && in.scene == nil && len(in.locks) == 0 && len(in.idlers) == 0 {
		in.scene = sc
		return
	}
	in.unfold() // a second tick of the same time, or a scene that is not remembered
	for _, at := range all.Scenes[number] {
		if ev := &all.Parts[at]; ev.Kind == format.KindContention {
			in.add().set(ev.Object, ev.Owners, ev.Waiters)
		} else {
			in.idlers = append(in.idlers, asideOf(ev))
		}
	}
}
