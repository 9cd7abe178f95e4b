package renewal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// program is a lock whose call sites have sections of known lengths.
type program struct {
	holds   []float64 // median, in us
	spread  float64   // of their logarithms
	mix     []float64
	wake    float64 // median time until a woken thread has the lock, in us
	barging float64 // chance that a thread takes the free lock first
	think   float64 // us from a release until its thread is seen elsewhere; 0 for never
	named   bool    // acquisitions name the last owner, one of many
	rare    int     // one in so many sections of the first site takes a hundred times as long; 0 for none
}

// truth is what a lock's time went to, in ns.
type truth struct {
	sites []float64
	free  float64
}

// run lets waiters get the lock n times.
func (p *program) run(n int) (gaps []Gap, want truth) {
	r := rand.New(rand.NewPCG(1, 2))
	want.sites = make([]float64, len(p.holds))
	about := func(median, spread float64) float64 { return 1e3 * median * math.Exp(spread*r.NormFloat64()) }
	pick := func() int {
		x := r.Float64()
		for s, w := range p.mix {
			if x -= w; x < 0 {
				return s
			}
		}
		return 0
	}
	hold := func(s int) float64 {
		h := about(p.holds[s], p.spread)
		if p.rare > 0 && s == 0 && r.IntN(p.rare) == 0 {
			h *= 100
		}
		want.sites[s] += h
		return h
	}
	for range n {
		g := Gap{Site: pick()}
		length := hold(g.Site)
		if p.think > 0 {
			g.Gone = int64(length + about(p.think, 0.5))
		}
		if p.named {
			g.Last = LastSame
		}
		for {
			w := about(p.wake, 0.7)
			if barged := r.Float64() < p.barging; barged {
				w *= r.Float64()
				want.free += w
				length += w + hold(pick())
				if p.named {
					g.Last = LastOther
				}
				continue
			}
			want.free += w
			length += w
			break
		}
		g.Length = int64(length)
		if g.Gone >= g.Length {
			g.Gone = 0
		}
		gaps = append(gaps, g)
	}
	return gaps, want
}

// distance is the total variation distance of the shares of all that gaps are
// made of.
func distance(got, want truth) float64 {
	a, b := got.free, want.free
	for s := range got.sites {
		a, b = a+got.sites[s], b+want.sites[s]
	}
	d := math.Abs(got.free/a-want.free/b) / 2
	for s := range got.sites {
		d += math.Abs(got.sites[s]/a-want.sites[s]/b) / 2
	}
	return d
}

func (m *Model) total(gaps []Gap) (got truth) {
	got.sites = make([]float64, m.sites)
	for _, g := range gaps {
		var p Parts
		m.Splitter().Split(&g, &p)
		got.sites[g.Site] += float64(p.First)
		got.free += float64(p.Free)
		for s, ns := range p.Others {
			got.sites[s] += float64(ns)
		}
	}
	return got
}

func TestGapsDivideAsTheyWereMade(t *testing.T) {
	short := program{holds: []float64{5, 50, 500, 2000}, spread: 0.1, mix: []float64{0.7, 0.18, 0.1, 0.02}, wake: 80, barging: 0.4}
	for name, c := range map[string]struct {
		of    func(*program)
		gaps  int
		worst float64
	}{
		"sections of several lengths":         {func(p *program) { p.think = 50 }, 3000, 0.11},
		"last owners are named":               {func(p *program) { p.think, p.named = 50, true }, 3000, 0.11},
		"nobody barges in":                    {func(p *program) { p.think, p.barging, p.named = 50, 0.02, true }, 3000, 0.14},
		"sections of varying lengths":         {func(p *program) { p.think, p.spread = 50, 0.7 }, 3000, 0.18},
		"few gaps":                            {func(p *program) { p.think = 50 }, 60, 0.21},
		"few sections that take far longer":   {func(p *program) { p.think, p.rare = 50, 150 }, 3000, 0.09},
		"threads are not seen after releases": {func(p *program) {}, 3000, 0.21},
	} {
		t.Run(name, func(t *testing.T) {
			p := short
			c.of(&p)
			gaps, want := p.run(c.gaps)
			got := Learn(&Data{Gaps: gaps}, len(p.holds), []Mix{p.mix}).total(gaps)
			d := distance(got, want)
			t.Logf("distance %.3f, free %.0f of %.0f, sections %.0f of %.0f", d, got.free/1e6, want.free/1e6, got.sites, want.sites)
			if !(d <= c.worst) {
				t.Errorf("distance %.3f, want at most %.2f: free %.0f, want %.0f; sections %.0f, want %.0f", d, c.worst, got.free, want.free, got.sites, want.sites)
			}
		})
	}
}

// Every part of a gap is charged once.
func TestPartsSumToTheGap(t *testing.T) {
	p := program{holds: []float64{5, 500}, spread: 0.3, mix: []float64{0.8, 0.2}, wake: 80, barging: 0.4, think: 50, named: true, rare: 50}
	gaps, _ := p.run(500)
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{p.mix})
	for _, g := range gaps {
		for _, least := range []int64{0, g.Length / 3} {
			g.Least = least
			if least > 0 {
				g.Gone = 0
			}
			var parts Parts
			m.Splitter().Split(&g, &parts)
			sum := parts.First + parts.Free
			for _, ns := range parts.Others {
				if ns < 0 {
					t.Fatalf("%+v of %+v", parts, g)
				}
				sum += ns
			}
			if sum != g.Length || parts.First < 0 || parts.Free < 0 || parts.SureFirst > 1.001 || parts.SureRest > 1.001 {
				t.Fatalf("%+v sums to %d of %+v", parts, sum, g)
			}
		}
		a := Arrival{Site: g.Site, Elapsed: g.Length / 4, Length: g.Length, Busy: 0.5, Last: g.Last}
		var met Met
		m.Splitter().Meet(&a, &met)
		sum := met.Own + met.Free
		for s := range met.First {
			sum += met.First[s] + met.Others[s]
		}
		if sum != a.Length || met.Own < 0 || met.Free < 0 {
			t.Fatalf("%+v sums to %d of %+v", met, sum, a)
		}
	}
}

