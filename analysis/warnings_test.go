package analysis

import (
	"strings"
	"testing"

	"contend/analysis/owners"
)

// Dumps that agree less than the inference expects are a doubt; a screen says so.
// Dumps that agree more are none.
func TestOnlyDumpsThatAgreeLessAreADoubt(t *testing.T) {
	for code, agrees := range map[string]int64{"disagreement": 300, "modesty": 900} {
		c := &Trust{Seen: owners.Agreement{Dumps: 100, Asked: 1000, Agrees: agrees, Squares: 10000}}
		c.Known.Add(Likely(0.6), 1000)
		w := disagreement(c)
		if len(w) != 1 || w[0].Code != code || !strings.Contains(w[0].Text, "where it expects 60 % itself") {
			t.Errorf("%d of 1000 agree: %+v, want %s", agrees, w, code)
		}
	}
}
