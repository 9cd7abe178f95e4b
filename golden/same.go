package golden

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	differ "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Failing is what a difference is reported to: a *testing.T, or one of rapid's.
type Failing interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal reports a value that differs from the wanted one. The label is printed before the
// message: golden.Equal(t, n, 3, path, "locks").
func Equal[T comparable](t Failing, got, want T, label ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s, want %s", prefix(label), formatValue(got), formatValue(want))
	}
}

// AtMost reports a value above a bound.
func AtMost[T cmp.Ordered](t Failing, got, bound T, label ...any) {
	t.Helper()
	if got > bound {
		t.Errorf("%sgot %s, want at most %s", prefix(label), formatValue(got), formatValue(bound))
	}
}

// AtLeast reports a value below a bound.
func AtLeast[T cmp.Ordered](t Failing, got, bound T, label ...any) {
	t.Helper()
	if got < bound {
		t.Errorf("%sgot %s, want at least %s", prefix(label), formatValue(got), formatValue(bound))
	}
}

// Within reports a value outside of [low, high].
func Within[T cmp.Ordered](t Failing, got, low, high T, label ...any) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%sgot %s, want %s to %s", prefix(label), formatValue(got), formatValue(low), formatValue(high))
	}
}

// Same is Equal for lists and structs: it reports the parts that differ. A nil and an empty
// slice are equal.
func Same(t Failing, got, want any, label ...any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	all := differ.Exporter(func(reflect.Type) bool { return true })
	if diff := differ.Diff(want, got, all, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%sdiffers (-want +got):\n%s", prefix(label), diff)
	}
}

// Holds reports each part that a text does not contain.
func Holds(t Failing, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%.3000s", part, text)
		}
	}
}

// Lacks reports each part that a text contains.
func Lacks(t Failing, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in\n%.3000s", part, text)
		}
	}
}

// Labelled returns a test whose reports begin with a label: the input, or the command.
func Labelled(t Failing, label ...any) Failing { return at{t, prefix(label)} }

type at struct {
	Failing
	where string
}

func (a at) Errorf(format string, args ...any) {
	a.Helper()
	a.Failing.Errorf("%s%s", a.where, fmt.Sprintf(format, args...))
}

// prefix returns a label as it precedes a message.
func prefix(label []any) string {
	if len(label) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(label...), "\n") + ": "
}

func formatValue(v any) string {
	if text, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%+v", v)
}
