package blame

import (
	"strings"
	"testing"

	"contend/golden"
)

// Each key of a place, a lock or callers says so: else tables would show whole package names.
func TestKeysSayWhatTheyName(t *testing.T) {
	for suffix, want := range map[string]Named{"-site": NamedPlace, "-line": NamedPlace, "-method": NamedPlace,
		"created": NamedPlace, "lock": NamedLock,
		"-blocked-on": NamedLock, "class": NamedClass, "-callers": NamedCallers, "-doing": NamedDoing,
		"-thread": NamedOther, "-stack": NamedOther, "interval": NamedOther} {
		for _, key := range append(Keys(Pivots|Lengths), "interval") {
			if strings.HasSuffix(key, suffix) {
				golden.Equal(t, NamedBy(key), want, key)
			}
		}
	}
}
