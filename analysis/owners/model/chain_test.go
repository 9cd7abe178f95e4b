package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// matrices are a gap's hidden Markov chain written out: its cells last as long as exponential
// clocks run, so that each is a resolvent.
type matrices struct {
	rate  [][]float64 // from state to state, per ns
	out   []float64   // leaves each state, per ns
	first []float64
	last  []float64
	likes [][]float64 // by cell and state
	cells []float64   // ns
}

// solve returns x with (1 + dt*(out - rate)) x = b, or its transpose, by elimination.
func (m *matrices) solve(dt float64, b []float64, transposed bool) []float64 {
	n := len(b)
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n+1)
		for j := range n {
			r := m.rate[j][i]
			if transposed {
				r = m.rate[i][j]
			}
			a[i][j] = -dt * r
		}
		a[i][i] += 1 + dt*m.out[i]
		a[i][n] = b[i]
	}
	for i := range n {
		for k := range n {
			if k != i {
				f := a[k][i] / a[i][i]
				for j := i; j <= n; j++ {
					a[k][j] -= f * a[i][j]
				}
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x
}

// posterior returns how likely each state is, by cell, and the log of the likelihood.
func (m *matrices) posterior() (post [][]float64, likelihood float64) {
	n := len(m.first)
	x, at := m.first, make([][]float64, len(m.cells))
	for c, dt := range m.cells {
		at[c] = m.solve(dt, x, false)
		x = make([]float64, n)
		for i := range x {
			x[i] = at[c][i] * m.likes[c][i]
		}
	}
	end := 0.0
	for i := range x {
		end += x[i] * m.last[i]
	}
	b := m.last
	post = make([][]float64, len(m.cells))
	for c := len(m.cells) - 1; c >= 0; c-- {
		y := make([]float64, n)
		for i := range y {
			y[i] = b[i] * m.likes[c][i]
		}
		b = m.solve(m.cells[c], y, true)
		post[c] = make([]float64, n)
		sum := 0.0
		for i := range b {
			post[c][i] = at[c][i] * b[i]
			sum += post[c][i]
		}
		for i := range b {
			post[c][i] /= sum
		}
	}
	return post, math.Log(end)
}

// chainOf writes a gap's chain down: the acquirer's phases, the free ones, those of each site.
func (w *worker) matricesOf(l *Lock, g *gap) *matrices {
	sites := w.group.sites
	n := phases + lagPhases + len(sites)*phases
	m := &matrices{out: make([]float64, n), first: make([]float64, n), last: make([]float64, n)}
	for range n {
		m.rate = append(m.rate, make([]float64, n))
	}
	for c := range cells {
		m.cells = append(m.cells, float64(g.to-g.from)*(bounds[c+1]-bounds[c]))
		m.likes = append(m.likes, make([]float64, n))
	}
	holds := func(at, p int) {
		m.out[at+p] = holdRate[p]
		for j := range lagPhases {
			m.rate[at+p][phases+j] = holdRate[p] * w.group.lags[j]
		}
	}
	met := 0.0
	for p := range phases {
		holds(0, p)
		if g.acquired {
			m.first[p] = sites[g.site].holds[p]
		}
		for c := range cells {
			m.likes[c][p] = w.evidence.own[c]
		}
	}
	for j := range lagPhases {
		m.out[phases+j] = lagRate[j] + w.group.entry
		m.last[phases+j] = 1e-6
		if g.ended {
			m.last[phases+j] = lagRate[j]
		}
		for c := range cells {
			m.likes[c][phases+j] = w.evidence.free[c]
		}
		if !g.acquired {
			m.first[phases+j] = w.group.lags[j]
		}
	}
	for s, x := range sites {
		at := phases + lagPhases + s*phases
		for p := range phases {
			holds(at, p)
			if !g.acquired {
				m.first[at+p] = l.mix[s] * x.holds[p] * holdMean[p] * w.evidence.can[s][0]
				met += m.first[at+p]
			}
			for c := range cells {
				m.likes[c][at+p] = w.evidence.held[s][c]
			}
			for j := range lagPhases { // the test's sites can be entered as much in each cell
				m.rate[phases+j][at+p] = w.group.entry * l.mix[s] * x.holds[p] * w.evidence.can[s][0]
			}
		}
	}
	if !g.acquired {
		for i := phases + lagPhases; i < n; i++ {
			m.first[i] /= met
		}
	}
	return m
}

func someGroup(t *rapid.T) (*Group, *Lock) {
	part := rapid.Float64Range(0.01, 1)
	gr, l := &Group{entry: 1 / rapid.Float64Range(1e4, 1e7).Draw(t, "entry")}, &Lock{ID: theLock}
	for range rapid.IntRange(1, 3).Draw(t, "sites") {
		x := &site{}
		for p := range x.holds {
			x.holds[p] = part.Draw(t, "hold")
		}
		normalise(x.holds[:])
		gr.sites, l.mix = append(gr.sites, x), append(l.mix, part.Draw(t, "mix"))
	}
	normalise(l.mix)
	for j := range gr.lags {
		gr.lags[j] = part.Draw(t, "lag")
	}
	normalise(gr.lags[:])
	return gr, l
}

// Forward and backward give what elimination in the whole chain gives.
func TestForwardBackward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, l := someGroup(t)
		w := c.worker()
		g := &gap{
			to:       rapid.Int64Range(1e3, 1e8).Draw(t, "length"),
			acquired: rapid.Bool().Draw(t, "acquired"),
			ended:    rapid.Bool().Draw(t, "ended"),
		}
		likely := rapid.Float64Range(0.02, 1)
		w.evidence.own, w.evidence.free = ones, ones
		for s := range c.sites {
			v := likely.Draw(t, "can")
			w.evidence.can, w.evidence.held = append(
				w.evidence.can,
				byCell{v, v, v, v, v, v},
			), append(
				w.evidence.held,
				ones,
			)
			w.evidence.held[s][0] = math.Pow(1024, float64(s)) // sites are states of their own
		}
		for cell := range cells {
			w.evidence.own[cell], w.evidence.free[cell] = likely.Draw(t, "own"), likely.Draw(t, "free")
			for s := range c.sites {
				if cell > 0 {
					w.evidence.held[s][cell] = likely.Draw(t, "held")
				}
			}
		}
		w.evidence.site, w.evidence.acquired, w.evidence.ended = g.site, g.acquired, g.ended
		w.evidence.length = float64(g.to)
		if !w.chain.infer(l, &w.evidence, nil, &w.post) {
			t.Fatal("nothing explains it")
		}
		want, _ := w.matricesOf(l, g).posterior()
		for cell := range cells {
			sum, states := 0.0, []float64{}
			for at := 0; at < len(want[cell]); at += phases {
				size := phases
				if at == phases {
					size = lagPhases
				}
				v := 0.0
				for _, p := range want[cell][at : at+size] {
					v += p
				}
				states = append(states, v)
				if at == phases {
					at -= phases - lagPhases
				}
			}
			got := append([]float64{w.post.own[cell], w.post.free[cell]}, make([]float64, len(c.sites))...)
			for s := range c.sites {
				got[2+s] = w.post.site[s][cell]
			}
			for i, v := range got {
				if sum += v; math.Abs(v-states[i]) > 1e-6 {
					t.Fatalf("cell %d: %v, want %v", cell, got, states)
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("cell %d adds up to %v", cell, sum)
			}
		}
	})
}

