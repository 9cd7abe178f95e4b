package record

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"

	"contend/format/record/foreign"
	"contend/format/whole"
)

// A JVM whose flight recorder finds no room for what it writes ends itself, and the
// program with it: so much has to be there when it begins, and half of that when its
// repository has been copied, as it is at the end.
const needed = 32 << 20

// repository is where a JVM's flight recorder keeps what it records, chunk by chunk.
// Of each the head says how much can be read: as of JDK 14 that is made good once a
// second, so that a JVM which is killed leaves a recording.
type repository struct {
	dir   *foreign.Dir
	first string // chunk of this recording, which begins one
}

// openRepository finds the repository of a recording that has just begun; nil where the
// JVM does not say where it is, or it cannot be reached.
func (s *session) openRepository() *repository {
	ctx, done := context.WithTimeout(s.ctx, patience)
	defer done()
	answer, err := s.p.Command(ctx, "jcmd", "JFR.configure") // whose lines tell
	_, path, found := strings.Cut(string(answer), "Repository path: ")
	if err != nil || !found {
		return nil
	}
	path, _, _ = strings.Cut(path, "\n")
	dir, err := s.p.Open(strings.TrimSpace(path))
	if err != nil {
		return nil
	}
	r := &repository{dir: dir}
	if all := r.chunks(); len(all) > 0 {
		r.first = all[len(all)-1]
	}
	return r
}

// chunks are the files of this recording, by their times, which are their names.
func (r *repository) chunks() []string {
	all := r.dir.Names("*.jfr")
	slices.Sort(all)
	at, _ := slices.BinarySearch(all, r.first)
	return all[at:]
}

// scarce reports whether the recording has to end, for want of room.
func (r *repository) scarce() bool {
	if r == nil {
		return false
	}
	free, ok := room(r.dir.File())
	if !ok {
		return false
	}
	written := uint64(0)
	for _, name := range r.chunks() {
		if info, err := r.dir.Lstat(name); err == nil {
			written += uint64(info.Size())
		}
	}
	return free < needed/2+written
}

// salvage returns what can be read of the recording of a JVM that was killed; nil where
// that is nothing. No name leads to it.
func (r *repository) salvage() *os.File {
	if r == nil {
		return nil
	}
	out, err := whole.Scratch()
	if err != nil {
		return nil
	}
	copied := int64(0)
	for _, name := range r.chunks() {
		n, err := r.copy(out, name)
		copied += n
		if err != nil {
			break // what came of it is read as a recording that was cut
		}
	}
	if _, err = out.Seek(0, io.SeekStart); err != nil || copied == 0 {
		out.Close()
		return nil
	}
	return out
}

// copy copies what can be read of a chunk.
func (r *repository) copy(to io.Writer, name string) (int64, error) {
	f, err := r.dir.Open(name)
	if err != nil {
		return 0, nil // no chunk of this recording: others may be
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || foreign.Links(info) != 1 { // one of many names of the same
		return 0, nil
	}
	var head [16]byte // magic, version, size
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return 0, nil
	}
	return io.Copy(to, io.NewSectionReader(f, 0, min(written(f), int64(binary.BigEndian.Uint64(head[8:])))))
}

func (r *repository) close() {
	if r != nil {
		r.dir.Close()
	}
}
