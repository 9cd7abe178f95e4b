package flame

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"contend/golden"
)

// luminance is that of a colour as browsers take it, 0 to 1.
func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	var c [3]uint8
	_, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c[0], &c[1], &c[2])
	golden.OK(t, err)
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(c[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// Names are read on the colours of the largest changes: a contrast of 4.5, as for any text.
func TestNamesAreReadOnTheLargestChanges(t *testing.T) {
	label := luminance(t, "#1c1206")
	for _, key := range []string{"grew", "shrank"} {
		found := regexp.MustCompile(`\.key\.` + key + ` \{ background: (#\w{6}); \}`).FindStringSubmatch(style)
		if found == nil {
			t.Fatalf("no colour of %s in the style", key)
		}
		golden.AtLeast(t, (luminance(t, found[1])+0.05)/(label+0.05), 4.5, key)
	}
}
