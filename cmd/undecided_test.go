package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// corpus is where other people's traces are, which are not part of the project.
const corpus = "../../shared/fixtures/public"

// standardRules are those that the help of check begins with, at limits that
// only contention worth a look breaks.
var standardRules = []string{"no deadlock", "csp(*) < 5%", "p99(*) < 10s"}

// corpusVerdicts says of each file what the standard rules may come to, as
// letters: o ok, f fails, u undecided. A file is ok where what it holds decides
// the rule, and nothing else: known from the file itself, read by eye and with
// the JDK's own tools, and not from what check says.
var corpusVerdicts = map[string]string{
	// Counts have neither owners nor times.
	"counts/ReentrantLockStats.txt":          "uuu",
	"counts/ReentrantReadWriteLockStats.txt": "uuu",
	"counts/SynchronizedStats.txt":           "uuu",
	// An execution trace has every wait, and no owner that keeps its lock.
	"gotrace/go125-encoding-json.trace": "uoo",
	// One javacore: its owners are listed, an instant has no share of time.
	"javacore/javacore-withrawStateValue.txt":  "ouu",
	"javacore/javacore.20191105.224043.txt.gz": "ofu",
	// Thresholds of 10 and 20 ms; the first has a thread dump of all threads,
	// with no circle. async-profiler has no
	// threshold, and tells of few of its threads when they ran.
	"jfr/async-profiler-3chunks-type-zero.jfr.gz": "ouu",
	"jfr/async-profiler-kafka-lock.jfr.gz":        "uuo",
	"jfr/jdk-lock-contention.jfr":                 "ufo",
	"jfr/jdk-reentrant-lock.jfr":                  "ufo",
	// One dump each. The last is of a program with virtual threads, which are
	// not in it.
	"threaddump/dumpling-ReentrantLock-parking-blockage.txt":                "ofu",
	"threaddump/dumpling-ReentrantReadWriteLock-parking-blockage-read.txt":  "ofu",
	"threaddump/dumpling-ReentrantReadWriteLock-parking-blockage-write.txt": "ofu",
	"threaddump/dumpling-blocking-chain.txt":                                "ofu",
	"threaddump/dumpling-blocking-tree.txt":                                 "ofu",
	"threaddump/dumpling-contention.txt":                                    "ofu",
	"threaddump/dumpling-crlf.txt":                                          "ofu",
	"threaddump/dumpling-deadlock-and-friends.txt":                          "ffu",
	"threaddump/dumpling-jrockit-1.6.txt":                                   "ouu",
	"threaddump/dumpling-no-tabs.txt":                                       "ofu",
	"threaddump/dumpling-openjdk-1.8.txt":                                   "ouu",
	"threaddump/dumpling-openjdk-11.0.2.txt":                                "ouu",
	"threaddump/dumpling-ownable-synchronizers.txt":                         "ofu",
	"threaddump/dumpling-producer-consumer.txt":                             "ofu",
	"threaddump/dumpling-self-lock.txt":                                     "ouu",
	"threaddump/jdk-lock-contention-0.txt":                                  "ofu",
	"threaddump/jdk-lock-contention-1.txt":                                  "ofu",
	"threaddump/jdk-lock-contention-2.txt":                                  "ofu",
	"threaddump/jdk-lock-contention-3.txt":                                  "ofu",
	"threaddump/jdk-lock-contention-4.txt":                                  "ofu",
	"threaddump/jdk-lock-contention-5.txt":                                  "ouu",
	"threaddump/jdk-three-way-deadlock.txt":                                 "ffu",
	"threaddump/jdk-virtual-threads.txt":                                    "uuu",
}

// No rule passes for want of evidence, on any trace of the corpus.
func TestNoFalseOkOnTheCorpus(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the corpus is not here: %v", err)
	}
	known := 0
	for _, kind := range []string{"counts", "gotrace", "javacore", "jfr", "threaddump"} {
		files := golden.Must(filepath.Glob(filepath.Join(corpus, kind, "*")))(t)
		for _, file := range files {
			if strings.HasSuffix(file, ".json") {
				continue
			}
			name := kind + "/" + filepath.Base(file)
			want, ok := corpusVerdicts[name]
			if !ok {
				t.Errorf("%s: nothing is known of it", name)
				continue
			}
			known++
			if got := verdictsOf(t, file); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	if known != len(corpusVerdicts) {
		t.Errorf("%d of %d files", known, len(corpusVerdicts))
	}
}

// verdictsOf checks the standard rules.
func verdictsOf(t *testing.T, file string, more ...string) string {
	t.Helper()
	args := append([]string{"check", "--format", "json"}, more...)
	for _, rule := range standardRules {
		args = append(args, "--rule", rule)
	}
	var out, msg strings.Builder
	code := Main(append(args, file), nil, &out, &msg)
	var doc document.Check
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatalf("%s: exit %d: %v: %s", file, code, err, msg.String())
	}
	letters := ""
	for i := range doc.Rules {
		r := &doc.Rules[i]
		if (r.Reason != "") != (r.Status == "undecided") {
			t.Errorf("%s: %s is %s because of %q", file, r.Rule, r.Status, r.Reason)
		}
		letters += map[string]string{"pass": "o", "fail": "f", "undecided": "u"}[r.Status]
	}
	if (code == exitOK) != (strings.Trim(letters, "o") == "") {
		t.Errorf("%s: exit %d for %s", file, code, letters)
	}
	return letters
}
