package format

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The stranger is a decoder written from README.md alone: it takes kinds,
// fields, how they are stored and what numbers are called from the tables
// there, and shares no code with the package. What it makes of the examples
// must be the text beside them.
type stranger struct {
	kinds  map[uint64]specKind
	stored map[string]string            // field -> varint, signed, string, or a list
	names  map[string]map[uint64]string // field -> number -> name
	late   map[string]bool              // fields that an event may end before
	rest   []byte
	last   int64
}

type specKind struct {
	name   string
	fields []string
}

func readSpec(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	tableRow = regexp.MustCompile(`(?m)^\| (.*?) \| (.*?) \| (.*?) \|$`)
	called   = regexp.MustCompile(`(\d+) ([a-z]+)(?:, |\.|$)`)
)

func learn(text string) *stranger {
	s := &stranger{
		kinds:  map[uint64]specKind{},
		stored: map[string]string{},
		names:  map[string]map[uint64]string{},
		late:   map[string]bool{},
	}
	for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
		if id, err := strconv.ParseUint(row[1], 10, 64); err == nil {
			s.kinds[id] = specKind{row[2], strings.Split(row[3], ", ")}
			continue
		}
		for field := range strings.SplitSeq(row[1], ", ") {
			s.stored[field] = row[2]
			s.late[field] = strings.Contains(row[3], "may be missing at the end")
			switch field {
			case "mode", "kind", "activity":
				s.names[field] = map[uint64]string{}
				for _, m := range called.FindAllStringSubmatch(row[3], -1) {
					id, _ := strconv.ParseUint(m[1], 10, 64) // the pattern takes digits only
					s.names[field][id] = m[2]
				}
			}
		}
	}
	return s
}

// nextBytes, varint, signed and str read without checks: the examples are whole.
func (s *stranger) nextBytes(n uint64) []byte {
	b := s.rest[:n]
	s.rest = s.rest[n:]
	return b
}

func (s *stranger) varint() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := s.nextBytes(1)[0]
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (s *stranger) signed() int64 {
	u := s.varint()
	if u%2 == 1 {
		return -int64(u/2) - 1
	}
	return int64(u / 2)
}

func (s *stranger) str() string { return `"` + string(s.nextBytes(s.varint())) + `"` }

// file decodes a trace of plain blocks into lines of text.
func (s *stranger) file(data []byte) (lines []string, err error) {
	s.rest = data
	file := s.nextBytes(12)
	const size = 33
	if !bytes.Equal(file, []byte{0x89, 0x43, 0x54, 0x44, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0}) {
		return nil, fmt.Errorf("file header % x", file)
	}
	lines = []string{"contend 1"}
	for len(s.rest) > 0 {
		head := s.nextBytes(size)
		stored, raw, codec := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:]), head[16]
		count, first := int(binary.LittleEndian.Uint32(head[17:])), binary.LittleEndian.Uint64(head[21:])
		sum := binary.LittleEndian.Uint32(head[size-4:])
		summed := append(bytes.Clone(head[8:size-4]), s.rest[:stored]...)
		if hex.EncodeToString(head[:8]) != "f0435444626c6b0f" || stored != raw || codec != 0 ||
			sum != crc32.Checksum(summed, crc32.MakeTable(crc32.Castagnoli)) {
			return nil, fmt.Errorf("block header % x", head)
		}
		s.last = int64(first)
		end := len(s.rest) - int(stored)
		for range count {
			line, err := s.event()
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
		if len(s.rest) != end {
			return nil, fmt.Errorf("%d bytes behind the block's last event", len(s.rest)-end)
		}
	}
	return lines, nil
}

func (s *stranger) event() (string, error) {
	id := s.varint()
	kind, known := s.kinds[id]
	end := len(s.rest) - 1 - int(s.rest[0]) // the examples' events are short
	s.varint()
	if !known {
		return "", fmt.Errorf("kind %d is not in the table", id)
	}
	line, own := kind.name, int64(0)
	for _, field := range kind.fields {
		if s.late[field] && len(s.rest) == end {
			break
		}
		value, err := s.field(field, &own)
		if err != nil {
			return "", err
		}
		if value != "" && value != "0" && value != `""` {
			line += " " + field + "=" + value
		}
	}
	if len(s.rest) != end {
		return "", fmt.Errorf("%s: %d bytes too many", line, len(s.rest)-end)
	}
	return line, nil
}

