package pprof

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"contend/format"

	"github.com/google/pprof/profile"
)

// small is an unpacked profile of one sample.
func small(t testing.TB, types ...string) []byte {
	t.Helper()
	f := &profile.Function{ID: 1, Name: "Cache.get"}
	l := &profile.Location{ID: 1, Address: 1, Mapping: &profile.Mapping{ID: 1, File: mappingFile}, Line: []profile.Line{{Function: f}}}
	p := &profile.Profile{Mapping: []*profile.Mapping{l.Mapping}, Function: []*profile.Function{f}, Location: []*profile.Location{l},
		PeriodType: &profile.ValueType{}, Comments: []string{viewComment + "blame"}}
	s := &profile.Sample{Location: p.Location}
	for i, name := range types {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "count"})
		s.Value = append(s.Value, int64(i+1))
	}
	p.Sample = []*profile.Sample{s}
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A profile cut anywhere, or with any byte changed, is joined or refused with
// the file's name and a reason, never more.
func TestDamagedProfiles(t *testing.T) {
	good := small(t, "contentions", "delay")
	check := func(data []byte, want ...error) {
		var j Joiner
		err := j.Add(bytes.NewReader(data), "x.pb.gz", "x")
		var fe *format.Error
		switch {
		case err == nil && len(want) == 0:
			if err := j.Write(io.Discard); err != nil {
				t.Errorf("% x: %v", data, err)
			}
		case err != nil && (!errors.As(err, &fe) || fe.Pos.File != "x.pb.gz"):
			t.Errorf("% x: %v is no positioned error", data, err)
		}
		for _, w := range want {
			if !errors.Is(err, w) {
				t.Errorf("%.40x: %v, want %v", data, err, w)
			}
		}
	}
	for i := range good {
		check(good[:i])
		for _, b := range []byte{0, 0x7f, 0xff} {
			bad := bytes.Clone(good)
			bad[i] = b
			check(bad)
		}
	}
	check(good[:len(good)-1], format.ErrTruncated)
	check(append(bytes.Clone(good), bytes.Repeat([]byte{0x12, 0}, 1<<20)...), format.ErrCorrupt) // samples of nothing
	check(make([]byte, maxProfile+1), format.ErrLimit)
}

// Only what begins as a profile does is one.
func TestProfilesAreTold(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(small(t, "delay"))
	_ = z.Close()
	for _, c := range []struct {
		head string
		want bool
	}{
		{string(small(t, "delay")), true},
		{"\x0a\x04\x08\x01\x10\x02", true},
		{"\x5a\x04\x08\x01\x10\x02\x60\x01", true}, // as runtime/pprof begins one
		{"\x62\x04\x08\x01\x10\x02", false},        // comments come last
		{packed.String(), false},                   // unpack it first
		{"", false}, {"\x0a", false}, {"\x0a\x00", false}, {"\x0a\x04\x08\x01", false},
		{"\n2026-01-31 12:00:00\nFull thread dump", false},
		{"\x0a\x02\x18\x01", false}, // its pair would have a third
		{format.Magic, false},
	} {
		if Is([]byte(c.head)) != c.want {
			t.Errorf("%.20q: %v", c.head, !c.want)
		}
	}
}

// Frames of two profiles become one; profiles whose values differ do not join.
func TestJoin(t *testing.T) {
	var j Joiner
	for _, label := range []string{"a", "b"} {
		if err := j.Add(bytes.NewReader(small(t, "contentions", "delay")), label, label); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Add(bytes.NewReader(small(t, "threads")), "c", "c"); !errors.Is(err, format.ErrNotMine) {
		t.Errorf("counts with times: %v", err)
	}
	var out bytes.Buffer
	if err := j.Write(&out); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sample) != 2 || len(p.Location) != 1 || p.Location[0].Address == 0 {
		t.Errorf("%d samples, %d locations, the first at %d: %s", len(p.Sample), len(p.Location), p.Location[0].Address, p)
	}
}
