package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is how much of a name is compared, in letters.
const longest = 200

// Nearest returns the names that come nearest to a text, at most n, the nearest
// first: those it is a part of, whatever the case of its letters, then those
// that need the fewest changes. Names of which every third letter is
// another are left out.
func Nearest(text string, names []string, n int) []string {
	type candidate struct {
		name string
		far  int
	}
	want := plain(text)
	var found []candidate
	for _, name := range names {
		if far := distance(want, plain(name)); want != "" && far <= utf8.RuneCountInString(want)/3 {
			found = append(found, candidate{name, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name)) })
	found = slices.CompactFunc(found, func(a, b candidate) bool { return a.name == b.name })
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// plain drops what patterns are made of, and the case of letters.
func plain(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`\^*+?|()[]`, r) {
			return -1
		}
		return r
	}, WithoutAddress(text))), "$")
}

// distance returns how many letters of a must be changed, put in or left out
// to make it the name b, or what is left of that behind a package or an outer
// class.
func distance(a, b string) int {
	if strings.Contains(b, a) {
		return 0
	}
	far := edits(a, b)
	for rest := b; ; {
		at := strings.IndexAny(rest, ".$/")
		if at < 0 {
			return far
		}
		rest = rest[at+1:]
		far = min(far, edits(a, rest))
	}
}

// edits is the distance of Levenshtein.
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	from, to = from[:min(len(from), longest)], to[:min(len(to), longest)]
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			change := diagonal
			if from[i] != to[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(to)]
}
