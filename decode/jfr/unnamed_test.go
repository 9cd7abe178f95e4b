package jfr

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"contend/format"
	"contend/golden"
)

// JDK 8 and 11 leave out names of classes that they unloaded. Every event is there, so that nothing
// is damaged: the names are said to be missing, and frames without one are told as such.
func TestMissingNamesAreNoDamage(t *testing.T) {
	data := load(t, "testdata/small.jfr")
	waits, _, err := count(data)
	golden.OK(t, err)
	pooled := func(part func(*parts) *program) func(*Reader) {
		return func(r *Reader) {
			p := part(&r.symbols.chunk.meta.parts)
			for key := range r.symbols.chunk.pools[p.pool].all {
				r.symbols.chunk.pools[p.pool].set(key, 0)
			}
		}
	}
	for what, c := range map[string]struct {
		lose    func(*Reader)
		damaged bool
	}{
		"methods": {lose: pooled(func(p *parts) *program { return p.method })},
		"symbols": {lose: pooled(func(p *parts) *program { return p.symbol }), damaged: true}, // and the locks' classes
		"threads": {lose: pooled(func(p *parts) *program { return p.thread }), damaged: true},
	} {
		r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{})
		golden.OK(t, err)
		c.lose(r)
		n, unnamed := 0, false
		var ev format.Event
		for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
			if ev.Kind == format.KindWait || ev.Kind == format.KindActivity {
				n++
			}
			for _, f := range ev.Frames {
				unnamed = unnamed || f.Method == "[unknown method]"
			}
		}
		st := r.Stats()
		golden.Equal(t, errors.Is(err, io.EOF), true, what)
		golden.Equal(t, n, waits, what)
		golden.Equal(t, st.Damage.Whole(), !c.damaged, what, st.Damage)
		golden.Equal(t, codes(st)[format.CodeUnnamed], !c.damaged, what)
		golden.Equal(t, unnamed, what != "threads", what)
	}
}
