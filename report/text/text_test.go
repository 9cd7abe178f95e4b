package text

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"contend/golden"

	"pgregory.net/rapid"
)

func TestDurationKeepsThreeDigits(t *testing.T) {
	for ns, want := range map[int64]string{
		0:               "0",
		1:               "1 ns",
		999:             "999 ns",
		1000:            "1.00 µs",
		9994:            "9.99 µs",
		9995:            "10.0 µs",
		12_340:          "12.3 µs",
		999_499:         "999 µs",
		999_500:         "1.00 ms",
		310_000_000:     "310 ms",
		999_499_999:     "999 ms",
		999_600_000:     "1.00 s",
		59_949_999_999:  "59.9 s",
		59_960_000_000:  "1.00 min",
		90_000_000_000:  "1.50 min",
		3596e9:          "59.9 min",
		3599e9:          "1.00 h",
		400 * 3600e9:    "400 h",
		-1500:           "-1.50 µs",
		math.MinInt64:   "-2562048 h",
		math.MaxInt64:   "2562048 h",
		100_000_000_000: "1.67 min",
	} {
		golden.Equal(t, Duration(ns), want, "Duration", ns)
	}
}

func TestSanitizeShowsWhatWouldAct(t *testing.T) {
	for in, want := range map[string]string{
		"http-nio-8080 é 線程": "http-nio-8080 é 線程",
		"a\x1b[31mred":       `a\x1b[31mred`,
		"two\r\nlines\t":     `two\r\nlines\t`,
		"evil\u202etxt":      `evil\u202etxt`, // right-to-left override
		"zero\u200bwidth":    `zero\u200bwidth`,
		"csi\u009b2J":        `csi\u009b2J`, // one-character form of ESC [
		"bad\xffutf8":        "bad\ufffdutf8",
		"":                   "",
	} {
		golden.Equal(t, Sanitize(in), want, "Sanitize", in)
	}
}

func TestSanitizeLeavesNothingThatActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).
			Draw(t, "s")
		once := Sanitize(s)
		for _, r := range once {
			if r != unicode.ReplacementChar && (unicode.IsControl(r) || !unicode.IsPrint(r)) {
				t.Fatalf("%q keeps %q", once, r)
			}
		}
		golden.Equal(t, Sanitize(once), once, "not a fixed point", "then")
	})
}

func TestShortenCountsCharactersNotBytes(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"checkout", 8, "checkout"},
		{"checkout", 7, "…eckout"},
		{"ééééé", 5, "ééééé"},
		{"ééééé", 3, "…éé"},
		{"x", 1, "x"},
		{"xy", 1, "…"},
	} {
		golden.Equal(t, Shorten(c.in, c.n, End), c.want, "Shorten", c.in, c.n)
	}
}

// Names go on in the next line where a part of them ends, within a part only where that is
// wider than the column; nothing is lost but spaces.
func TestNamesFoldAtTheirParts(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 17, "short"},
		{"", 8, ""},
		{"org.apache.xpath.axes.IteratorPool.getInstance", 17, "org.apache.xpath.|axes.|IteratorPool.|getInstance"},
		{"Truth.sleep:14 < Truth.exportReport:17", 17, "Truth.sleep:14 <|Truth.|exportReport:17"},
		{"Truth$LedgerLock at Truth.nestedTransfer:19", 30, "Truth$LedgerLock|at Truth.nestedTransfer:19"},
		{"ReentrantLock at Truth.auditScan:21 @2040", 35, "ReentrantLock at Truth.auditScan:21|@2040"},
		{"GenericExecutionFactory.getIndexableRow", 16, "GenericExecution|Factory.|getIndexableRow"},
		{"Truth$InventoryLock@7f6bbc0035a0", 20, "Truth$InventoryLock@|7f6bbc0035a0"},
		{"在庫管理", 5, "在庫|管理"},
	} {
		golden.Equal(t, strings.Join(Fold(c.in, c.n), "|"), c.want, "Fold", c.in, c.n)
	}
	rapid.Check(t, func(t *rapid.T) {
		in, n := rapid.String().Draw(t, "text"), rapid.IntRange(2, 20).Draw(t, "columns")
		lines := Fold(in, n)
		for _, line := range lines {
			golden.AtMost(t, Columns(line), n, line)
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		golden.Equal(t, bare(strings.Join(lines, "")), bare(in), in, "became")
	})
}

