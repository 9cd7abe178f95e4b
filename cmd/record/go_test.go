package record

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"contend/golden"
)

func TestComplete(t *testing.T) {
	for address, want := range map[string]string{
		"http://h:6060":                  "http://h:6060/debug/pprof/trace?seconds=5.5",
		"h:6060":                         "http://h:6060/debug/pprof/trace?seconds=5.5",
		"https://h/":                     "https://h/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof":         "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof/":        "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof/trace":   "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/behind/proxy":        "http://h:1/behind/proxy/debug/pprof/trace?seconds=5.5",
		"http://h:1/own/trace?seconds=2": "http://h:1/own/trace?seconds=2",
		"http://u:secret@h:1":            "http://u:secret@h:1/debug/pprof/trace?seconds=5.5",
		"http://[::1]:6060/debug/pprof/trace?token=a&other=": "http://[::1]:6060" +
			"/debug/pprof/trace?other=&seconds=5.5&token=a",
	} {
		u, d, err := GoAddress(address, 5500*time.Millisecond)
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", address, u, err)
			continue
		}
		lasts := 5500 * time.Millisecond
		if u.Query().Get("seconds") == "2" {
			lasts = 2 * time.Second
		}
		if d != lasts {
			t.Errorf("%s: %v", address, d)
		}
	}
	for _, address := range []string{
		"ftp://h/x",
		"http://",
		"http://h:1/?seconds=-1",
		"http://h:1/?seconds=soon",
		"http://h:1/?seconds=inf",
		"http://%zz",
		":6060:",
	} {
		if u, _, err := GoAddress(address, time.Second); err == nil {
			t.Errorf("%s: %v", address, u)
		}
	}
}

// What a program answers is a trace, as it is, in bounds: nothing is unpacked, and nothing else asked.
func TestTheTraceOfAGoProgram(t *testing.T) {
	other := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another is asked") }),
	)
	defer other.Close()
	defer func(usual int64) { goRate = usual }(goRate)
	goRate = 1 << 20 // a busy machine takes too long for more
	trace := "go 1.26 trace\x00\x00\x00and more"
	for what, c := range map[string]struct {
		answer   http.HandlerFunc
		got, why string
	}{
		"a trace": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, trace) }, trace, ""},
		"a part":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "go") }, "go", ""},
		"a page": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			"",
			"something else than a Go trace",
		},
		"elsewhere": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x", http.StatusFound) },
			"",
			"302 Found",
		},
		"packed": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Error("asks for what is packed")
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, trace)
			_ = z.Close()
		}, "", "something else than a Go trace"},
		"without end": {func(w http.ResponseWriter, _ *http.Request) {
			for _, err := io.WriteString(w, trace); err == nil; _, err = w.Write(make([]byte, 1<<20)) {
			}
		}, trace, "more than 1 MB came"},
	} {
		s := httptest.NewServer(c.answer)
		var into bytes.Buffer
		u, _, err := GoAddress(s.URL, time.Millisecond)
		golden.OK(t, err)
		n, err := FetchGo(t.Context(), u, time.Millisecond, &into, nil)
		if got := into.String(); !strings.HasPrefix(got, c.got) || c.got == "" && got != "" || n != int64(len(got)) ||
			n > goRate {
			t.Errorf("%s: %d bytes: %.40q", what, n, got)
		}
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", what, err)
		}
		s.Close()
	}
}
