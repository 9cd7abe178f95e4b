package document

import (
	"bytes"
	"encoding/json"
	"testing"

	"contend/blame"
	"contend/golden"
)

// What is not told apart is said; where all is, there is no word of it.
func TestWhatIsNotToldApartIsSaid(t *testing.T) {
	for _, ns := range []int64{0, 5} {
		for _, doc := range []any{NewBlame(&blame.Table{OtherNs: ns}, 0, Coverage{}, 0), NewGraph(&blame.Graph{OtherNs: ns}, "thread", Coverage{}, 0)} {
			text := golden.Must(json.Marshal(doc))(t)
			if said := bytes.Contains(text, []byte(`"otherNs":5`)); said != (ns > 0) || ns == 0 && bytes.Contains(text, []byte("other")) {
				t.Errorf("%d ns: %s", ns, text)
			}
		}
	}
}
