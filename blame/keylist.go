package blame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// String returns the key as users write it.
func (k Key) String() string {
	if int(k) < len(keys) {
		return keys[k].name
	}
	return "invalid"
}

// IsOperation reports whether the key needs Resolver.Operations.
func (k Key) IsOperation() bool { return keys[k].help == byOperation }

// IsStack reports whether rows of the key carry a stack.
func (k Key) IsStack() bool { return keys[k].kind.stack }

// IsStackKey reports whether the key with a name has stacks as values.
func IsStackKey(name string) bool {
	return slices.ContainsFunc(keys[:], func(row keyRow) bool { return row.name == name && row.kind.stack })
}

// NamedBy returns the kind of the texts of a key, by the name of the key.
func NamedBy(key string) Named {
	if i := slices.IndexFunc(keys[:], func(row keyRow) bool { return row.name == key }); i >= 0 {
		return keys[i].kind.names
	}
	return NamedOther
}

// OfWaiter reports whether the key distinguishes waiters for one lock.
func (k Key) OfWaiter() bool { return keys[k].side == waiter }

// OfOwner reports whether the key distinguishes owners of one lock.
func (k Key) OfOwner() bool { return keys[k].side == owner }

// Keys returns the names of all keys of a use.
func Keys(u Use) []string { return names(listed(u)) }

// Help lists the keys for a help text in lines of at most 80 columns; the first line begins with
// start.
func Help(start string, u Use) string {
	list := inHelp(u)
	return fill(start + strings.Join(names(list), ", ") + ".")
}

// ParseKeys reads a comma-separated list of keys. The error names a key that does not exist, with
// similar keys, or one that is given twice.
func ParseKeys(list string, u Use) ([]Key, error) {
	var out []Key
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		may := listed(u)
		i := slices.IndexFunc(may, func(k Key) bool { return keys[k].name == word })
		if i < 0 {
			near := TheNearest(word, names(may), len(may)) // a part of many names is near all of these
			return nil, fmt.Errorf(
				"no key is called %q; %s",
				word,
				cmp.Or(near, "there are "+strings.Join(names(may), ", ")),
			)
		}
		if slices.Contains(out, may[i]) {
			return nil, fmt.Errorf("key %q is given twice", word)
		}
		out = append(out, may[i])
	}
	return out, nil
}

// listed returns the keys of a use in the order of the table.
func listed(u Use) (list []Key) {
	for k := range keys {
		if keys[k].asked&u != 0 {
			list = append(list, Key(k))
		}
	}
	return list
}

// inHelp returns the keys of a use in the order of help texts.
func inHelp(u Use) []Key {
	list := listed(u)
	slices.SortStableFunc(list, func(a, b Key) int { return cmp.Compare(keys[a].help, keys[b].help) })
	return list
}

func names(list []Key) []string {
	out := make([]string, len(list))
	for i, k := range list {
		out[i] = k.String()
	}
	return out
}

// fill breaks a text of ASCII into lines of at most 80 columns.
func fill(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
		case column+1+len(word) > 80:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
