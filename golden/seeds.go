package golden

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// seeds are the inputs of each format, as paths from a folder beside testdata. Those under
// ../../shared are optional.
var seeds = map[string][]string{
	"jfr": {
		"../testdata/*.jfr",
		"../testdata/*.jfr.gz",
		"../testdata/findings/*.jfr.gz",
		"../decode/jfr/testdata/*.jfr",
		"../../shared/fixtures/public/jfr/*.jfr",
	},
	"threaddump": {
		"../testdata/*jdk17.txt",
		"../testdata/truth-jdk25-*.json",
		"../decode/threaddump/testdata/*/*",
		"../decode/testdata/processes/*",
		"../decode/testdata/wrapped/*",
		"../../shared/fixtures/public/threaddump/*",
		"../../shared/fixtures/public/javacore/*.txt",
	},
	"gotrace": {"../testdata/*.trace", "../../shared/fixtures/public/gotrace/*.trace"},
	"godump":  {"../testdata/go126-*-dump.txt", "../decode/testdata/wrapped/goroutine*"},
	"profile": {"../decode/profile/testdata/*"},
	"counts":  {"../testdata/documents/counts.txt", "../../shared/fixtures/public/counts/*.txt"},
	"perf":    {"../testdata/*.perf.txt.zst", "../../shared/fixtures/perf/*.txt"},
	"native":  {"../testdata/*.bin", "../testdata/documents/*.bin"},
	"text":    {"../testdata/sampled-v2.txt", "../testdata/documents/*.txt"},
	"wrapped": {"../testdata/findings/*.txt.gz"}, // small: what they unpack to is tried, too
}

// LimitMinimization gives the fuzzer one attempt to minimize an input that finds new
// coverage. By default it spends a minute on each, and tries nothing else in that time.
func LimitMinimization(f *testing.F) {
	f.Helper()
	OK(f, flag.Set("test.fuzzminimizetime", "1x"))
}

// seedSize bounds the size of seeds, in bytes, so that the fuzzer makes enough tries a
// second.
const seedSize = 64 << 10

// Seed adds the inputs of a format, "" for all formats. It fails if the repository has none
// for one of its patterns.
func Seed(f *testing.F, of string) {
	f.Helper()
	if of != "" && seeds[of] == nil {
		f.Fatalf("there are no inputs of format %q", of)
	}
	for name, patterns := range seeds {
		if of != "" && of != name {
			continue
		}
		for _, pattern := range patterns {
			paths := Must(filepath.Glob(pattern))(f)
			if len(paths) == 0 && !strings.Contains(pattern, "../shared/") {
				f.Fatalf("no seed matches %s", pattern)
			}
			for _, path := range paths {
				f.Add(start(f, path, name != "wrapped"))
			}
		}
	}
}

// start reads the first seedSize bytes of a file, decompressed if unpack.
func start(f *testing.F, path string, unpack bool) []byte {
	f.Helper()
	file, err := os.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	var in io.Reader = file
	if ext := filepath.Ext(path); unpack && ext == ".gz" {
		in, err = gzip.NewReader(in)
	} else if unpack && ext == ".zst" {
		in, err = zstd.NewReader(in)
	}
	if err != nil {
		f.Fatal(err)
	}
	data, err := io.ReadAll(io.LimitReader(in, seedSize))
	if err != nil {
		f.Fatal(err)
	}
	return data
}
