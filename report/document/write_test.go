package document

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
)

func TestJSONHoldsNoCharactersThatAct(t *testing.T) {
	for _, name := range []string{"plain é 日本 👍🏽 <init>", "\x00\x1b[2J\x7f\u0085", "\u202eevil\u2066\u200d", "\U000e0041tag", "\xff", `quote " and \`} {
		var b bytes.Buffer
		if err := Write(&b, Chain{Signature: name}); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %U got through", name, r)
			}
		}
		var back Chain
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		want := name
		if name == "\xff" {
			want = "\ufffd" // JSON has no other way to write it
		}
		if back.Signature != want {
			t.Errorf("%q came back as %q", name, back.Signature)
		}
	}
}
