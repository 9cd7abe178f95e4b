package look

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// sums are the checksums of other people's files: they are embedded unchanged.
var sums = map[string]string{
	"dagre.LICENSE":        "6a349742a6cb219d5a2fc8d0844f6d89a6efc62e20c664450d884fc7ff2d6015",
	"dagre.min.js":         "54a503e346f93ca0bb10abe7999587e037262935687aca45eb4e4b0f64bbb578",
	"svg-pan-zoom.LICENSE": "a4fbaf0b818914459316cb22e1a9d01e0f8786fc10cfe355077cca048daa028a",
	"svg-pan-zoom.min.js":  "9c8fc41b3359e699990766dd7a943595d234a80c880a90dfc14b920a273b99d8",
}

func TestLibrariesAreUnchanged(t *testing.T) {
	notes := Library("README.md")
	entries, err := os.ReadDir("lib")
	if err != nil || len(entries) != len(sums)+1 {
		t.Fatalf("%d files: %v", len(entries), err)
	}
	for name, want := range sums {
		sum := sha256.Sum256([]byte(Library(name)))
		if got := hex.EncodeToString(sum[:]); got != want || !strings.Contains(notes, name) {
			t.Errorf("%s: checksum %s, want %s; in README.md: %v", name, got, want, strings.Contains(notes, name))
		}
	}
}

// What a page is about may come from the name of a file.
func TestTheHeadIsEscaped(t *testing.T) {
	head, err := Head("<img src=x onerror=alert(1)>\"")
	if err != nil || strings.Contains(string(head), "<img") || strings.Count(string(head), `"`) != 6 {
		t.Errorf("%s, %v", head, err)
	}
}
