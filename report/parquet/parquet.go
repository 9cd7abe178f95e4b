// Package parquet writes facts as files of Apache Parquet: a folder for each table, and in
// it a file for each export, which is there whole or not at all.
package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"contend/report/document/facts"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Folder writes the files of one export. Their names are the part's, so that a repeated
// export replaces its files. Until Commit they have other names, which differ in each attempt
// and begin with a dot: engines skip those.
type Folder struct {
	dir, part, attempt string
	version            string
	interval           int64
	recordings         *file[facts.Recording]
	parts              map[string]*files // by partition, a path such as service=shop/date=2026-01-31
	all                []closer          // every file, that of the recordings first
	rows               int
	made               []string // folders, outer ones first
}

// files are the tables of one partition.
type files struct {
	intervals *file[facts.Interval]
	locks     *file[facts.Lock]
	lengths   *file[facts.Length]
	waits     *file[facts.Wait]
}

// MaxPartitions is how many partitions one export may write to: each keeps four
// files open, and what it has not written yet.
const MaxPartitions = 64

// ErrPartitions says that there are more.
var ErrPartitions = errors.New("too many partitions")

// New returns a writer to a folder, which is made when the first file is. The
// name of the part may have letters, digits, - and _ only.
func New(dir, part, version string, intervalNs int64) *Folder {
	return &Folder{
		dir:      dir,
		part:     part,
		attempt:  fmt.Sprintf("%016x.tmp", rand.Uint64()),
		version:  version,
		interval: intervalNs,
		parts:    map[string]*files{},
	}
}

// open makes the files of a partition, "" for none. They may stay empty: engines
// want a file to read the columns from.
func (w *Folder) open(partition string) (err error) {
	if w.recordings == nil {
		w.recordings = create[facts.Recording](w, facts.RecordingsTable, "", &err)
	}
	if err != nil || w.parts[partition] != nil {
		return err
	}
	if len(w.parts) == MaxPartitions {
		return ErrPartitions
	}
	w.parts[partition] = &files{
		intervals: create[facts.Interval](w, facts.IntervalsTable, partition, &err),
		locks:     create[facts.Lock](w, facts.LocksTable, partition, &err),
		lengths:   create[facts.Length](w, facts.LengthsTable, partition, &err),
		waits:     create[facts.Wait](w, facts.WaitsTable, partition, &err),
	}
	return err
}

// maxRows is how many rows are kept, in all files together, before they are
// written as groups.
const maxRows = 32_768

// Write adds a recording to a partition.
func (w *Folder) Write(f *facts.Facts, partition string) error {
	if err := w.open(partition); err != nil {
		return err
	}
	p := w.parts[partition]
	err := errors.Join(w.recordings.write([]facts.Recording{f.Recording}), p.intervals.write(f.Intervals),
		p.locks.write(f.Locks), p.lengths.write(f.Lengths), p.writeWaits(&f.Waits))
	if err != nil {
		return err
	}
	if w.rows += 1 + len(f.Intervals) + len(f.Locks) + len(f.Lengths) + f.Waits.Len(); w.rows < maxRows {
		return nil
	}
	w.rows = 0
	return w.each(closer.flush)
}

// rowsAtOnce are made before they are written.
const rowsAtOnce = 1024

func (p *files) writeWaits(all *facts.Waits) error {
	rows := make([]facts.Wait, 0, min(all.Len(), rowsAtOnce))
	for row := range all.All() {
		if rows = append(rows, *row); len(rows) == rowsAtOnce {
			if err := p.waits.write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return p.waits.write(rows)
}

// closer is what all files have, whatever their rows.
type closer interface {
	flush() error
	finish() error
	commit() error
	remove()
}

// each does something to all files, that of the recordings last: where it is, the others are.
func (w *Folder) each(do func(closer) error) error {
	for _, c := range slices.Backward(w.all) {
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

// Commit ends all files and gives them their names, when all are whole.
func (w *Folder) Commit() error {
	if err := w.each(closer.finish); err != nil {
		return err
	}
	return w.each(closer.commit)
}

// Discard removes what has not been committed, and the folders that were made for it.
func (w *Folder) Discard() {
	for _, c := range w.all {
		c.remove()
	}
	w.unmake()
}

// file is one file in the making.
type file[R any] struct {
	temp, name string
	out        *os.File
	rows       *parquet.GenericWriter[R]
	pending    bool
}

// create makes a file of a table; where an earlier one failed it makes none.
func create[R any](w *Folder, table, partition string, failed *error) *file[R] {
	if *failed != nil {
		return nil
	}
	dir := filepath.Join(w.dir, table, filepath.FromSlash(partition))
	base := w.part + ".parquet"
	f := &file[R]{name: filepath.Join(dir, base)}
	out, err := w.inFolder(dir, "."+base+"."+w.attempt)
	if err != nil {
		*failed = err
		return nil
	}
	f.out, f.temp = out, out.Name()
	f.rows = parquet.NewGenericWriter[R](
		out,
		parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("contend", w.version, ""),
		parquet.PageBufferSize(
			64<<10,
		),
		parquet.WriteBufferSize(16<<10),
		parquet.KeyValueMetadata("contend.schema", facts.Schema),
		parquet.KeyValueMetadata("contend.table", table),
		parquet.KeyValueMetadata("contend.interval_ns", fmt.Sprint(w.interval)),
	)
	w.all = append(w.all, f)
	return f
}

func (f *file[R]) write(rows []R) error {
	f.pending = f.pending || len(rows) > 0
	_, err := f.rows.Write(rows)
	return err
}

// flush writes what there is as a group of rows.
func (f *file[R]) flush() error {
	if !f.pending {
		return nil
	}
	f.pending = false
	return f.rows.Flush()
}

func (f *file[R]) finish() error {
	if err := f.rows.Close(); err != nil {
		return err
	}
	return errors.Join(f.out.Sync(), f.out.Close())
}

func (f *file[R]) commit() error {
	err := os.Rename(f.temp, f.name)
	if err == nil {
		f.temp = ""
	}
	return err
}

func (f *file[R]) remove() {
	if f.temp != "" {
		_ = f.out.Close()
		_ = os.Remove(f.temp)
	}
}

// An export that is interrupted, or fails, leaves no folder behind that it made. Several
// exports may write to the same folders: only empty ones are removed.

// attempts is how often a folder is made that another export removes before there
// is a file in it: it saw it empty.
const attempts = 4

// inFolder makes a file, and the folder it is in.
func (w *Folder) inFolder(dir, name string) (f *os.File, err error) {
	for range attempts {
		if err = w.makeAll(dir); err == nil {
			f, err = os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, err
}

// makeAll makes a folder with those around it, and remembers which were not there.
func (w *Folder) makeAll(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if outer := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && outer != dir {
		if err = w.makeAll(outer); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	if err != nil {
		return os.MkdirAll(dir, 0o777) // knows what is no error: an export was here before
	}
	w.made = append(w.made, dir)
	return nil
}

// unmake removes what was made, as far as it is empty.
func (w *Folder) unmake() {
	for _, dir := range slices.Backward(w.made) {
		_ = os.Remove(dir) // refuses if there is something in it
	}
	w.made = nil
}
