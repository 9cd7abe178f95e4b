package renewal

import (
	"math/rand/v2"
	"testing"
)

// Where half of what is free by the model stays so, that is so of each stretch, and nothing is
// lost of any.
func TestLessIsFree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var gaps []Gap
	for range 2000 {
		gaps = append(gaps, Gap{Site: 0, Length: 50e3 + int64(r.ExpFloat64()*3e6)}, Gap{Site: 1, Length: 200e3 + int64(r.ExpFloat64()*3e6)})
	}
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{{1, 1}})
	all, half := m.Splitter(), m.Splitter()
	half.Spare(0.5)
	for _, g := range append(gaps[:400], Gap{Site: -1, Length: 5e6}, Gap{Site: -1, Length: 90e6}, Gap{Site: 1, Length: 90e6}, Gap{Site: 1, Length: 4e6, Gone: 300e3}) {
		var a, b Parts
		all.Split(&g, &a)
		half.Split(&g, &b)
		if sum := b.First + b.Free + b.Others[0] + b.Others[1]; sum != g.Length {
			t.Fatalf("%+v: %d in all, %+v", g, sum, b)
		}
		if g.Gone == 0 && (b.Free < a.Free/2-4 || b.Free > a.Free/2+4) || b.First > a.First && g.Gone > 0 && b.First > g.Gone || b.SureFirst > 1 || b.SureFirst < 0 {
			t.Fatalf("%+v: %+v, was %+v", g, b, a)
		}
		var x, y Met
		arrival := &Arrival{Site: g.Site, Length: g.Length, Elapsed: 50e3, Busy: 0.5}
		all.Meet(arrival, &x)
		half.Meet(arrival, &y)
		if sum := y.Own + y.Free + y.First[0] + y.First[1] + y.Others[0] + y.Others[1]; sum != g.Length || y.Free < x.Free/2-8 || y.Free > x.Free/2+8 {
			t.Fatalf("after %+v: %d in all, %+v, was %+v", arrival, sum, y, x)
		}
	}
}

// Where the model has nobody at all in a stretch, who got the lock there has what is not free,
// else sections as they usually are; and of what a section is made longer by half is right.
func TestWhoHasAStretchThatIsNotFree(t *testing.T) {
	m := &Model{sites: 2, mixes: []Mix{{0.75, 0.25}}, usual: []int64{99, 299}}
	s := &Splitter{m: m, spare: 0.4}
	p := Parts{Free: 1000, Others: make([]int64, 2)}
	if s.scarce(&Gap{Site: 1, Length: 1000}, &p); p.First != 600 || p.Free != 400 {
		t.Errorf("%+v", p)
	}
	if p.SureFirst != 0.3 {
		t.Errorf("%v is right of it", p.SureFirst)
	}
	for _, g := range []Gap{{Site: -1, Length: 1000}, {Site: 1, Length: 1000, Gone: 5}} {
		p := Parts{Free: 1000, Others: make([]int64, 2)}
		if s.scarce(&g, &p); p.First != 0 || p.Others[0] != 300 || p.Others[1] != 300 || p.Free != 400 {
			t.Errorf("%+v: %+v", g, p)
		}
	}
}
