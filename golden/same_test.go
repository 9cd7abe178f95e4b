package golden

import (
	"fmt"
	"testing"
)

// told keeps what is reported.
type told []string

func (*told) Helper() {}

func (l *told) Errorf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func TestDifferencesAreReported(t *testing.T) {
	var got told
	Equal(&got, 1, 1, "alike")
	Same(&got, []int{}, []int(nil), "alike")
	Holds(&got, "a b", "a", "b")
	Lacks(&got, "a b", "c")
	AtMost(&got, 1, 1)
	AtLeast(&got, 1, 1)
	Within(&got, 1, 1, 1)
	Equal(Labelled(&got, "x.jfr", 7), "a", "b", "names")
	Same(&got, []int{1}, []int{1, 2})
	Holds(&got, "a b", "a", "c")
	Lacks(&got, "a b", "b", "c")
	AtMost(&got, 2, 1)
	AtLeast(&got, 1, 2)
	Within(&got, 0, 1, 2)
	Within(&got, 3, 1, 2)
	if want := `x.jfr 7: names: got "a", want "b"`; len(got) != 8 || got[0] != want {
		t.Errorf("%d reports, the first %q, want 8, the first %q", len(got), got[0], want)
	}
}
