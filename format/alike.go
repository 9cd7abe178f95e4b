package format

import (
	"regexp"
	"strings"

	"contend/format/human"
)

// numbers are what differs between warnings of one kind, besides the names of inputs.
var numbers = regexp.MustCompile(`\d[\d.,:]*`)

// maxAlike is the number of warnings of one kind from which they become one: two are read as fast as
// a sum.
const maxAlike = 3

// MergeAlike returns the warnings with those of one kind as one, which counts them: they have one
// code, and differ only in numbers and the given names of inputs. What they hide adds up.
func MergeAlike(list []Warning, inputs []string) []Warning {
	pairs := make([]string, 0, 2*len(inputs))
	for _, name := range inputs {
		if name != "" {
			pairs = append(pairs, name, "FILE")
		}
	}
	names := strings.NewReplacer(pairs...)
	kinds, count := make([]string, len(list)), map[string]int{}
	for i, w := range list {
		kinds[i] = w.Code + "\n" + numbers.ReplaceAllString(names.Replace(w.String()), "N")
		count[kinds[i]]++
	}
	var out []Warning
	at := map[string]int{}
	for i, w := range list {
		j, merged := at[kinds[i]]
		switch {
		case merged:
			out[j].Hidden += w.Hidden
			continue
		case count[kinds[i]] >= maxAlike:
			at[kinds[i]] = len(out)
			w.Text += human.Say(" (and %v more like this)", count[kinds[i]]-1)
		}
		out = append(out, w)
	}
	return out
}
