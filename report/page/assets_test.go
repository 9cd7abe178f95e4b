package page

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/look"
)

// Every script and style sheet that stands in the folder is in the page, once,
// and none can end the element it stands in.
func TestAssetsAreInThePage(t *testing.T) {
	for _, list := range []struct {
		ending string
		names  []string
	}{{".js", scriptFiles}, {".css", styleFiles}} {
		for _, e := range golden.Must(os.ReadDir("assets"))(t) {
			if n := e.Name(); strings.HasSuffix(n, list.ending) && !slices.Contains(list.names, n) {
				t.Errorf("%s is not in the page", n)
			}
		}
		for _, name := range list.names {
			if text := strings.ToLower(read(name)); text == "" || strings.Contains(text, "</script") ||
				strings.Contains(text, "</style") ||
				strings.Contains(text, "<!--") {
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
	golden.Holds(t, strings.ReplaceAll(text, "&#43;", "+"), `content="`+allowed+`"`)
	found := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(text, -1)
	if len(found) != len(scriptFiles) {
		t.Fatalf("%d scripts, want %d", len(found), len(scriptFiles))
	}
	for i, m := range found {
		golden.Holds(golden.Labelled(t, scriptFiles[i]), policy(false), look.Hash(m[1]))
	}
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)
	golden.Holds(t, policy(false), look.Hash(styles[1]))
	golden.Lacks(t, policy(true), "unsafe", "https:", "http:", "*")
	golden.Holds(t, text, ">QUJD+/==<")
	golden.Lacks(t, text, "<b>title")
}
