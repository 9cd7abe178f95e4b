package unwrap

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// jsonLines are JSON objects, one a line, one of whose strings is the text: from Docker's
// json-file, and from loggers and collectors of logs.
type jsonLines struct {
	partial []byte // a line Docker cut in pieces
	process string // of the last line
}

// jsonProcess are the names of fields that identify processes, at the top or in nested
// objects; names with a leading dot at the top only.
var jsonProcess = ranked(
	"namespace_name",
	"namespace",
	"pod_name",
	"pod.name",
	"pod",
	"container_name",
	"container.name",
	"container_id",
	"container.id",
	".container",
	"docker.container",
	"instance_id",
	"_HOSTNAME",
	"_SYSTEMD_UNIT",
	"_PID",
	"host.name",
	".host",
	".hostname",
	"attributes.host",
	"labels.host",
	"logStream",
	"logStreamName",
	"process.pid",
	".pid",
)

func ranked(names ...string) map[string]int {
	m := map[string]int{}
	for i, name := range names {
		m[name] = i + 1
	}
	return m
}

// jsonTexts are the names of fields with a line of text, the likeliest first.
var jsonTexts = []string{"log", "message", "msg", "MESSAGE", "@message", "textPayload", "line", "stack"}

// jsonLine is the content of one object.
type jsonLine struct {
	key     string // of the text, the outermost there is
	text    string
	rank    int      // of the text among others; 0 for none
	process []string // by the rank of its parts
}

// jsonText reads an object that has a text; ok is false for any other line.
func jsonText(text []byte) (l jsonLine, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' || !l.object(text, "", 0) {
		return l, false
	}
	return l, l.rank > 0
}

// jsonDepth is how deep an object is looked into.
const jsonDepth = 4

func (l *jsonLine) object(text []byte, path string, depth int) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	for key, value := range fields {
		switch {
		case value[0] == '{' && depth < jsonDepth:
			l.object(value, path+"."+key, depth+1)
		case value[0] == '{' || value[0] == '[' || value[0] == 'n':
		default:
			l.field(path+"."+key, value, depth*len(jsonTexts))
		}
	}
	return true
}

func (l *jsonLine) field(path string, value []byte, below int) {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if rank := slices.Index(jsonTexts, key) + 1; rank > 0 && value[0] == '"' && (l.rank == 0 || below+rank < l.rank) {
		var text string
		if json.Unmarshal(value, &text) == nil {
			l.key = key
			l.text = text
			l.rank = below + rank
		}
	}
	parent := strings.LastIndexByte(strings.TrimSuffix(path, "."+key), '.') + 1
	for _, name := range [...]string{path, path[parent:], key} {
		if rank := jsonProcess[name]; rank > 0 {
			l.part(rank, strings.Trim(string(value), `"`))
			return
		}
	}
}

// part notes a field that identifies the process.
func (l *jsonLine) part(rank int, text string) {
	if l.process == nil {
		l.process = make([]string, len(jsonProcess)+1)
	}
	if l.process[rank] == "" || text < l.process[rank] { // fields come in any order
		l.process[rank] = text
	}
}

// joined puts two parts of a process's name together.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "/" + b
}

func findJSON(_ *Reader, text []byte) layer {
	if _, ok := jsonText(text); ok {
		return &jsonLines{}
	}
	return nil
}

func (j *jsonLines) last() string { return j.process }

// dockerPiece is the length from which Docker splits a line.
const dockerPiece = 16 << 10

func (j *jsonLines) strip(line []byte) []byte {
	l, ok := jsonText(line)
	if !ok {
		return line
	}
	j.process = ""
	for _, part := range l.process {
		j.process = joined(j.process, part)
	}
	text := append(j.partial, l.text...)
	j.partial = nil
	if strings.HasSuffix(l.text, "\n") {
		return text
	}
	if l.key == "log" && len(l.text) >= dockerPiece && len(text) < maxJoined {
		j.partial = text
		return nil
	}
	return append(text, '\n')
}

// maxJoined is how long a line may become of pieces.
const maxJoined = 1 << 20
