//go:build linux

package record

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"contend/cmd/record/foreign"
	"contend/golden"
)

// Of a JVM that was killed is read what its recording's chunks say of themselves that
// can be: nothing of what was there before, behind what was made good, or through a link.
func TestSalvage(t *testing.T) {
	chunk := func(readable uint64, text string) []byte {
		b := append([]byte("FLR\x00\x00\x02\x00\x01"), binary.BigEndian.AppendUint64(nil, readable)...)
		return append(b, text...)
	}
	for _, c := range []struct {
		name, want string
		files      map[string][]byte
	}{
		{"nothing made good", "", map[string][]byte{"2026_11_23_02_00_01.jfr": chunk(0, "abcd")}},
		{"no head", "", map[string][]byte{"2026_11_23_02_00_01.jfr": []byte("FLR")}},
		{"nothing at all", "", nil},
		{"the chunk before", "", map[string][]byte{"2026_11_23_02_00_00.jfr": chunk(20, "abcd")}},
		{"the first and others", "abEFGHi", map[string][]byte{
			"2026_11_23_02_00_00.jfr":    chunk(20, "----"),
			"2026_11_23_02_00_01.jfr":    chunk(18, "abcd"),
			"2026_11_23_02_00_01_01.jfr": chunk(20, "EFGH"),
			"2026_11_23_02_00_02.jfr":    chunk(17, "i"),
			"2026_11_23_02_00_02_01.jfr": chunk(17, "j"), // more than is to be read
		}},
		{
			"more than there is",
			"abcd",
			map[string][]byte{
				"2026_11_23_02_00_01.jfr": chunk(1<<63, "ab")[:16],
				"2026_11_23_02_00_02.jfr": chunk(90, "abcd"),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range c.files {
				golden.OK(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
			}
			root, err := foreign.OpenPath(dir, foreign.User{UID: os.Geteuid()})
			golden.OK(t, err)
			r := &repository{dir: root, first: "2026_11_23_02_00_01.jfr"}
			defer r.close()
			if err := os.Symlink("2026_11_23_02_00_00.jfr", filepath.Join(dir, "2026_11_23_02_00_03.jfr")); err != nil {
				t.Skip(err)
			}
			f := r.salvage(t.Context(), 18+20+17)
			if f == nil {
				if c.want != "" {
					t.Errorf("nothing, want %q", c.want)
				}
				return
			}
			defer f.Close()
			all, err := io.ReadAll(f)
			got := ""
			for _, part := range strings.Split(string(all), "FLR\x00\x00\x02\x00\x01") {
				if len(part) >= 8 {
					got += part[8:]
				}
			}
			if got != c.want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// A recording ends while there is room yet for all of it once more.
func TestScarce(t *testing.T) {
	folder := t.TempDir()
	root, err := foreign.OpenPath(folder, foreign.User{UID: os.Geteuid()})
	golden.OK(t, err)
	r := &repository{dir: root}
	defer r.close()
	free, ok := room(root.File())
	if !ok || free < needed {
		t.Skip("no room here, or it is not known")
	}
	if r.scarce() {
		t.Errorf("%d bytes are scarce", free)
	}
	f, err := os.Create(filepath.Join(folder, "2026_11_23_02_00_01.jfr"))
	if err == nil {
		err = f.Truncate(int64(free)) // of which nothing is written
	}
	if err != nil {
		t.Skip(err)
	}
	f.Close()
	if !r.scarce() {
		t.Errorf("%d bytes are enough to copy as many", free)
	}
	if (*repository)(nil).scarce() {
		t.Error("what has no flight recorder needs room")
	}
}

// A chunk has one name: another user could give one so many that no disk takes the copies.
func TestSalvageTakesNoChunkTwice(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "2026_11_23_02_00_01.jfr")
	head := append([]byte("FLR\x00\x00\x02\x00\x01"), binary.BigEndian.AppendUint64(nil, 16)...)
	golden.OK(
		t,
		errors.Join(os.WriteFile(name, head, 0o600), os.Link(name, filepath.Join(dir, "2026_11_23_02_00_02.jfr"))),
	)
	at := golden.Must(foreign.OpenPath(dir, foreign.User{UID: os.Geteuid(), GID: os.Getegid()}))(t)
	r := &repository{dir: at}
	defer r.close()
	if f := r.salvage(t.Context(), 1<<20); f != nil {
		f.Close()
		t.Error("chunks of two names were copied")
	}
}

// One chunk that is mounted at many names is copied once, and what has been copied when the
// user gives up is all.
func TestSalvageTakesNoMountedChunkTwice(t *testing.T) {
	dir := t.TempDir()
	chunk := append(append([]byte("FLR\x00\x00\x02\x00\x01"), binary.BigEndian.AppendUint64(nil, 16+4)...), "abcd"...)
	for n := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("2026_11_23_02_00_0%d.jfr", n))
		golden.OK(t, os.WriteFile(name, chunk, 0o600))
		if n > 0 {
			first := filepath.Join(dir, "2026_11_23_02_00_00.jfr")
			if err := syscall.Mount(first, name, "", syscall.MS_BIND, ""); err != nil {
				t.Skipf("only root mounts: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(name, syscall.MNT_DETACH) })
		}
	}
	at := golden.Must(foreign.OpenPath(dir, foreign.User{UID: os.Geteuid(), GID: os.Getegid()}))(t)
	r := &repository{dir: at}
	defer r.close()
	f := golden.Must(r.salvage(t.Context(), 1<<20), error(nil))(t)
	defer f.Close()
	if size := written(f); size != int64(len(chunk)) {
		t.Errorf("%d bytes of a chunk of %d", size, len(chunk))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if f := r.salvage(ended, 1<<20); f != nil {
		f.Close()
		t.Error("it goes on after its end")
	}
}
