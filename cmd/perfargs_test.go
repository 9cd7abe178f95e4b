package cmd

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

func said(args ...string) (code int, out, msg string) {
	var o, m bytes.Buffer
	code = Main(args, nil, &o, &m)
	return code, o.String(), m.String()
}

// Flags that would do nothing are refused, and what goes into a shell script is
// the number of a process.
func TestPerfFlagsThatDoNothingAreRefused(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	for line, want := range map[string]string{
		"record --perf --rate 5 " + pid:       "--rate is for JVMs",
		"record --perf --with both " + pid:    "--with is for JVMs",
		"record --max-overhead 0% " + pid:     "--max-overhead: samples cannot cost 0%",
		"record --max-overhead 5 " + pid:      "--max-overhead: samples cannot cost 5",
		"record --kernel-locks " + pid:        "--kernel-locks is for perf",
		"record --call-graph fp " + pid:       "--call-graph is for perf",
		"record --perf --call-graph x " + pid: `there is no way "x"`,
		"record --perf app":                   "app is no process's number",
		"perf-args 1;date":                    "1;date is no process's number",
		"perf-args --duration 0s":             "0s is no time to record",
	} {
		code, out, msg := said(strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(msg, want+"\nhint: ") {
			t.Errorf("%s: exit %d %q\n%s", line, code, out, msg)
		}
	}
	if code, out, msg := said("perf-args", "17,18"); code != exitOK || !strings.Contains(out, "-p 17,18 ") {
		t.Errorf("exit %d %s %s", code, out, msg)
	}
}
