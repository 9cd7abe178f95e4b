package cmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a flag that holds a number of bytes.
type size struct{ bytes *int64 }

// newSize returns a flag that sets bytes, which becomes the default.
func newSize(bytes *int64, def int64) size {
	*bytes = def
	return size{bytes}
}

// sizeUnits are powers of 1024, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String implements pflag.Value.
func (s size) String() string {
	if s.bytes == nil { // pflag asks a zero value
		return ""
	}
	for _, u := range sizeUnits {
		if *s.bytes >= u.bytes && *s.bytes%u.bytes == 0 {
			return strconv.FormatInt(*s.bytes/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(*s.bytes, 10)
}

// Set implements pflag.Value. 65536, 64K, 64KB and 64KiB are equal.
func (s size) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range sizeUnits {
		for _, suffix := range []string{u.name, u.name[:1] + "B", u.name[:1]} {
			if rest, ok := strings.CutSuffix(strings.ToUpper(text), strings.ToUpper(suffix)); ok && unit == 1 {
				number, unit = rest, u.bytes
			}
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size: write 4GiB, 512MiB or a number of bytes", text)
	}
	*s.bytes = n * unit
	return nil
}

// Type implements pflag.Value.
func (s size) Type() string { return "size" }
