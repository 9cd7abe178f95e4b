package facts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each file is a question that is asked, of tables and columns that there are.
func TestEveryQueryIsAsked(t *testing.T) {
	entries, err := files.ReadDir("queries")
	if err != nil || len(entries) != len(Questions) {
		t.Fatalf("%d files, %d names (%v)", len(entries), len(Questions), err)
	}
	named := map[string][]string{"metadata": {"host", "name", "value"}}
	for _, table := range Tables {
		for _, c := range columns(table) {
			if c.sql == "" {
				t.Errorf("%s.%s has no type", table, c.name)
			}
			named[table] = append(named[table], c.name)
		}
	}
	alias := regexp.MustCompile(`(?i)(?:FROM|JOIN) (recordings|intervals|locks|lengths|waits|metadata) ([a-z])\b`)
	for _, name := range Questions {
		text := Query(name)
		if !strings.HasPrefix(text, "-- ") || strings.Contains(text, ";") {
			t.Errorf("%s: says nothing of itself, or is several statements", name)
		}
		for _, m := range alias.FindAllStringSubmatch(text, -1) {
			for _, use := range regexp.MustCompile(`\b`+m[2]+`\.([a-z_]+)`).FindAllStringSubmatch(text, -1) {
				if !slices.Contains(named[m[1]], use[1]) && !strings.Contains(text, " AS "+use[1]) {
					t.Errorf("%s: %s has no column %s", name, m[1], use[1])
				}
			}
		}
	}
	if Query("causes; DROP") != "" {
		t.Error("what is no name has a question")
	}
}

// A folder may be called what it wants.
func TestFoldersAreQuoted(t *testing.T) {
	for _, d := range Dialects {
		if text := d.Views("it's"); !strings.Contains(text, "'it''s/waits") || strings.Count(text, "'")%2 != 0 {
			t.Errorf("%s: %s", d.Name, text)
		}
	}
}
