package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"contend/analysis"
	"contend/blame"
	"contend/blame/whatif"
	"contend/format"
	"contend/golden"
)

// The replay is measured by its waiting and by its acquisitions, and each number has the name of
// what it measures.
func TestTheMisfitHasItsName(t *testing.T) {
	d := NewWhatIf(&whatif.Result{Replayed: true, Misfit: whatif.Misfit{Waiting: .25, Throughput: .5}}, Coverage{})
	golden.Equal(t, string(golden.Must(json.Marshal(d.Misfit))(t)), `{"waiting":0.25,"throughput":0.5}`)
}

func TestJSONHoldsNoCharactersThatAct(t *testing.T) {
	for _, name := range []string{"plain é 日本 👍🏽 <init>", "\x00\x1b[2J\x7f\u0085", "\u202eevil\u2066\u200d",
		"\U000e0041tag", "\xff", `quote " and \`} {
		var b bytes.Buffer
		golden.OK(t, Write(&b, Chain{Signature: name}))
		for _, r := range b.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %U got through", name, r)
			}
		}
		var back Chain
		golden.OK(t, json.Unmarshal(b.Bytes(), &back))
		want := name
		if name == "\xff" {
			want = "\ufffd" // JSON has no other way to write it
		}
		golden.Equal(t, back.Signature, want, name, "came back as")
	}
}

// Where nothing waits it is said whether who waits for ever would show.
func TestTheBlindAreTold(t *testing.T) {
	waits := analysis.Known{analysis.ByTenure: 1}
	for name, c := range map[string]struct {
		blind string
		unit  format.Unit
		known analysis.Known
		stuck []analysis.Deadlock
		want  bool
	}{
		"a recording without dumps":   {blind: "no dump", want: true},
		"one of which all is known":   {},
		"one with waits":              {blind: "no dump", known: waits},
		"one with a deadlock":         {blind: "no dump", stuck: make([]analysis.Deadlock, 1)},
		"counts, which have no times": {blind: "no owners", unit: format.UnitAcquisitions},
	} {
		tr := &analysis.Trace{Deadlocks: c.stuck, Coverage: analysis.Coverage{ByProvenance: c.known}}
		told := notCounted(NewCoverage(format.Stats{Blind: c.blind, Unit: c.unit}, tr).Warnings)
		golden.Equal(
			t,
			len(told) == 1 && told[0].Code == "blind" && strings.Contains(told[0].Text, c.blind),
			c.want,
			name,
		)
		golden.AtMost(t, len(told), 1, name)
	}
}

// What is not told apart is said; where all is, there is no word of it.
func TestWhatIsUnknownSiteApartIsSaid(t *testing.T) {
	for _, ns := range []int64{0, 5} {
		for _, doc := range []any{NewBlame(&blame.Table{OtherNs: ns}, 0, Coverage{}, 0),
			NewGraph(&blame.Graph{OtherNs: ns}, "thread", Coverage{}, 0)} {
			text := golden.Must(json.Marshal(doc))(t)
			if said := bytes.Contains(text, []byte(`"otherNs":5`)); said != (ns > 0) ||
				ns == 0 && bytes.Contains(text, []byte("other")) {
				t.Errorf("%d ns: %s", ns, text)
			}
		}
	}
}

// What an input hides of virtual threads may all be acquiring: so much more at most, or any
// amount where nothing bounds it.
func TestHiddenWaitingWidensPressure(t *testing.T) {
	tr := &analysis.Trace{RunningNs: 60, RunningHigh: 60}
	tr.Coverage.ByProvenance[analysis.ByTenure] = 30
	for _, c := range []struct {
		warning string
		hidden  int64
		high    float64
	}{
		{"damaged", 40, 0}, // says nothing of pressure
		{format.CodeVirtualThreads, 40, 0.7},
		{format.CodeVirtualThreads, 0, 1},
		{format.CodeUnlistedThreads, 0, 1},
		{format.CodeUnseenSites, 0, 1},
	} {
		p := NewCoverage(format.Stats{Warnings: []format.Warning{{Code: c.warning, Hidden: c.hidden}}}, tr).Pressure
		switch {
		case p == nil && c.high != 0:
			t.Errorf("%s of %d: no range", c.warning, c.hidden)
		case p != nil && (p.Low != 0.5 || p.High != c.high):
			t.Errorf("%s of %d: %v, want 0.5 to %v", c.warning, c.hidden, *p, c.high)
		}
	}
}
