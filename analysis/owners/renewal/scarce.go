package renewal

// What a model is learnt from does not show who takes a lock again without having waited, nor
// that a section lasts because its thread has no processor: stretches made of these are free
// by the model. Where something else tells how much is, each stretch keeps its part of that,
// and the rest goes to those the model has in the stretch. Where it has nobody, to who got the
// lock there, the only one who is known to have had it, else to sections as they usually are.

// Spare leaves no more free of what is free by the model than a share of it.
func (s *Splitter) Spare(share float64) { s.spare = share }

// scarce makes less of a gap free than the model has it.
func (s *Splitter) scarce(g *Gap, p *Parts) {
	by, was := &s.partsFree, p.First
	*by = Parts{Others: zeros(by.Others, s.m.sites), Free: s.stays(p.Free)}
	switch {
	case p.Free < g.Length:
	case g.Site >= 0 && g.Gone == 0:
		by.First = g.Length - by.Free
	default:
		by.Free += s.usually(by.Others, g.Length-by.Free)
	}
	p.free(by, g.Length)
	if most := max(g.Gone, was); g.Gone > 0 && p.First > most {
		p.First, p.Free = most, p.Free+p.First-most
	}
	p.SureFirst = s.longer(was, p.First, p.SureFirst)
}

// scarceMet does the same of a stretch that threads ran into.
func (s *Splitter) scarceMet(a *Arrival, met *Met) {
	by := &s.metFree
	*by = Met{First: zeros(by.First, s.m.sites), Others: zeros(by.Others, s.m.sites), Free: s.stays(met.Free)}
	if met.Free == a.Length {
		by.Free += s.usually(by.First, a.Length-by.Free)
	}
	met.free(by, a.Length)
}

// stays returns how much of what is free by the model stays so.
func (s *Splitter) stays(ns int64) int64 { return int64(s.spare * float64(ns)) }

// usually divides a stretch as sections usually are, and returns what is left. One is longer
// than nothing, however coarse the cells are.
func (s *Splitter) usually(by []int64, length int64) (left int64) {
	total := 0.0
	for site, w := range s.m.mixes[0] {
		total += w * float64(s.m.usual[site]+1)
	}
	left = length
	for site, w := range s.m.mixes[0] {
		by[site] = min(int64(float64(length)*w*float64(s.m.usual[site]+1)/total), left)
		left -= by[site]
	}
	return left
}

// longer returns how much is right of a section that was made longer: of what came to it as
// much as is not free, and of that half, for it may as well be another's.
func (s *Splitter) longer(was, is int64, sure float64) float64 {
	if is <= was {
		return sure
	}
	return (sure*float64(was) + (1-s.spare)/2*float64(is-was)) / float64(is)
}
