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

	"contend/cmd/atomicfile"
	"contend/cmd/record/foreign"
)

// A JVM exits when JFR runs out of disk space. needed is the free space, in bytes, required
// to start recording; half of it must remain after the repository is copied at the end.
const needed = 32 << 20

// repository is the directory of a JVM's flight recorder, with the chunks of a recording.
// The header of a chunk says how much of it can be read: since JDK 14 it is updated once a
// second, so that a killed JVM leaves a recording.
type repository struct {
	dir   *foreign.Dir
	first string // first chunk of this recording
}

// openRepository finds the repository of a recording that has just begun; nil if the JVM
// does not say where it is, or it cannot be reached.
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
	all := r.chunks()
	if len(all) > 0 {
		r.first = all[len(all)-1].Name()
	}
	if home, name := filepath.Split(path); len(all) == 1 && filepath.Base(home) == s.dir.name {
		_ = s.dir.writeFile(chunkName, name+"/"+r.first)
	}
	return r
}

// repositoryPath returns the directory of the flight recorder; "" if the JVM does not say.
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

// These are notes in a folder: the flight recorder's previous directory, and the chunk that has
// only the data of contend's recording. That is the first one if no recording ran when it
// began: the start of any other begins a new chunk.
const (
	homeName  = "repository.txt"
	chunkName = "chunk.txt"
)

// hide makes the flight recorder write into the folder, because every user can read its own
// directory; not if a recording runs already. The error is a JVM that does not answer.
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
	if s.dir.writeFile(homeName, home) == nil {
		_, _ = s.jcmd(s.ctx, "JFR.configure repositorypath=%s", s.dir.path(""))
	}
	return nil
}

// reveal makes it write to its previous directory again, unless another recorder needs the
// folder.
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
	home, err := folder.Read(homeName, longestNote)
	if err != nil {
		home = []byte(s.p.Temp())
	}
	if _, err := s.jcmd(ctx, "JFR.configure repositorypath=\"%s\"", home); err == nil {
		_ = folder.Remove(homeName)
		removeRepositories(folder, false)
	}
}

// chunks returns the files of this recording, ordered by their times, which are their
// names.
func (r *repository) chunks() []fs.FileInfo {
	all := r.dir.List("*.jfr")
	return slices.DeleteFunc(all, func(f fs.FileInfo) bool { return f.Name() < r.first })
}

// scarce reports whether the recording has to end for lack of space.
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

// mostChunks bounds the chunks that are copied: a JVM begins one every 12 MB.
const mostChunks = 1 << 10

// salvage returns the readable part of the recording of a killed JVM, at most most bytes, in
// a file without a name; nil if there is none. It ends with ctx, and leaves space on the disk
// it copies to.
func (r *repository) salvage(ctx context.Context, most int64) *os.File {
	if r == nil {
		return nil
	}
	out, err := atomicfile.Scratch()
	if err != nil {
		return nil
	}
	copied, seen := int64(0), []fs.FileInfo(nil)
	for _, chunk := range r.chunks() {
		if len(seen) == mostChunks || ctx.Err() != nil {
			break
		}
		info, n, err := r.copy(ctx, out, chunk.Name(), seen, most-copied)
		copied += n
		if err != nil {
			break // the part so far is read as a truncated recording
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

// copy copies the readable part of a chunk, at most most bytes, unless it was copied under another name: its
// user can mount one file at many names. The file is nil if it is not a chunk of this
// recording.
func (r *repository) copy(
	ctx context.Context,
	to *os.File,
	name string,
	seen []fs.FileInfo,
	most int64,
) (info fs.FileInfo, n int64, err error) {
	f, err := r.dir.Open(name)
	if err != nil {
		return nil, 0, nil // others may be
	}
	defer f.Close()
	info, err = f.Stat()
	if err != nil || foreign.Links(info) != 1 ||
		slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
		return nil, 0, nil
	}
	var head [16]byte // magic, version, size
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, 0, nil
	}
	size := min(written(f), int64(binary.BigEndian.Uint64(head[8:])), most)
	if free, ok := room(to); ok && size > 0 && free < needed+uint64(size) {
		return nil, 0, syscall.ENOSPC
	}
	defer context.AfterFunc(ctx, func() { f.Close() })() // this ends the copying
	n, err = io.Copy(to, io.NewSectionReader(f, 0, size))
	return info, n, err
}

func (r *repository) close() {
	if r != nil {
		r.dir.Close()
	}
}
