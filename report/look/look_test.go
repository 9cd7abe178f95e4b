package look

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"contend/golden"
)

// sums are the checksums of other people's files: they are embedded as README.md says.
var sums = map[string]string{
	"d3-flamegraph.LICENSE":        "b40930bbcf80744c86c46a12bc9da056641d722716c378f5659b9e555ef833e1",
	"d3-flamegraph.iife.min.js":    "dc8a4e1b0d058bf2eb73909f5183eedddd44f08ee21963a9886fa9fa7e99528f",
	"d3.LICENSE":                   "2a6d2d5f32ba0b755ddbc1c833f766e30cdbe6ebe9a6d4e3e24427721f0b63d3",
	"d3-ease.LICENSE":              "82f2a38e51f9013690c0cea086e901b33e51b5f0c3ba837941d7a58073c72917",
	"dagre.LICENSE":                "6a349742a6cb219d5a2fc8d0844f6d89a6efc62e20c664450d884fc7ff2d6015",
	"dagre.min.js":                 "54a503e346f93ca0bb10abe7999587e037262935687aca45eb4e4b0f64bbb578",
	"htm-preact.standalone.umd.js": "62c4ffea400078c0eda7f435b22726b4961ebdf74c8506f188e92bec41d8ac51",
	"htm.LICENSE":                  "740725f7252e750af735d0028cc534970772f513331e9f68150fede8fb3ce00f",
	"preact.LICENSE":               "1fe6958409c8c257a70c587a18b6f7f412b179b456630790d30b2ec9a8e4b7d4",
	"svg-pan-zoom.LICENSE":         "a4fbaf0b818914459316cb22e1a9d01e0f8786fc10cfe355077cca048daa028a",
	"svg-pan-zoom.min.js":          "9c8fc41b3359e699990766dd7a943595d234a80c880a90dfc14b920a273b99d8",
	"uPlot.LICENSE":                "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	"uPlot.iife.min.js":            "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
	"uPlot.min.css":                "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}

func TestLibrariesAreUnchanged(t *testing.T) {
	notes := Library("README.md")
	entries, err := os.ReadDir("lib")
	if err != nil || len(entries) != len(sums)+1 {
		t.Fatalf("%d files: %v", len(entries), err)
	}
	for name, want := range sums {
		sum := sha256.Sum256([]byte(Library(name)))
		golden.Equal(t, hex.EncodeToString(sum[:]), want)
		golden.Holds(t, notes, name)
	}
}

// What a page is about may come from the name of a file.
func TestTheHeadIsEscaped(t *testing.T) {
	head, err := Head("<img src=x onerror=alert(1)>\"")
	if err != nil || strings.Contains(string(head), "<img") || strings.Count(string(head), `"`) != 6 {
		t.Errorf("%s, %v", head, err)
	}
}
