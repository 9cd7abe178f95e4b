package blame

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLetters bounds the compared part of a name.
const maxLetters = 200

// Nearest returns at most n names similar to a text, the most similar first: those that
// contain it, in any case, then those that need the fewest changes to contain it; ties go to
// the longest common beginning. Names that differ in a quarter of their letters are left out.
func Nearest(text string, names []string, n int) []string {
	type candidate struct {
		name       string
		far, alike int
	}
	want := plain(text)
	var found []candidate
	for _, name := range names {
		if far := distance(want, plain(name)); want != "" && far <= utf8.RuneCountInString(want)/4 {
			found = append(found, candidate{name, far, begun(want, plain(name))})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(b.alike, a.alike), cmp.Compare(a.name, b.name))
	})
	found = slices.CompactFunc(found, func(a, b candidate) bool { return a.name == b.name })
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// TheNearest returns the names that are most similar to a text, at most n, as part of a sentence; ""
// if none is similar.
func TheNearest(text string, names []string, n int) string {
	switch near := Nearest(text, names, n); len(near) {
	case 0:
		return ""
	case 1:
		return "the nearest is " + near[0]
	default:
		return "the nearest are " + strings.Join(near, ", ")
	}
}

// begun returns how many bytes two texts have in common at their beginnings.
func begun(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// plain drops the signs of patterns, and the case of letters.
func plain(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`\^*+?|()[]`, r) {
			return -1
		}
		return r
	}, WithoutAddress(text))), "$")
}

// distance returns the number of letters of a to change, insert or delete, so that it becomes a part
// of b (Sellers, 1980).
func distance(a, b string) int {
	from, in := []rune(a), []rune(b)
	from, in = from[:min(len(from), maxLetters)], in[:min(len(in), maxLetters)]
	row := make([]int, len(in)+1)
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range in {
			change := diagonal
			if from[i] != in[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return slices.Min(row)
}
