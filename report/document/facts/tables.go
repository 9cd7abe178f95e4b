package facts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"contend/report/document"
)

// Schema is what the rows follow. It changes when a column changes its meaning
// or goes away; columns may be added.
const Schema = "contend.facts/1"

// The tables.
const (
	RecordingsTable = "recordings"
	IntervalsTable  = "intervals"
	LocksTable      = "locks"
	LengthsTable    = "lengths"
	WaitsTable      = "waits"
)

// Tables are their names in the order in which they are written: a recording is
// seen by engines when all that is said of it is there.
var Tables = []string{IntervalsTable, LocksTable, LengthsTable, WaitsTable, RecordingsTable}

// Instant is a time in microseconds since the epoch; 0 is none.
type Instant int64

// InstantOf returns a time in nanoseconds as an instant.
func InstantOf(ns int64) Instant { return Instant(ns / 1e3) }

// MarshalJSON implements json.Marshaler.
func (t Instant) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(strconv.Quote(time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.000000Z"))), nil
}

// Recording is a row of recordings: one for each input, readable or not. Its
// labels also stand in columns where queries want them.
type Recording struct {
	Recording  string  `parquet:"recording" json:"recording"`
	Service    string  `parquet:"service,optional,dict" json:"service,omitempty"`
	Version    string  `parquet:"version,optional,dict" json:"version,omitempty"`
	Host       string  `parquet:"host,optional,dict" json:"host,omitempty"`
	Labels     string  `parquet:"labels,dict" json:"labels"` // all of them, a JSON object
	Format     string  `parquet:"format,optional,dict" json:"format,omitempty"`
	Unit       string  `parquet:"unit,optional,dict" json:"unit,omitempty"` // of all waiting: ns, threads, acquisitions
	Start      Instant `parquet:"start,optional,timestamp(microsecond)" json:"start"`
	DurationNs int64   `parquet:"duration_ns" json:"duration_ns"`
	IntervalNs int64   `parquet:"interval_ns" json:"interval_ns"`
	Threads    int64   `parquet:"threads" json:"threads"`
	Events     int64   `parquet:"events" json:"events"`
	Bytes      int64   `parquet:"bytes" json:"bytes"`
	RunningNs  int64   `parquet:"running_ns" json:"running_ns"`
	WaitNs     int64   `parquet:"wait_ns" json:"wait_ns"`
	WallNs     int64   `parquet:"wall_ns" json:"wall_ns"`
	Waits      int64   `parquet:"waits" json:"waits"`
	Damaged    bool    `parquet:"damaged" json:"damaged"`
	Warnings   string  `parquet:"warnings,optional,dict" json:"warnings,omitempty"` // their codes, separated by spaces
	Error      string  `parquet:"error,optional" json:"error,omitempty"`            // why nothing could be read
	Contend    string  `parquet:"contend_version,dict" json:"contend_version"`
}

// Interval is a row of intervals: all that a recording says of one.
type Interval struct {
	Recording string  `parquet:"recording,dict" json:"recording"`
	Interval  Instant `parquet:"interval_start,optional,timestamp(microsecond)" json:"interval_start"`
	RunningNs int64   `parquet:"running_ns" json:"running_ns"`
	WaitNs    int64   `parquet:"wait_ns" json:"wait_ns"`
	WallNs    int64   `parquet:"wall_ns" json:"wall_ns"`
	Waits     int64   `parquet:"waits" json:"waits"`
}

// Lock is a row of locks. Lock has an address in it: it means something within
// its recording only.
type Lock struct {
	Recording string `parquet:"recording,dict" json:"recording"`
	Lock      string `parquet:"lock" json:"lock"`
	Class     string `parquet:"class,dict" json:"class"`
	Kind      string `parquet:"kind,dict" json:"kind"`
	Created   string `parquet:"created,optional,dict" json:"created,omitempty"` // the stack that made it
	Waits     int64  `parquet:"waits" json:"waits"`
	Failed    int64  `parquet:"failed" json:"failed"`
	WaitNs    int64  `parquet:"wait_ns" json:"wait_ns"`
	WallNs    int64  `parquet:"wall_ns" json:"wall_ns"`
	MaxNs     int64  `parquet:"max_ns" json:"max_ns"`
	Waiters   int64  `parquet:"waiters" json:"waiters"`
}

// Length is a row of lengths: so many waits were as long as a bucket of
// HdrHistogram with three significant digits, whose greatest length is LeNs.
type Length struct {
	Recording string `parquet:"recording,dict" json:"recording"`
	Class     string `parquet:"class,dict" json:"class"`
	Bound     string `parquet:"bound,dict" json:"bound"` // exact; of sampled waits at_least and at_most
	LeNs      int64  `parquet:"le_ns" json:"le_ns"`
	N         int64  `parquet:"n" json:"n"`
}

// Wait is a row of waits: the waiter and the owner in one interval.
type Wait struct {
	Recording    string  `parquet:"recording,dict" json:"recording"`
	Interval     Instant `parquet:"interval_start,optional,timestamp(microsecond)" json:"interval_start"`
	Class        string  `parquet:"class,dict" json:"class"`
	Kind         string  `parquet:"kind,dict" json:"kind"`
	WaiterMethod string  `parquet:"waiter_method,dict" json:"waiter_method"`
	WaiterGroup  string  `parquet:"waiter_group,dict" json:"waiter_group"`
	WaiterStack  string  `parquet:"waiter_stack,dict" json:"waiter_stack"`
	OwnerKind    string  `parquet:"owner_kind,dict" json:"owner_kind"` // thread, or what there was instead of one
	OwnerMethod  string  `parquet:"owner_method,dict" json:"owner_method"`
	OwnerGroup   string  `parquet:"owner_group,dict" json:"owner_group"`
	// from where the lock was taken, the program's own code, without lines
	OwnerChain string `parquet:"owner_chain,dict" json:"owner_chain"`
	OwnerStack string `parquet:"owner_stack,dict" json:"owner_stack"`
	Provenance string `parquet:"provenance,dict" json:"provenance"`
	WaitNs     int64  `parquet:"wait_ns" json:"wait_ns"`
	Waits      int64  `parquet:"waits" json:"waits"`
	WallNs     int64  `parquet:"wall_ns" json:"wall_ns"`
}

// Facts are all that is said of one recording.
type Facts struct {
	Recording Recording
	Intervals []Interval
	Locks     []Lock
	Lengths   []Length
	Waits     Waits

	labels map[string]string
}

// Label returns a label of the recording, "" for none.
func (f *Facts) Label(key string) string { return f.labels[key] }

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
