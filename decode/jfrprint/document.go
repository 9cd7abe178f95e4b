package jfrprint

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"contend/decode/threaddump"
	"contend/format"
)

func isJSON(start []byte) bool {
	start = bytes.TrimLeft(start, " \t\r\n")
	return bytes.HasPrefix(start, []byte("{")) && bytes.Contains(start, []byte(`"recording"`)) &&
		bytes.Contains(start, []byte(`"jdk.`))
}

// document reads events one after the other from the array of a JSON document.
type document struct {
	in     *json.Decoder
	within bool // the array of events
	torn   bool // it is not whole
}

func newDocument(in io.Reader) *document { return &document{in: json.NewDecoder(in)} }

// jsonEvent is an event as written.
type jsonEvent struct {
	Type   string `json:"type"`
	Values struct {
		Start    string     `json:"startTime"`
		Length   string     `json:"duration"`
		Thread   jsonThread `json:"eventThread"`
		Owner    jsonThread `json:"previousOwner"`
		Notifier jsonThread `json:"notifier"`
		Monitor  jsonName   `json:"monitorClass"`
		Parked   jsonName   `json:"parkedClass"`
		Address  json.Number
		Stack    struct {
			Truncated bool `json:"truncated"`
			Frames    []struct {
				Method struct {
					Type jsonName `json:"type"`
					Name string   `json:"name"`
				} `json:"method"`
				Line int `json:"lineNumber"`
			} `json:"frames"`
		} `json:"stackTrace"`
	} `json:"values"`
}

type jsonName struct {
	Name string `json:"name"`
}

type jsonThread struct {
	Java   string `json:"javaName"`
	OS     string `json:"osName"`
	JavaID int64  `json:"javaThreadId"`
	OSID   int64  `json:"osThreadId"`
}

func (t *jsonThread) key() string {
	if t.Java == "" && t.OS == "" {
		return ""
	}
	name := t.Java
	if name == "" {
		name = t.OS
	}
	return name + "\x00" + strconv.FormatInt(t.JavaID, 10) + " " + strconv.FormatInt(t.OSID, 10)
}

// event returns the next event; ok is false at the end, and at damage.
func (d *document) event() (e event, ok bool) {
	for !d.within {
		token, err := d.in.Token()
		if err == nil && token == "events" {
			token, err = d.in.Token()
			d.within = err == nil && token == json.Delim('[')
		}
		if err != nil {
			d.torn = true
			return e, false
		}
	}
	if !d.in.More() {
		_, err := d.in.Token()
		d.torn = err != nil
		return e, false
	}
	var j jsonEvent
	if err := d.in.Decode(&j); err != nil {
		d.torn = true
		return e, false
	}
	v := &j.Values
	e = event{
		kind:   strings.TrimPrefix(j.Type, "jdk."),
		start:  format.NoTime,
		length: isoLength(v.Length),
		thread: v.Thread.key(),
		owner:  v.Owner.key(),
		class:  threaddump.JavaName(v.Monitor.Name + v.Parked.Name),
		cut:    v.Stack.Truncated,
	}
	if e.owner == "" {
		e.owner = v.Notifier.key()
	}
	if n, err := v.Address.Int64(); err == nil {
		e.address = strconv.FormatUint(uint64(n), 16)
	}
	if t, err := time.Parse(time.RFC3339Nano, v.Start); err == nil {
		e.start = nsOf(t)
	}
	for _, f := range v.Stack.Frames[:min(len(v.Stack.Frames), format.MaxFrames)] {
		e.frames = append(e.frames, format.Frame{
			Class:  threaddump.JavaName(f.Method.Type.Name),
			Method: f.Method.Name,
			Line:   max(f.Line, 0),
		})
	}
	return e, true
}

// isoLength reads `PT1M0.004211529S`, in ns; 0 where it is none.
func isoLength(text string) int64 {
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(text, "PT")))
	if err != nil || d < 0 || int64(d) > maxLength {
		return 0
	}
	return int64(d)
}
