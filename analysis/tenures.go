package analysis

import (
	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// visitTenures gives recorded tenures to the visitors that ask for them.
func (r *record) visitTenures(e *emitter) {
	var ask []TenureVisitor
	for _, v := range e.out.visitors {
		if tv, ok := v.(TenureVisitor); ok {
			ask = append(ask, tv)
		}
	}
	if len(ask) == 0 || r.Tenures.Len() == 0 {
		return
	}
	waited := r.acquisitions()
	r.Tenures.Each(func(_ column.Ref, t *owners.Tenure) {
		lo, hi, ok := e.cut(t.Start, t.End)
		if !ok || !r.Told(t.Lock) || !e.wanted(t.Thread, t.Lock, anyLength) {
			return
		}
		for _, v := range ask {
			v.Tenure(t.Lock, t.Thread, lo, hi, waited[acquired{t.Thread, t.Lock, t.Start}])
		}
	})
}

// acquired identifies the end of a wait.
type acquired struct {
	thread format.ThreadID
	lock   format.ObjectID
	time   int64
}

func (r *record) acquisitions() map[acquired]bool {
	waited := make(map[acquired]bool, len(r.activities.Starts))
	for _, i := range r.activities.Starts {
		w := r.Waits.At(i)
		waited[acquired{w.Thread, w.Lock, w.End}] = true
	}
	return waited
}
