package threaddump

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"contend/format"
)

// Dumps in JSON come from `jcmd PID Thread.dump_to_file -format=json`, JDK 21 to 25, in one
// document or several. Like the text of that command they are not of one instant: JDK 25
// gives each thread its time. Serialised ThreadInfo objects of java.lang.management are
// read as well: of Spring Boot at /actuator/threaddump, and of other tools that write its
// fields.

// number is an id, which JDK 21 writes as a string and others may not.
type number int64

// UnmarshalJSON reads 12 and "12"; anything else is 0.
func (n *number) UnmarshalJSON(text []byte) error {
	v, _ := strconv.ParseInt(string(bytes.Trim(text, `"`)), 10, 64)
	*n = number(v)
	return nil
}

// jsonThread is one thread as written. Objects are class@identityHash.
type jsonThread struct {
	TID       number   `json:"tid"`
	Time      string   `json:"time"`
	Name      string   `json:"name"`
	State     string   `json:"state"`
	Virtual   bool     `json:"virtual"`
	Stack     []string `json:"stack"`
	BlockedOn string   `json:"blockedOn"`
	WaitingOn string   `json:"waitingOn"`
	Park      struct {
		Object string `json:"object"`
		Owner  number `json:"owner"`
	} `json:"parkBlocker"`
	Owned []struct {
		Depth number   `json:"depth"`
		Locks []string `json:"locks"`
	} `json:"monitorsOwned"`
	jsonInfo
}

// nextJSON reads one document with threads. It walks the document, so that the part before
// a cut is kept.
func (s *stream) nextJSON() (*Dump, error) {
	for s.json.More() {
		b := &jsonBuilder{file: file{builder: newBuilder(s.names, format.NoTime)}, dec: s.json}
		err := b.value("", 0)
		b.file.next()
		d := b.file.finish(false)
		if b.instant {
			d.Spread = 0
		}
		if err != nil {
			d.Cut = true
			s.json = json.NewDecoder(bytes.NewReader(nil)) // an error sticks: nothing follows
		}
		if len(d.Threads) > 0 {
			return d, nil
		}
	}
	return nil, io.EOF
}

// maxDepth bounds the nesting of values; dumps have up to 6 levels.
const maxDepth = 64

// jsonBuilder shares with the text form that threads have a time each.
type jsonBuilder struct {
	file    file
	dec     *json.Decoder
	instant bool // all threads were stopped
}

// value walks one value; the key threads marks an array of threads.
func (b *jsonBuilder) value(key string, depth int) error {
	if depth > maxDepth {
		return format.ErrLimit
	}
	token, err := b.dec.Token()
	if err != nil {
		return err
	}
	if text, ok := token.(string); ok && key == "time" && b.file.dump.Time == format.NoTime {
		if t, ok := timeIn(text); ok {
			b.file.dump.Time = t
		}
	}
	switch token {
	case json.Delim('{'):
		for b.dec.More() {
			name, err := b.dec.Token()
			if err != nil {
				return err
			}
			text, _ := name.(string)
			if err := b.value(text, depth+1); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for b.dec.More() {
			if err := b.element(key, depth+1); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = b.dec.Token() // the closing one
	return err
}

func (b *jsonBuilder) element(of string, depth int) error {
	if !slices.Contains(threadArrays, of) && depth > 1 {
		return b.value("", depth)
	}
	var t jsonThread
	var other *json.UnmarshalTypeError
	switch err := b.dec.Decode(&t); {
	case errors.As(err, &other): // it is not a thread
	case err != nil:
		return err
	case t.ThreadName != "" || t.ThreadID != 0:
		b.addInfo(&t.jsonInfo)
	default:
		b.addThread(&t)
	}
	return nil
}

// threadArrays are the names of arrays of threads, which may also be all there
// is: of the JDK and Spring Boot, and of Jolokia.
var threadArrays = []string{"threads", "value"}

// addThread takes a thread. A thread in two containers counts once.
func (b *jsonBuilder) addThread(t *jsonThread) {
	b.file.next()
	if !b.file.known(int64(t.TID)) {
		return
	}
	b.file.begin(
		Thread{
			Name:    b.file.names.intern(t.Name),
			JavaID:  int64(t.TID),
			State:   b.file.names.intern(t.State),
			Virtual: t.Virtual,
		},
	)
	if at, ok := timeIn(t.Time); ok {
		b.file.seenAt(at)
	}
	for _, f := range t.Stack {
		b.file.frame(f, dotted)
	}
	for _, o := range t.Owned {
		for _, lock := range o.Locks {
			b.file.locks(b.file.names.hashed(lock), int(o.Depth))
		}
	}
	for _, w := range [...]struct {
		object string
		how    Wait
	}{{t.BlockedOn, Blocked}, {t.WaitingOn, Waiting}, {t.Park.Object, Parked}} {
		if w.object != "" {
			b.file.waits(w.how, b.file.names.hashed(w.object))
		}
	}
	if t.Park.Owner != 0 {
		b.file.claims = append(b.file.claims, claim{owner: int64(t.Park.Owner), ref: b.file.cur.For})
	}
}
