package cmd

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
)

// settingsOfEvent returns what settings say of an event.
func settingsOfEvent(t *testing.T, text, event string) map[string]string {
	t.Helper()
	var doc struct {
		Events []struct {
			Name     string `xml:"name,attr"`
			Settings []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:",chardata"`
			} `xml:"setting"`
		} `xml:"event"`
	}
	golden.OK(t, xml.Unmarshal([]byte(text), &doc))
	for _, e := range doc.Events {
		if e.Name == event {
			of := map[string]string{}
			for _, s := range e.Settings {
				of[s.Name] = s.Value
			}
			return of
		}
	}
	return nil
}

// The flight recorder takes thread dumps as often as it is told.
func TestDumpPeriod(t *testing.T) {
	for flags, want := range map[string][2]string{
		"":                        {"true", "50 ms"},
		"--dump-period 1s":        {"true", "1000 ms"},
		"--dump-period=250ms":     {"true", "250 ms"},
		"--dump-period 0":         {"false", "50 ms"},
		"--exact --dump-period 0": {"false", "50 ms"},
	} {
		text := run(t, append([]string{"jfc"}, strings.Fields(flags)...)...)
		got := settingsOfEvent(t, text, "jdk.ThreadDump")
		if got["enabled"] != want[0] || got["period"] != want[1] {
			t.Errorf("%s: %v", flags, got)
		}
		golden.Equal(
			t,
			settingsOfEvent(t, text, "jdk.MethodTrace") != nil,
			strings.Contains(flags, "exact"),
			flags,
			"methods are traced",
		)
	}
	for _, period := range []string{"-1s", "1500us", "soon"} {
		var msg bytes.Buffer
		golden.Equal(t, Main([]string{"jfc", "--dump-period", period}, nil, io.Discard, &msg), exitUsage)
		golden.Holds(t, msg.String(), "hint: ")
	}
}

// The flight recorder itself reads the settings as they are meant.
func TestTheFlightRecorderReadsTheSettings(t *testing.T) {
	jfr, err := exec.LookPath("jfr")
	if err != nil || testing.Short() {
		t.Skip("no jfr tool here, or -short")
	}
	dir := t.TempDir()
	given, taken := filepath.Join(dir, "given.jfc"), filepath.Join(dir, "taken.jfc")
	golden.OK(t, os.WriteFile(given, []byte(run(t, "jfc", "--dump-period", "2s")), 0o644))
	if out, err := exec.Command(jfr, "configure", "--input", given, "--output", taken).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := golden.Must(os.ReadFile(taken))(t)
	golden.Equal(t, settingsOfEvent(t, string(text), "jdk.ThreadDump")["period"], "2000 ms")
}

func runLine(args ...string) (code int, out, msg string) {
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
		"record --perf app":                   "app is not the number of a process",
		"perf-args 1;date":                    "1;date is not the number of a process",
		"perf-args --duration 0s":             "0s is not a time to record",
	} {
		code, out, msg := runLine(strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(msg, want+"\nhint: ") {
			t.Errorf("%s: exit %d %q\n%s", line, code, out, msg)
		}
	}
	if code, out, msg := runLine("perf-args", "17,18"); code != exitOK || !strings.Contains(out, "-p 17,18 ") {
		t.Errorf("exit %d %s %s", code, out, msg)
	}
}
