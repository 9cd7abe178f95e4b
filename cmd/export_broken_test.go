package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/format/workers"
	"contend/golden"
	"contend/report/document/facts"
)

// What is broken is a row that says so; the others are whole.
func TestBrokenRecordingsAreRows(t *testing.T) {
	day := fleet(t, 40)
	good := golden.Must(os.ReadFile("../testdata/truth-light-8threads.jfr"))(t)
	broken := map[string][]byte{
		"empty.jfr":   nil,
		"garbage.jfr": []byte("\x00\x01\x02 nothing"),
		"cut.jfr":     good[:100],
		"head.jfr":    good[:4],
	}
	for name, data := range broken {
		golden.OK(t, os.WriteFile(filepath.Join(day, name), data, 0o644))
	}
	dir := t.TempDir()
	if code, said := exportTo(t, day, "-o", dir, "--max-unreadable", "5%"); code != exitDamaged ||
		!strings.Contains(
			said,
			"4 of 44 recordings cannot be read, the first is "+filepath.Join(day, "cut.jfr")+": ",
		) ||
		strings.Count(said, "\n") != 1 {
		t.Errorf("exit %d: %s", code, said)
	}
	if code, said := exportTo(t, day, "-o", dir, "--max-unreadable", "10%"); code != exitOK {
		t.Errorf("exit %d: %s", code, said)
	}
	for _, r := range tableRows[facts.Recording](t, dir, "recordings") {
		if _, is := broken[filepath.Base(r.Recording)]; is != (r.Error != "") || is != (r.Waits == 0) ||
			is != (r.Start == 0) {
			t.Errorf("%s: %d waits, error %q", r.Recording, r.Waits, r.Error)
		}
		if strings.HasPrefix(r.Error, r.Recording+": ") {
			t.Errorf("names itself twice: %q", r.Error)
		}
	}
}

// Whoever looks while an export is at work, or after it was killed, sees no part
// of a file, nor any when it failed.
func TestNoPartOfAFileIsSeen(t *testing.T) {
	day, dir := fleet(t, 3), t.TempDir()
	golden.OK(t, os.MkdirAll(filepath.Join(dir, "locks"), 0o755))
	if err := os.WriteFile(filepath.Join(dir, "waits"), nil, 0o644); err != nil { // no folder can be made
		t.Fatal(err)
	}
	if code, _ := exportTo(t, day, "-o", dir); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	for _, line := range strings.Split(strings.TrimSpace(bytesOf(t, dir)), "\n") {
		if !strings.HasPrefix(line, "/waits") {
			t.Errorf("left behind: %.80s", line)
		}
	}
}

// Six hundred recordings, six of them broken, take little more memory than a few: 100 KB
// of each that were kept would be as much again.
func TestMemoryDoesNotGrowWithTheFleet(t *testing.T) {
	golden.Thorough(t)
	onlyLinux(t)
	const bound = 112 << 20
	day := fleet(t, 40)
	one, _ := filepath.Glob(filepath.Join(day, "*", "*", "*.bin"))
	for i := range 560 {
		name := filepath.Join(day, "more", fmt.Sprintf("%04d.bin", i))
		golden.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		if i%98 == 0 {
			golden.OK(t, os.WriteFile(name, []byte("broken"), 0o644))
		} else if err := os.Link(one[i%len(one)], name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	most := peak(t, bound, "export", day, "-o", dir)
	t.Logf("%d MB", most>>20)
	if most == 0 || most > bound {
		t.Errorf("%d MB", most>>20)
	}
	broken := 0
	for _, r := range tableRows[facts.Recording](t, dir, "recordings") {
		if r.Error != "" {
			broken++
		}
	}
	golden.Equal(t, broken, 6, "are told to be broken")
}

// An export that is interrupted ends at once, however long the recording takes that is
// analysed.
func TestInterruptedExportsEndAtOnce(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	forever := make(chan struct{})
	defer close(forever)
	go interrupt()
	o := exportOptions{jobs: 2}
	_, err := o.each(ctx, []string{"a.jfr", "b.jfr", "c.jfr"}, func(string) (*facts.Facts, error) {
		<-forever
		return &facts.Facts{}, nil
	}, func(*facts.Facts) error { return nil }, &env{msg: io.Discard})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// An interrupted export leaves the folders as they were: those it made are gone, those
// that were there stay, and so do those another part has put something into.
func TestInterruptedExportsLeaveNoFolders(t *testing.T) {
	for _, there := range []string{"", "facts", "facts/waits/host=a/other.parquet"} {
		t.Run(there, func(t *testing.T) {
			dir := t.TempDir()
			ctx, interrupt := context.WithCancel(context.Background())
			o := exportOptions{
				jobs:      1,
				out:       filepath.Join(dir, "facts"),
				interval:  time.Minute,
				partition: []string{"host"},
			}
			if there == "facts" {
				golden.OK(t, os.Mkdir(o.out, 0o755))
			}
			_, err := o.write(
				ctx,
				&env{msg: io.Discard},
				[]string{"a.jfr", "b.jfr"},
				func(name string) (*facts.Facts, error) {
					if name == "b.jfr" { // the folders are made by now
						if filepath.Base(there) == "other.parquet" {
							if err := os.WriteFile(filepath.Join(dir, there), []byte("x"), 0o644); err != nil {
								t.Error(err)
							}
						}
						interrupt()
					}
					return facts.New(name, "", map[string]string{"host": "a"}), nil
				},
			)
			left := ""
			_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
				if path != dir && !strings.HasPrefix(filepath.Join(dir, there), path) {
					left += path + " "
				}
				return nil
			})
			if _, gone := os.Stat(filepath.Join(dir, there)); !errors.Is(err, context.Canceled) || left != "" ||
				gone != nil {
				t.Errorf("%v: left behind: %q; what was there: %v", err, left, gone)
			}
		})
	}
}

// An analysis that panics, in a goroutine of its own too, is one line and a failure, and
// costs nothing that the other recordings gave.
func TestExportKeepsWhatOthersGave(t *testing.T) {
	const light = "../testdata/truth-light-8threads.jfr"
	o := exportOptions{jobs: 2, out: filepath.Join(t.TempDir(), "facts"), interval: time.Minute}
	golden.OK(t, o.check())
	var msg strings.Builder
	e := &env{msg: &msg}
	names := []string{"a.jfr", light, "z.jfr"}
	err := o.export(t.Context(), e, names, func(name string) *facts.Facts {
		var g workers.Group
		if name != light {
			g.Go(func() { _ = strings.Repeat("x", -1) })
		}
		g.Wait()
		return o.analyse(name)
	})
	if code := e.exit(err); code != exitFailed || strings.Count(msg.String(), "\n") != 1 ||
		!strings.Contains(msg.String(), "internal error: strings: negative Repeat count") {
		t.Errorf("exit %d: %s", code, &msg)
	}
	for i, r := range tableRows[facts.Recording](t, o.out, "recordings") {
		if broken := names[i] != light; r.Recording != names[i] ||
			broken != strings.Contains(r.Error, "internal error") ||
			broken == (r.Waits > 0) {
			t.Errorf("%s: %d waits, error %q", r.Recording, r.Waits, r.Error)
		}
	}
	if err := filepath.WalkDir(o.out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != ".parquet" {
			t.Errorf("left behind: %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
