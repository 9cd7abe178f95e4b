package cmd

import (
	"regexp"
	"strings"
	"testing"

	"contend/golden"
)

// What there is one of is not spoken of as of many.
func TestOneIsNotMany(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	many := regexp.MustCompile(`(?:^|[^-\w.,])1 (dumps|waits|threads|locks|samples|goroutines|events|rules|edges|chains|inputs|places)\b`)
	for _, path := range append(dumps(t), "../testdata/virtual-jdk25.jfr") {
		for _, args := range [][]string{{"analyze", "--full"}, {"analyze", "--tables"}, {"check", "--rule", "csp(*) < 99%"}, {"graph"}, {"chains"}, {"verify"}} {
			var out, msg strings.Builder
			Main(append(args, path), nil, &out, &msg)
			if said := many.FindString(out.String() + msg.String()); said != "" {
				t.Errorf("%v %s says %q", args, path, said)
			}
		}
	}
}

// dumps are the thread dumps of testdata, of each of which a few threads wait.
func dumps(t *testing.T) (paths []string) {
	t.Helper()
	for _, path := range allInputs(t) {
		if strings.HasSuffix(path, ".txt") {
			paths = append(paths, path)
		}
	}
	if len(paths) < 5 {
		t.Fatalf("%d dumps", len(paths))
	}
	return paths
}