// Each round of learning explains the recording better.
func TestLearningNeverExplainsLess(t *testing.T) {
	p := several(3, 2000)
	l := &Lock{ID: theLock}
	gr := newGroup(p, true, []*Lock{l})
	gr.prior()
	w := gr.worker()
	explains := func() (sum float64) {
		n := 0
		w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
			if !g.acquired {
				return
			}
			w.weigh(g)
			for s := range w.evidence.can { // as matricesOf has it
				v := w.evidence.can[s][0]
				w.evidence.can[s], w.evidence.held[s] = byCell{v, v, v, v, v, v}, ones
			}
			w.evidence.own, w.evidence.free = ones, ones
			_, log := w.matricesOf(l, g).posterior()
			sum, n = sum+log, n+1
		})
		return sum / float64(n)
	}
	before := explains()
	first := before
	list := w.listShapes(1)
	for r := range rounds {
		all, byLock := gr.expect(&w.chain, list)
		gr.maximise(&all)
		gr.maximiseMix(byLock)
		after := explains()
		if after < before-1e-3 {
			t.Errorf("round %d: %.4f after %.4f", r, after, before)
		}
		before = after
	}
	if before < first+0.1 {
		t.Errorf("%.3f, before learning %.3f", before, first)
	}
	mean := map[string]float64{}
	for _, s := range gr.sites {
		for q, w := range s.holds {
			mean[p.stacks[s.stack][0].Method] += w * holdMean[q]
		}
	}
	if mean["fast"] > mean["slow"]/3 || mean["fast"] > mean["sleeps"]/3 {
		t.Errorf("holds of %v ns on the average", mean)
	}
}

// Gaps that share the answer of their shape are charged, all together, as if each had its
// own; and most do share.
func TestShapesShareAnAnswer(t *testing.T) {
	p := several(5, 20000)
	c, l := p.group()
	whole, own, n := charged(c, l, (*worker).inferShape)
	each, _, _ := charged(c, l, (*worker).infer)
	total, apart := 0.0, 0.0
	for s, ns := range each {
		total, apart = total+ns, apart+math.Abs(ns-whole[s])/2
	}
	if apart > 0.01*total {
		t.Errorf("%.4f of the waiting is charged elsewhere: %.0f, each gap alone %.0f", apart/total, whole, each)
	}
	if own > n/2 {
		t.Errorf("%d of %d gaps have a shape of their own", own, n)
	}
}

// charged sums by state what is inferred of each gap; shapes are those that were kept.
func charged(gr *Group, l *Lock, infer func(*worker, *gap) *posterior) (sum []float64, shapes, n int) {
	w := gr.worker()
	w.shapes = nil
	sum = make([]float64, len(gr.sites)+2)
	w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
		post := infer(w, g)
		n++
		for cell := range cells {
			ns := float64(g.to-g.from) * (bounds[cell+1] - bounds[cell])
			for s := range post.site {
				sum[s] += ns * post.site[s][cell]
			}
			sum[len(gr.sites)] += ns * post.free[cell]
			sum[len(gr.sites)+1] += ns * post.own[cell]
		}
	})
	return sum, len(w.shapes), n
}
