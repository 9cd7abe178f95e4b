package format

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// drawEvent draws an event with only the fields its kind has.
func drawEvent(t *rapid.T) Event {
	ev := Event{Kind: Kind(rapid.IntRange(int(KindThread), int(kindCount)-1).Draw(t, "kind"))}
	text := rapid.StringMatching(`[a-z "\\=,:/\x1bé]{0,8}`)
	party := rapid.Custom(func(t *rapid.T) Party {
		return Party{ThreadID(rapid.Uint32().Draw(t, "t")), StackID(rapid.Uint32().Draw(t, "s")), Mode(rapid.IntRange(0, 1).Draw(t, "m"))}
	})
	for _, f := range layouts[ev.Kind] {
		switch f {
		case fMode, fLockKind, fActivity:
			ev.setNumber(f, rapid.Uint64Range(0, 1).Draw(t, "small"))
		case fFrames:
			ev.Frames = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Frame {
				return Frame{text.Draw(t, "c"), text.Draw(t, "m"), text.Draw(t, "f"), rapid.IntRange(-1, 1<<30).Draw(t, "l")}
			}), 0, 3).Draw(t, "frames")
		case fOwners:
			ev.Owners = rapid.SliceOfN(party, 0, 3).Draw(t, "owners")
		case fWaiters:
			ev.Waiters = rapid.SliceOfN(party, 0, 3).Draw(t, "waiters")
		default:
			if p := ev.signed(f); p != nil {
				*p = rapid.Int64Range(-1<<40, 1<<61).Draw(t, "signed")
			} else if s := ev.text(f); s != nil {
				*s = text.Draw(t, "text")
			} else {
				ev.setNumber(f, uint64(rapid.Uint32().Draw(t, "id")))
			}
		}
	}
	return ev
}

func TestTextAndBinaryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEvent(t)
		var out bytes.Buffer
		w := NewTextWriter(&out)
		if err := errors.Join(w.Write(&want), w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := NewTextReader(&out, "t")
		if err != nil {
			t.Fatal(err)
		}
		var got Event
		if err := r.Read(&got); err != nil {
			t.Fatalf("%s: %v", AppendText(nil, &want), err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("text: %s", diff)
		}
		if err := r.Read(&got); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		last, back := int64(5), int64(5)
		raw := AppendEvent(nil, &want, &last)
		rest, err := DecodeEvent(raw, &got, &back, &Arena{})
		if err != nil || len(rest) > 0 || last != back {
			t.Fatal(err, rest)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("binary: %s", diff)
		}
	})
}

func TestTextErrorsSayTheLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		want error
	}{
		{"hello\n", 1, ErrNotMine},
		{"contend 9\n", 1, ErrVersion},
		{"contend 1\n\n# note\nfly away\n", 4, ErrCorrupt},
		{"contend 1\nwait time=x\n", 2, ErrCorrupt},
		{"contend 1\nwait name=\"x\"\n", 2, ErrCorrupt},
		{"contend 1\nwait thread=99999999999\n", 2, ErrCorrupt},
		{"contend 1\ncontention owners=1/2\n", 2, ErrCorrupt},
		{"contend 1\nstack stack=1 frames=\"a\":\"b\n", 2, ErrCorrupt},
	} {
		r, err := NewTextReader(strings.NewReader(c.text), "t.txt")
		for err == nil {
			err = r.Read(&Event{})
		}
		var fe *Error
		if !errors.As(err, &fe) || fe.Pos.Line != c.line || !errors.Is(err, c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
