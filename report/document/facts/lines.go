package facts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"contend/report/document"
)

// Lines writes rows as lines of JSON, each with the name of its table.
type Lines struct {
	out  *bufio.Writer
	row  bytes.Buffer
	json *json.Encoder // to row
}

// NewLines returns a writer of lines.
func NewLines(w io.Writer) *Lines {
	l := &Lines{out: bufio.NewWriter(w)}
	l.json = json.NewEncoder(&l.row)
	l.json.SetEscapeHTML(false)
	return l
}

// Write writes all rows of a recording. When it returns they are out: a reader
// that takes them as they come, such as Spark's pipe, need not wait for the next recording.
func (l *Lines) Write(f *Facts) error {
	write(l, RecordingsTable, []Recording{f.Recording})
	write(l, IntervalsTable, f.Intervals)
	write(l, LocksTable, f.Locks)
	write(l, LengthsTable, f.Lengths)
	for row := range f.Waits.All() {
		l.write(WaitsTable, row)
	}
	return l.out.Flush()
}

// write writes rows; an error stays with the writer until Flush returns it.
func write[R any](l *Lines, table string, rows []R) {
	for i := range rows {
		l.write(table, &rows[i])
	}
}

func (l *Lines) write(table string, row any) {
	l.row.Reset()
	if err := l.json.Encode(row); err != nil { // strings and numbers alone
		panic(err)
	}
	_, _ = l.out.WriteString(`{"table":"` + table + `",`)
	_, _ = l.out.Write(document.Escape(l.row.Bytes()[1:]))
}
