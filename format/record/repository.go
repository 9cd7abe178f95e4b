package record

import (
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
	path := s.repositoryPath(s.ctx)
	if path == "" {
		return nil
	}
	dir, err := s.p.Open(path)
	if err != nil {
		return nil
	}
	r := &repository{dir: dir}
	if all := r.chunks(); len(all) > 0 {
		r.first = all[len(all)-1].Name()
	}
	return r
}

// repositoryPath is where the flight recorder writes, or would; "" where the JVM does not say.
func (s *session) repositoryPath(ctx context.Context) string {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	answer, err := s.p.Command(ctx, "jcmd", "JFR.configure") // whose lines tell
	_, path, found := strings.Cut(string(answer), "Repository path: ")
	if err != nil || !found {
		return ""
	}
	path, _, _ = strings.Cut(path, "\n")
	if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// homeName is the file in a folder that says where the flight recorder wrote before.
const homeName = "repository.txt"

// hide has the flight recorder write into the folder: what it writes every user may read. It does
// not where something is recorded already. The error is that of a JVM that does not answer.
func (s *session) hide() error {
	answer, err := s.jcmd(s.ctx, "JFR.check") // which makes it choose a directory
	if err != nil {
		return err
	}
	path := s.repositoryPath(s.ctx)
	home := filepath.Dir(path)
	if path == "" || ours.MatchString(filepath.Base(home)) || !strings.HasPrefix(answer, "No available recordings") {
		return nil
	}
	_ = s.dir.here.Remove(homeName)
	if f, err := s.dir.add(homeName, []byte(home)); err == nil {
		f.Close()
		_, _ = s.jcmd(s.ctx, "JFR.configure repositorypath=%s", s.dir.path(""))
	}
	return nil
}

// reveal has it write where it did before, unless another recorder needs the folder that it writes to.
func (s *session) reveal(ctx context.Context) {
	answer, err := s.jcmd(ctx, "JFR.check")
	if err != nil || strings.Contains(answer, "name=contend-") {
		return
	}
	name := filepath.Base(filepath.Dir(s.repositoryPath(ctx)))
	if !ours.MatchString(name) {
		return
	}
	in, err := s.p.Open(s.p.Temp())
	if err != nil {
		return
	}
	defer in.Close()
	folder, err := in.Sub(name)
	if err != nil {
		return
	}
	defer folder.Close()
	home := []byte(s.p.Temp())
	if f, err := folder.Open(homeName); err == nil {
		home, _ = io.ReadAll(io.LimitReader(f, 1<<12))
		f.Close()
	}
	if _, err := s.jcmd(ctx, "JFR.configure repositorypath=\"%s\"", home); err == nil {
		_ = folder.Remove(homeName)
		removeRepositories(folder, false)
	}
}

// chunks are the files of this recording, by their times, which are their names.
func (r *repository) chunks() []fs.FileInfo {
	all := r.dir.List("*.jfr")
	return slices.DeleteFunc(all, func(f fs.FileInfo) bool { return f.Name() < r.first })
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
	for _, info := range r.chunks() {
		written += uint64(info.Size())
	}
	return free < needed/2+written
}

// mostChunks are copied of a recording: a JVM begins one every 12 MB.
const mostChunks = 1 << 10

// salvage returns what can be read of the recording of a JVM that was killed; nil where
// that is nothing. No name leads to it. It ends with ctx, and leaves room where it copies to.
func (r *repository) salvage(ctx context.Context) *os.File {
	if r == nil {
		return nil
	}
	out, err := whole.Scratch()
	if err != nil {
		return nil
	}
	copied, seen := int64(0), []fs.FileInfo(nil)
	for _, chunk := range r.chunks() {
		if len(seen) == mostChunks || ctx.Err() != nil {
			break
		}
		info, n, err := r.copy(ctx, out, chunk.Name(), seen)
		copied += n
		if err != nil {
			break // what came of it is read as a recording that was cut
		}
		if info != nil {
			seen = append(seen, info)
		}
	}
	if _, err = out.Seek(0, io.SeekStart); err != nil || copied == 0 {
		out.Close()
		return nil
	}
	return out
}

// copy copies what can be read of a chunk, unless it was seen by another name: its user can
// mount one file at many. The file is nil where it is no chunk of this recording.
func (r *repository) copy(ctx context.Context, to *os.File, name string, seen []fs.FileInfo) (info fs.FileInfo, n int64, err error) {
	f, err := r.dir.Open(name)
	if err != nil {
		return nil, 0, nil // others may be
	}
	defer f.Close()
	info, err = f.Stat()
	if err != nil || foreign.Links(info) != 1 || slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
		return nil, 0, nil
	}
	var head [16]byte // magic, version, size
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, 0, nil
	}
	size := min(written(f), int64(binary.BigEndian.Uint64(head[8:])))
	if free, ok := room(to); ok && size > 0 && free < needed+uint64(size) {
		return nil, 0, syscall.ENOSPC
	}
	defer context.AfterFunc(ctx, func() { f.Close() })() // which ends the copying
	n, err = io.Copy(to, io.NewSectionReader(f, 0, size))
	return info, n, err
}

func (r *repository) close() {
	if r != nil {
		r.dir.Close()
	}
}