// Who runs into a taken lock mostly meets a long section: it is there longer.
func TestArrivalsMeetLongSections(t *testing.T) {
	p := program{holds: []float64{50, 2000}, spread: 0.1, mix: []float64{0.9, 0.1}, wake: 50, barging: 0.4, think: 50}
	gaps, _ := p.run(3000)
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{p.mix})
	var met Met
	m.Splitter().Meet(&Arrival{Site: -1, Length: 1e6, Busy: 1}, &met)
	if met.First[1] < 9*met.First[0] || met.First[1] < 5e5 {
		t.Errorf("%+v", met)
	}
	m.Splitter().Meet(&Arrival{Site: 1, Elapsed: 1e6, Length: 95e4, Busy: 0.1}, &met)
	if met.Own < 6e5 {
		t.Errorf("a section half over is met: %+v", met)
	}
}

// Among gaps longer than all others together, the longest are not of sections
// of a tenth of their length, however much more frequent those are.
func TestLongestSectionsAreToldApart(t *testing.T) {
	p := program{holds: []float64{2e3, 20e3, 200e3}, spread: 0.1, mix: []float64{0.9955, 0.004, 0.0005}, wake: 50, barging: 0.3, think: 50}
	gaps, _ := p.run(16000)
	m := Learn(&Data{Gaps: gaps}, 3, []Mix{p.mix})
	var parts Parts
	if m.Splitter().Split(&Gap{Site: 0, Length: 2e8}, &parts); parts.Others[2] < 3*parts.Others[1] {
		t.Errorf("of 200 ms after a short section: %+v", parts)
	}
	if m.Splitter().Split(&Gap{Site: 2, Length: 2e8}, &parts); parts.First < 15e7 {
		t.Errorf("of 200 ms after a long section: %+v", parts)
	}
}

// One section that takes more time than all others together is still one, and
// leaves the others their lengths.
func TestOneLongSectionHidesNoOthers(t *testing.T) {
	p := program{holds: []float64{15, 150}, spread: 0.5, mix: []float64{0.8, 0.2}, wake: 20, barging: 0.3, think: 50, named: true}
	gaps, _ := p.run(1000)
	m := Learn(&Data{Gaps: append(gaps, Gap{Site: 1, Length: 2e8, Last: LastSame})}, 2, []Mix{p.mix})
	var parts Parts
	if m.Splitter().Split(&Gap{Site: 1, Length: 2e8, Last: LastSame}, &parts); parts.First < 15e7 {
		t.Errorf("of 200 ms that nobody else was seen in: %+v", parts)
	}
	if a, b := m.mean(0), m.mean(1); a > 40e3 || b < 3*a {
		t.Errorf("sections of 15 and 150 us are taken for %d and %d ns", a, b)
	}
}

// Who waits met somebody, be the lock ever so rarely taken: that it was free
// all the time is no better explained by a lock that mostly is.
func TestWhoWaitsMetSomebody(t *testing.T) {
	p := program{holds: []float64{50, 20e3}, spread: 0.1, mix: []float64{0.995, 0.005}, wake: 50, barging: 0.4, think: 50}
	gaps, _ := p.run(3000)
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{p.mix})
	var often, rarely Met
	m.Splitter().Meet(&Arrival{Site: -1, Length: 8e7, Busy: 0.9}, &often)
	m.Splitter().Meet(&Arrival{Site: -1, Length: 8e7, Busy: 0.001}, &rarely)
	if often.Free != rarely.Free || often.First[1] != rarely.First[1] {
		t.Errorf("a lock that is mostly taken: %+v, one that is mostly free: %+v", often, rarely)
	}
}

// Of woken threads that mostly run at once and sometimes take long, others have the lock
// while it takes long: how long that is tells what was free between their sections. Who
// learns it from the others alone finds nothing free; a quarter is missed still.
func TestWhatWasFreeAfterOthersCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const hold, between = 20e3, 400e3
	var gaps []Gap
	free, all := 0.0, 0.0
	for range 3000 {
		wake := 30e3 * r.ExpFloat64()
		if r.Float64() < 0.2 {
			wake = 1.5e6 * r.ExpFloat64()
		}
		g, length := Gap{}, hold
		for left := wake; ; {
			came := between * r.ExpFloat64()
			if came > left {
				length += left
				break
			}
			g.Last, length, left = LastOther, length+came+hold, max(left-came-hold, 0)
			free -= hold
		}
		g.Length = int64(length)
		gaps = append(gaps, g)
		free, all = free+length-hold, all+length
	}
	got := Learn(&Data{Gaps: gaps}, 1, []Mix{{1}}).total(gaps)
	if off := got.free/all - free/all; math.Abs(off) > 0.3 {
		t.Errorf("%.3f of the time is free, want %.3f", got.free/all, free/all)
	}
}
