package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told is a row of so many threads waiting on each side, each known to a tenth.
func told(name string, base, new float64) Row {
	of := func(v float64) Rates {
		return Rates{Waiting: Rate{WaitNs: int64(v * 1e9), Value: v, SE: v / 10, DF: 100, Traces: 1}}
	}
	return Row{Name: name, Base: of(base), New: of(new)}
}

// Where one recording tells what owners called and the other only where they took
// the lock nothing has changed; what is more in all has.
func TestHowFinelyAnOwnerIsToldIsNoChange(t *testing.T) {
	for _, c := range []struct {
		what string
		rows []Row
		want []string
	}{
		{"dumps on one side", []Row{told("busy < checkout < run", 0, 0.9), told("checkout < run", 1, 0.1)}, nil},
		{"a few samples", []Row{told("next < busy < checkout", 0, 0.01), told("busy < checkout", 0, 0.02), told("checkout", 1, 1.05)}, nil},
		{"sleeps are not told", []Row{told("sleep < export", 3, 0), told("export", 0.001, 2.9)}, nil},
		{"shorter, and told finely", []Row{told("busy < checkout", 0, 0.1), told("checkout", 1, 0.1)}, []string{"checkout"}},
		{"longer inside", []Row{told("resize < put", 0, 5), told("put", 1, 1)}, []string{"resize"}},
		{"sleep became work, as both tell", []Row{told("sleep < export", 3, 0), told("busy < export", 0, 3), told("export", 0.001, 0.001)}, []string{"busy", "sleep"}},
		{"others of that name", []Row{told("busy < refund", 0, 1), told("checkout", 2, 1)}, []string{"busy", "checkout"}},
	} {
		var stacks []string // of owners; a chain of waits tells the innermost frame
		for i := range c.rows {
			stacks = append(stacks, c.rows[i].Name)
			c.rows[i].Name, _, _ = strings.Cut("w -> Lock -> "+c.rows[i].Name, callOf)
		}
		judge(c.rows, outwardOf(stacks), Options{Alpha: 0.05})
		got := found(c.rows)
		for i, name := range got {
			got[i] = name[strings.LastIndex(name, " ")+1:]
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q changed, want %q", c.what, got, c.want)
		}
	}
}

// What chains end in is told finely by the stacks of owners.
func TestChainsThatEndFurtherOut(t *testing.T) {
	of := outwardOf([]string{"busy < checkout < run", "busy < refund < run", "[handoff]"})
	for name, want := range map[string][]string{
		"w -> Lock -> busy":     {"w -> Lock -> checkout", "w -> Lock -> refund", "w -> Lock -> run"},
		"w -> Lock -> checkout": {"w -> Lock -> run"},
		"w -> Lock -> run":      nil, "w -> Lock -> [handoff]": nil, "busy": nil,
	} {
		got := of(name)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
