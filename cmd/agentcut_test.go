package cmd

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
	"contend/report/document"
)

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
			if code != exitFailed || out.Len() > 0 || strings.Count(msg.String(), "\n") > 2 || !strings.HasPrefix(msg.String(), "contend: ") {
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
		if code := Main([]string{"analyze", "--format", "json", "-"}, bytes.NewReader(data[:n]), &out, &msg); code != exitDamaged && n < len(data) {
			t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
		}
		var doc document.Analyze
		golden.OK(t, json.Unmarshal(out.Bytes(), &doc))
		whole = 0
		for _, l := range doc.Locks {
			whole += l.WaitNs
		}
		if whole < last {
			t.Errorf("%d bytes: %d ns of waiting, %d with fewer", n, whole, last)
		}
		last = whole
	}
	if whole < 4e9 {
		t.Errorf("%d ns in all", whole)
	}
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
