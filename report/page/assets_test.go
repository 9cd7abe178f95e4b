package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/look"
)

// sums are the checksums of other people's files: they are embedded unchanged.
var sums = map[string]string{
	"htm-preact.standalone.umd.js": "62c4ffea400078c0eda7f435b22726b4961ebdf74c8506f188e92bec41d8ac51",
	"htm.LICENSE":                  "740725f7252e750af735d0028cc534970772f513331e9f68150fede8fb3ce00f",
	"preact.LICENSE":               "1fe6958409c8c257a70c587a18b6f7f412b179b456630790d30b2ec9a8e4b7d4",
	"uPlot.LICENSE":                "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	"uPlot.iife.min.js":            "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
	"uPlot.min.css":                "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}

func TestLibrariesAreUnchanged(t *testing.T) {
	entries, err := os.ReadDir("assets/lib")
	if err != nil {
		t.Fatal(err)
	}
	notes := golden.Must(os.ReadFile("assets/lib/README.md"))(t)
	for _, e := range entries {
		name := e.Name()
		if name == "README.md" {
			continue
		}
		text := golden.Must(os.ReadFile("assets/lib/" + name))(t)
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != sums[name] {
			t.Errorf("%s: checksum %s, want %s", name, got, sums[name])
		}
		if !bytes.Contains(notes, []byte(name)) {
			t.Errorf("README.md does not say what %s is", name)
		}
	}
	if len(entries) != len(sums)+1 {
		t.Errorf("%d files, %d checksums", len(entries)-1, len(sums))
	}
}

// Every script and style sheet that stands in the folder is in the page, once,
// and none can end the element it stands in.
func TestAssetsAreInThePage(t *testing.T) {
	for _, list := range []struct {
		ending string
		names  []string
	}{{".js", scriptFiles}, {".css", styleFiles}} {
		var have []string
		if list.ending == ".js" {
			have = append(have, dagre, panZoom)
		}
		for _, folder := range []string{"", "lib/"} {
			entries := golden.Must(os.ReadDir("assets/" + folder))(t)
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), list.ending) {
					have = append(have, folder+e.Name())
				}
			}
		}
		want := slices.Sorted(slices.Values(list.names))
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("assets hold %v, pages %v", have, want)
		}
		for _, name := range list.names {
			if text := strings.ToLower(read(name)); text == "" || strings.Contains(text, "</script") || strings.Contains(text, "</style") || strings.Contains(text, "<!--") {
				t.Errorf("%s is empty or ends its element", name)
			}
		}
	}
}

// What a page holds between its script tags is what the policy allows.
func TestThePolicyAllowsTheScriptsAndNothingElse(t *testing.T) {
	var b bytes.Buffer
	golden.OK(t, Frame(&b, "<b>title</b>", "QUJD+/=="))
	text := b.String()
	allowed := strings.ReplaceAll(policy(false), "'", "&#39;")
	if !strings.Contains(strings.ReplaceAll(text, "&#43;", "+"), `content="`+allowed+`"`) {
		t.Error("the policy is not in the page")
	}
	found := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(text, -1)
	if len(found) != len(scriptFiles) {
		t.Fatalf("%d scripts, want %d", len(found), len(scriptFiles))
	}
	for i, m := range found {
		if !strings.Contains(policy(false), look.Hash(m[1])) {
			t.Errorf("%s is not allowed to run", scriptFiles[i])
		}
	}
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)
	if !strings.Contains(policy(false), look.Hash(styles[1])) {
		t.Error("the style is not allowed")
	}
	for _, bad := range []string{"unsafe", "https:", "http:", "*"} {
		if strings.Contains(policy(true), bad) {
			t.Errorf("the policy has %s", bad)
		}
	}
	if !strings.Contains(text, ">QUJD+/==<") || strings.Contains(text, "<b>title") {
		t.Error("data or title do not stand as they should")
	}
}