// wide has letters of two columns, of one and of none.
const wide = "在庫管理Lock🔒e\u0301.ロック"

func TestColumnsOfBothEnds(t *testing.T) {
	for n := range Columns(wide) + 3 {
		first, last := FirstColumns(wide, n), lastColumns(wide, n)
		if !strings.HasPrefix(wide, first) || !strings.HasSuffix(wide, last) || Columns(first) > n ||
			Columns(last) > n ||
			Columns(first) < min(n, Columns(wide))-1 ||
			Columns(last) < min(n, Columns(wide))-1 {
			t.Errorf("%d: %q and %q", n, first, last)
		}
	}
	golden.Equal(t, FirstColumns("e\u0301e", 1), "e\u0301", "an accent was cut off")
}

// The dots in a generic function's name are none before a method.
func TestStacksGivenAsText(t *testing.T) {
	for in, want := range map[string]string{
		"java.util.logging.FileHandler.publish:687 < a.b.C.run < x.Y.z": "FileHandler.publish:687 < C.run",
		"java.util.concurrent.locks.LockSupport.park < shop.Cart.add:3": "Cart.add:3",
		"server.Do[...]:12 < github.com/x/y.(*T).run < main.main":       "server.Do[...]:12 < y.(*T).run",
		"[unknown stack]": "[unknown stack]",
	} {
		golden.Equal(t, StackText(in), want, in, "is shortened to")
	}
}

// Names that people read lose their packages, never their class and method.
func TestPlainNames(t *testing.T) {
	java, golang := Plain{}, Plain{Paths: true}
	for in, want := range map[string]string{
		"com.example.Shop$Cart.add:3": "Shop$Cart.add:3", "Shop.add": "Shop.add", "[handoff]": "[handoff]",
		"clojure.core$map.invoke:2": "core$map.invoke:2", "a.b.c.d:1": "c.d:1",
	} {
		golden.Equal(t, java.Name(in), want, in)
	}
	for in, want := range map[string]string{"github.com/x/y.(*T).run:7": "y.(*T).run:7",
		"main.main.func1:29": "main.main.func1:29"} {
		golden.Equal(t, golang.Name(in), want, in)
	}
	for in, want := range map[string]string{
		"java.util.concurrent.locks.ReentrantLock$NonfairSync": "ReentrantLock",
		"java.util.concurrent.locks.ReentrantLock$FairSync":    "ReentrantLock (fair)",
		"java.util.concurrent.locks.StampedLock":               "StampedLock", "com.example.Shop$Sync": "Shop$Sync",
		"int[]": "int[]",
		"java.lang.Class<io.example.ConfigResolver>": "Class<ConfigResolver>", "a.Map<b.Key<c.Id>>": "Map<Key<Id>>",
	} {
		golden.Equal(t, java.Class(in), want, in)
	}
	for _, c := range []struct{ name, class, site, want string }{
		{"com.example.Cart@7f01", "com.example.Cart", "com.example.Shop.add:3", "Cart at Shop.add:3"},
		{"com.example.Cart@7f01", "com.example.Cart", "", "Cart@7f01"},
		{"com.example.Cart@7f01", "com.example.Cart", "[unknown stack]", "Cart@7f01"},
		{"com.example.Cart@7f01 (cart.lock)", "com.example.Cart", "Shop.add:3", "Cart (cart.lock) at Shop.add:3"},
		{"com.example.Cart", "com.example.Cart", "", "Cart"},
	} {
		golden.Equal(t, strings.Join(java.Lock(c.name, c.class, c.site), " "), c.want, c)
	}
}

func TestWordsKeepUnits(t *testing.T) {
	got := Words("at most 5.31 s, 12 % (3 ms) of 2,483 waits")
	golden.Equal(t, strings.Join(got, "|"), "at|most|5.31 s,|12 %|(3 ms)|of|2,483|waits", got)
}
