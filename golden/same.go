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

// Equal reports a value that is not the wanted one. What says of what it is, in words that
// are printed before it: golden.Equal(t, n, 3, path, "locks").
func Equal[T comparable](t Failing, got, want T, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s, want %s", named(what), shown(got), shown(want))
	}
}

// AtMost reports a value above a bound, AtLeast one below it, Within one beyond either of two.
func AtMost[T cmp.Ordered](t Failing, got, bound T, what ...any) {
	t.Helper()
	if got > bound {
		t.Errorf("%sgot %s, want at most %s", named(what), shown(got), shown(bound))
	}
}

func AtLeast[T cmp.Ordered](t Failing, got, bound T, what ...any) {
	t.Helper()
	if got < bound {
		t.Errorf("%sgot %s, want at least %s", named(what), shown(got), shown(bound))
	}
}

func Within[T cmp.Ordered](t Failing, got, low, high T, what ...any) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%sgot %s, want %s to %s", named(what), shown(got), shown(low), shown(high))
	}
}

// Same is Equal for lists and structs: it reports which parts differ. No list is an empty one.
func Same(t Failing, got, want any, what ...any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	all := differ.Exporter(func(reflect.Type) bool { return true })
	if diff := differ.Diff(want, got, all, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%sdiffers (-want +got):\n%s", named(what), diff)
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

// At returns a test whose reports begin with some words: the input, or the command.
func At(t Failing, what ...any) Failing { return at{t, named(what)} }

type at struct {
	Failing
	where string
}

func (a at) Errorf(format string, args ...any) {
	a.Helper()
	a.Failing.Errorf("%s%s", a.where, fmt.Sprintf(format, args...))
}

func named(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(what...), "\n") + ": "
}

func shown(v any) string {
	if text, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%+v", v)
}
