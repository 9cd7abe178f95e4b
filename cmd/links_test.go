package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contend/golden"
)

// Links between the pages lead to files and headings that are there.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages, links := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		pages++
		text := read(t, path)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, heading, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			} else if heading != "" && !headings(read(t, target))[heading] {
				t.Errorf("%s links to %s: there is no such heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil || pages < 6 || links < 5 {
		t.Errorf("%d pages with %d links, %v", pages, links, err)
	}
}

// headings are the anchors of a page's headings, as forges make them.
func headings(text string) map[string]bool {
	out := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := golden.Must(os.ReadFile(path))(t)
	return string(text)
}
