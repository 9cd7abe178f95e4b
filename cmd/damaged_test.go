package cmd

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// hangs only ends what does: a busy machine is no fault of the program.
const hangs = 5 * time.Minute

// FuzzAnswers holds verify and analyze to an answer or a clear error, whatever the input, and
// to each other. Seeds are the inputs there are of the format $CONTEND_FUZZ, or of all; each
// is tried with a byte changed as well, and cut, in .ci/run at several places.
func FuzzAnswers(f *testing.F) {
	golden.LimitMinimization(f)
	golden.Seed(f, os.Getenv("CONTEND_FUZZ"))
	f.Fuzz(func(t *testing.T, data []byte) {
		watchdog := time.AfterFunc(hangs, func() { panic(fmt.Sprintf("%d bytes take for ever", len(data))) })
		defer watchdog.Stop()
		answers(t, data)
		random := rand.New(rand.NewPCG(uint64(len(data)), 1))
		for range min(golden.Depth(0, 1, 4), len(data)) {
			at, flip := random.IntN(len(data)), byte(1+random.IntN(255))
			changed := bytes.Clone(data)
			changed[at] ^= flip
			answers(t, changed)
			answers(t, data[:at])
		}
	})
}

// answers runs two commands on an input, which agree on what it is.
func answers(t *testing.T, data []byte) {
	t.Helper()
	verified, _ := answer(t, data, "verify")
	analyzed, said := answer(t, data, "analyze")
	golden.Equal(t, verified, analyzed, "verify, and analyze that says", said)
}

// answer runs one command and holds its exit code to what it says.
func answer(t *testing.T, data []byte, command string) (code int, said string) {
	t.Helper()
	var out, msg bytes.Buffer
	code = Main([]string{command, "-"}, bytes.NewReader(data), &out, &msg)
	lines := strings.Split(strings.TrimRight(msg.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	clear := strings.HasPrefix(last, "hint: ") || strings.HasPrefix(last, "contend: -:")
	switch {
	case code == exitOK && out.Len() > 0:
	case code == exitDamaged && out.Len() > 0 && strings.Contains(msg.String(), "contend: warning: "):
	case code == exitFailed && out.Len() == 0 && clear && !strings.Contains(last, "internal error"):
	default:
		t.Errorf(
			"%d bytes: %s exits with %d, answers %d bytes and says %s",
			len(data),
			command,
			code,
			out.Len(),
			msg.String(),
		)
	}
	return code, msg.String()
}

// A file that an agent wrote (60 samples of four threads, two locks).
const agentFile = "../testdata/agent-small.bin"

// An agent's file that is cut, wherever that is, as by a kill or a full disk: the
// blocks before are read, all of them, and the rest is told.
func TestEveryCutOfAnAgentsFile(t *testing.T) {
	t.Parallel()
	data := golden.Must(os.ReadFile(agentFile))(t)
	if n := len(blockEnds(data)); n < 4 {
		t.Fatalf("%d blocks", n)
	}
	complete := false
	step := 1
	if testing.Short() {
		step = 13
	}
	for n := 0; n <= len(data); n += step {
		var out, msg bytes.Buffer
		code := Main([]string{"verify", "--format", "json", "-"}, bytes.NewReader(data[:n]), &out, &msg)
		switch {
		case n < len(magicOf(data)):
			if code != exitFailed || out.Len() > 0 || strings.Count(msg.String(), "\n") > 2 ||
				!strings.HasPrefix(msg.String(), "contend: ") {
				t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
			}
			continue
		case n == len(data):
			complete = true
			if code != exitOK {
				t.Fatalf("whole: exit %d, %s", code, msg.String())
			}
		case code != exitDamaged:
			t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
		}
		var doc document.Verify
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if want := eventsBefore(data, n); doc.Events != want {
			t.Fatalf("%d bytes: %d events, want %d", n, doc.Events, want)
		}
	}
	if !complete && !testing.Short() {
		t.Error("the whole file was not tried")
	}
}

// What is left of a file analyzes, from the first sample that shows a wait on.
func TestWhatIsLeftOfAnAgentsFileIsAnalyzed(t *testing.T) {
	t.Parallel()
	data := golden.Must(os.ReadFile(agentFile))(t)
	last, whole := int64(0), int64(0)
	ends := blockEnds(data)
	for _, n := range ends {
		var out, msg bytes.Buffer
		if code := Main([]string{"analyze", "--format", "json", "-"}, bytes.NewReader(data[:n]), &out,
			&msg); code != exitDamaged &&
			n < len(data) {
			t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
		}
		var doc document.Analyze
		golden.OK(t, json.Unmarshal(out.Bytes(), &doc))
		whole = 0
		for _, l := range doc.Locks {
			whole += l.WaitNs
		}
		golden.AtLeast(t, whole, last, n, "bytes", "with fewer")
		last = whole
	}
	golden.AtLeast(t, whole, 4e9, "in all")
}

func magicOf(data []byte) []byte { return data[:bytes.Index(data, []byte(format.Marker))] }

// blockEnds returns where the blocks of a trace end.
func blockEnds(data []byte) (ends []int) {
	for at := len(magicOf(data)); at < len(data); {
		stored := int(binary.LittleEndian.Uint32(data[at+len(format.Marker):]))
		at += format.BlockHeaderSize(format.Version) + stored
		ends = append(ends, at)
	}
	return ends
}

// eventsBefore counts the events of the blocks that end within n bytes, by their
// headers. The end of the trace counts as none.
func eventsBefore(data []byte, n int) (sum int64) {
	at := len(magicOf(data))
	for _, end := range blockEnds(data) {
		if end <= n {
			sum += int64(binary.LittleEndian.Uint32(data[at+len(format.Marker)+9:]))
		}
		at = end
	}
	if n == len(data) {
		sum-- // the end itself
	}
	return sum
}
