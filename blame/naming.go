package blame

import (
	"regexp"
	"strings"
)

// Glob compiles a pattern in which * stands for any characters, for whole names. As in printed
// names, a package may be its initial or missing, and so may the inner class that waits for a lock
// of java.util.concurrent. The error is that of a text that is not UTF-8.
func Glob(pattern string) (*regexp.Regexp, error) {
	name := strings.ReplaceAll(literal(WithoutAddress(pattern)), `\*`, ".*")
	if fair, ok := strings.CutSuffix(name, ` \(fair\)`); ok {
		name = fair + `\$FairSync`
	}
	return regexp.Compile(`^(?s:(?:[^ ]*[./])?` + name + `(?:\$(?:Nonfair)?Sync)?)$`)
}

// Expression compiles a regular expression that matches a part of a name. If the text is only a
// name, the result matches the text itself, too: $ and brackets then stand for themselves, and a
// package may be written as its initial.
func Expression(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	if strings.ContainsAny(text, `\*+?|^`) {
		return regexp.Compile(text)
	}
	return regexp.Compile("(?:" + text + ")|" + literal(text))
}

// initials are the packages of a name, at its begin or after a blank, that are written as j.u.c.
var initials = regexp.MustCompile(`(^|[ *])((?:[a-z]\\\.)+)`)

// literal quotes a text for a regular expression, where initials of packages
// stand for packages.
func literal(text string) string {
	return initials.ReplaceAllStringFunc(regexp.QuoteMeta(text), func(m string) string {
		return strings.ReplaceAll(m, `\.`, `[^. ]*\.`)
	})
}

// address is what follows the class in the name of a lock.
var address = regexp.MustCompile(`@(0x)?[0-9a-f]+$`)

// WithoutAddress returns the class in the name of a lock: an address means
// nothing in another run.
func WithoutAddress(name string) string { return address.ReplaceAllString(name, "") }