// field reads one field as text; own is the time of its event.
func (s *stranger) field(field string, own *int64) (string, error) {
	how, _, _ := strings.Cut(s.stored[field], ";")
	switch {
	case field == "time":
		s.last += s.signed()
		*own = s.last
		return strconv.FormatInt(*own, 10), nil
	case field == "end" || field == "intended":
		return strconv.FormatInt(*own+s.signed(), 10), nil
	case how == "signed":
		return strconv.FormatInt(s.signed(), 10), nil
	case how == "string":
		return s.str(), nil
	case how == "varint":
		v := s.varint()
		if name := s.names[field][v]; name != "" && v != 0 {
			return name, nil
		}
		return strconv.FormatUint(v, 10), nil
	case how != "varint count":
		return "", fmt.Errorf("field %s is stored as %q", field, how)
	}
	items := make([]string, s.varint())
	for i := range items {
		if field == "frames" {
			items[i] = fmt.Sprintf("%s:%s:%s:%d", s.str(), s.str(), s.str(), s.signed())
		} else {
			items[i] = fmt.Sprintf("%d/%d/%c", s.varint(), s.varint(), "xs"[s.varint()])
		}
	}
	return strings.Join(items, ","), nil
}

var examples = regexp.MustCompile("(?s)```hex\n(.*?)```\n\n```text\n(.*?)```")

func TestAStrangerDecodesTheExamples(t *testing.T) {
	spec := readSpec(t)
	found := examples.FindAllStringSubmatch(spec, -1)
	if len(found) < 2 {
		t.Fatalf("%d examples in the specification", len(found))
	}
	for _, example := range found {
		data, err := hex.DecodeString(strings.Join(strings.Fields(example[1]), ""))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := learn(spec).file(data)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(example[2], strings.Join(lines, "\n")+"\n"); diff != "" {
			t.Error(diff)
		}

		// And the writer writes these bytes for that text.
		events, st, err := readText(strings.NewReader(example[2]))
		if err != nil || len(st.Warnings) > 0 {
			t.Fatal(err, st.Warnings)
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			_ = w.Write(&events[i]) // Close reports it
		}
		if err := w.Close(); err != nil || !bytes.Equal(out.Bytes(), data) {
			t.Errorf("%v; the writer writes\n%s", err, hex.Dump(out.Bytes()))
		}
	}
}

// The tables of the specification list what the code has: every kind with its
// fields in order, every name of a number, every constant.
func TestTheSpecificationListsEverything(t *testing.T) {
	spec := readSpec(t)
	s := learn(spec)
	kinds := map[uint64]specKind{}
	for k := KindNone + 1; k < kindCount; k++ {
		row := specKind{name: k.String()}
		for _, f := range layouts[k] {
			row.fields = append(row.fields, fieldNames[f])
		}
		kinds[uint64(k)] = row
	}
	if diff := cmp.Diff(kinds, s.kinds, cmp.AllowUnexported(specKind{})); diff != "" {
		t.Error(diff)
	}
	for f, name := range fieldNames {
		if s.stored[name] == "" || s.late[name] != appended[f] {
			t.Errorf("field %s is not in the table, or may be missing there and not here", name)
		}
	}
	for field, names := range map[string][]string{"mode": modeNames[:], "kind": lockKindNames[:],
		"activity": activityNames[:]} {
		want := map[uint64]string{}
		for i, n := range names {
			want[uint64(i)] = n
		}
		if diff := cmp.Diff(want, s.names[field]); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
	for _, constant := range []string{
		fmt.Sprintf("magic `% x`", Magic),
		fmt.Sprintf("marker `% x`", Marker),
		fmt.Sprintf("at most %d MiB", MaxBlock>>20),
		fmt.Sprintf("version, %d;", Version),
		fmt.Sprintf("header has %d bytes", BlockHeaderSize(Version)),
		fmt.Sprintf("A line is at most %d MiB", maxLine>>20),
		fmt.Sprintf("first line is `%s`", TextHeader),
		fmt.Sprintf("at most %d.", MaxBlockEvents),
		fmt.Sprintf("the reader keeps the first %d", MaxFrames),
		fmt.Sprintf("at most %d frames together; at most %d count for each", MaxBlockFrames, MaxFrames),
	} {
		if !strings.Contains(spec, constant) {
			t.Errorf("the specification does not say %q", constant)
		}
	}
}
