package facts

import (
	"strings"

	"contend/blame"
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
		frames[i] = blame.StableName(blame.WithoutLine(f))
	}
	return strings.Join(frames, chainSep)
}
