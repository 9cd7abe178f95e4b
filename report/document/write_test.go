package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

func TestJSONHoldsNoCharactersThatAct(t *testing.T) {
	for _, name := range []string{"plain é 日本 👍🏽 <init>", "\x00\x1b[2J\x7f\u0085", "\u202eevil\u2066\u200d", "\U000e0041tag", "\xff", `quote " and \`} {
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
		if back.Signature != want {
			t.Errorf("%q came back as %q", name, back.Signature)
		}
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
		if got := len(told) == 1 && told[0].Code == "blind" && strings.Contains(told[0].Text, c.blind); got != c.want || len(told) > 1 {
			t.Errorf("%s: %v", name, told)
		}
	}
}
