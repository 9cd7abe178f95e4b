package facts

import (
	"strings"

	"contend/blame/chains"
)

// chainSep stands between the frames of a stack in text.
const chainSep = " < "

// chain joins a site and its callers and takes from each frame what another
// release, or another run, has otherwise: its line, and names drawn at random.
func chain(site, callers string) string {
	if callers != "" {
		site += chainSep + callers
	}
	frames := strings.Split(site, chainSep)
	for i, f := range frames {
		frames[i] = chains.StableName(withoutLine(f))
	}
	return strings.Join(frames, chainSep)
}

// withoutLine takes the line from Class.method:line.
func withoutLine(frame string) string {
	name, line, ok := cutLast(frame, ":")
	if !ok || line == "" || strings.Trim(line, "0123456789") != "" {
		return frame
	}
	return name
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
