package blame

import (
	"slices"
	"testing"
)

func TestGlobMatchesNamesAsTablesPrintThem(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"j.u.c.l.ReentrantLock$NonfairSync", "java.util.concurrent.locks.ReentrantLock$NonfairSync", true},
		{"j.u.c.l.ReentrantLock$NonfairSync@7f001234", "java.util.concurrent.locks.ReentrantLock$NonfairSync", true},
		{"Truth$InventoryLock", "Truth$InventoryLock", true},
		{"Truth$InventoryLock@0x69ef10310", "Truth$InventoryLock", true},
		{"j.u.*", "java.util.Hashtable", true},
		{"j.u.*", "java.text.Format", false},
		{"j.u.Hashtable", "java.util.concurrent.Hashtable", false},
		{"java.util.Hashtable", "java.util.Hashtable", true},
		{"java.util.Hash", "java.util.Hashtable", false},
		{"javaxutil.Hashtable", "java.util.Hashtable", false},
		{"*Lock", "a.b.CLock", true},
		{"*", "anything at all", true},
	} {
		re, err := Glob(c.pattern)
		if err != nil || re.MatchString(c.name) != c.want {
			t.Errorf("%q of %q: %v, %v", c.pattern, c.name, !c.want, err)
		}
	}
}

func TestExpressionsMatchNamesAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"Truth$InventoryLock", "Truth$InventoryLock", true},
		{"Truth$InventoryLock", "Truth$InventoryLock@12ab", true},
		{"j.u.c.l.ReentrantLock", "java.util.concurrent.locks.ReentrantLock$FairSync", true},
		{"l.Stack", "a.l.Stack", true}, // an expression as ever
		{"Lock$", "a.Lock", true},
		{"Lock$", "a.Lock2", false},
		{"^Hash", "java.util.Hashtable", false},
		{"Hash|Vector", "java.util.Vector", true},
		{"int[]", "int[]", true},
	} {
		re, err := Expression(c.text)
		if c.text == "int[]" {
			if err == nil {
				t.Error("an open bracket is no expression")
			}
			continue
		}
		if err != nil || re.MatchString(c.name) != c.want {
			t.Errorf("%q of %q: %v, %v", c.text, c.name, !c.want, err)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"java.util.Hashtable", "java.util.Vector", "Truth$InventoryLock", "Truth$LedgerLock", "Truth$InventoryLock"}
	for text, want := range map[string][]string{
		"java.util.Hastable":  {"java.util.Hashtable"},
		"hashtable":           {"java.util.Hashtable"},
		"Hashtabel":           {"java.util.Hashtable"},
		"truth":               {"Truth$InventoryLock", "Truth$LedgerLock"},
		"Truth$InventryLock":  {"Truth$InventoryLock"},
		"InventryLock":        {"Truth$InventoryLock"},
		"Inventry":            {"Truth$InventoryLock"},
		"Vectro$":             {"java.util.Vector"},
		"com.acme.Nothing":    nil,
		"java.util.Vector@12": {"java.util.Vector"},
		"":                    nil,
	} {
		if got := Nearest(text, names, 3); !slices.Equal(got, want) && !(want == nil && len(got) == 0) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
