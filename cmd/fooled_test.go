package cmd

import (
	"os"
	"strings"
	"testing"

	"contend/golden"
)

// A gate held against nothing does not pass: a filter that is misspelt, or a
// time that is not in the trace.
func TestAGateOfNothingDecidesNothing(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const recording, dump = "../testdata/truth-8threads.jfr", "../testdata/deadlock-monitors-and-juc-jdk17.txt"
	for _, c := range []struct{ file, filter, rule, says string }{
		{recording, "--class=Nope", "csp(*) < 99%", "matches nothing"},
		{recording, "--lock=Nope", "p99(*) < 1h", "matches nothing"},
		{recording, "--thread=Nope", "blame(Truth.*) < 99%", "matches nothing"},
		{recording, "--from=1h", "csp(total) < 99%", "between --from and --to"},
		{recording, "--from=1h", "max(total) < 1h", "between --from and --to"},
		{recording, "--to=-1h", "peak csp(*) per 1s < 99%", "between --from and --to"},
		{dump, "--class=Nope", "no deadlock", "matches nothing"},
		{dump, "--thread=Nope", "no deadlock", "matches nothing"},
		{dump, "--from=10s", "no deadlock", "--from and --to"},
	} {
		var out, msg strings.Builder
		if code := Main([]string{"check", "--rule", c.rule, c.filter, c.file}, nil, &out, &msg); code != exitRules || !strings.Contains(out.String(), "UNDECIDED") || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s %s: exit %d\n%s%s", c.filter, c.rule, code, &out, &msg)
		}
	}
	// What they leave is held against the rule as ever.
	for filter, want := range map[string]int{"--class=Truth": exitOK, "--from=1s": exitOK} {
		var out, msg strings.Builder
		if code := Main([]string{"check", "--rule", "csp(total) < 99%", filter, recording}, nil, &out, &msg); code != want {
			t.Errorf("%s: exit %d\n%s%s", filter, code, &out, &msg)
		}
	}
}

// A pipe has no name and no file that is yet to be written.
func TestStandardInputIsCalledThat(t *testing.T) {
	t.Parallel()
	recording := golden.Must(os.Open("../testdata/truth-8threads.jfr"))(t)
	defer recording.Close()
	var out, msg strings.Builder
	if code := Main([]string{"analyze", "-"}, recording, &out, &msg); code != exitOK || !strings.HasPrefix(out.String(), "standard input: ") {
		t.Errorf("exit %d: %s%s", code, &out, &msg)
	}
	msg.Reset()
	if code := Main([]string{"analyze", "-"}, strings.NewReader(""), &out, &msg); code != exitFailed || !strings.Contains(msg.String(), "through the pipe") {
		t.Errorf("exit %d: %s", code, &msg)
	}
}
