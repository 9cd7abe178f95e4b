//go:build !race

package cmd

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// serving starts a server and returns its address; it ends, and well, with the
// test.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent to oneself")
	}
	said, out := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- Main(append([]string{"serve"}, args...), nil, out, io.Discard) }()
	line := golden.Must(bufio.NewReader(said).ReadString('\n'))(t)
	t.Cleanup(func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Signal(os.Interrupt)
		golden.Equal(t, <-ended, exitOK, "Ctrl-C")
	})
	return strings.TrimSpace(line)
}

// got returns what a server answers.
func got(t *testing.T, address string) (status int, text string) {
	t.Helper()
	res := golden.Must(http.Get(address))(t)
	defer res.Body.Close()
	all := golden.Must(io.ReadAll(res.Body))(t)
	return res.StatusCode, string(all)
}

// The page that is served is the one of report; in addition the server says
// exactly what whole waits of a selection are, and shows pprof's pages.
func TestThePageIsServed(t *testing.T) { // not beside others: its Ctrl-C is for all of this process
	golden.SkipIfShort(t)
	const path = "../testdata/truth-8threads.jfr"
	address := serving(t, path)
	r := reportIn(t, address)
	golden.Equal(t, r.total(), analyzed(t, path).Total.WaitNs)
	r.turn("#time=1000000000-2000000000&blame=root")
	cut := []string{"--from", "1s", "--to", "2s", path}
	want := ask[document.Analyze](t, append([]string{"analyze"}, cut...)...)
	r.click("button", "Wall-time, percentiles")
	r.until(`document.querySelector(".exact .blamed td")`)
	eval[any](
		r.tab,
		`contend.exact(contend.command(contend.model, {...contend.state, view: "about"}).words).then(d => { window.exact = d; }), 0`,
	)
	r.until("window.exact")
	golden.Equal(t, eval[document.Total](r.tab, "window.exact.analyze.total"), want.Total, "the server says")
	for name, flags := range map[string][]string{"owners": nil, "roots": {"--root"}} { // whom a selection is charged to
		var doc document.Blame
		args := append(
			append(
				[]string{"blame", "--format", "json", "--top", "50", "--by", "owner-stack,owner-site,owner-doing"},
				flags...),
			cut...)
		unmarshal(t, run(t, args...), &doc)
		if got := eval[document.Blame](r.tab, "window.exact."+name); len(doc.Rows) == 0 ||
			!reflect.DeepEqual(got.Rows, doc.Rows) {
			t.Errorf("%s of the selection: %v, want %v", name, got.Rows, doc.Rows)
		}
	}
	first := eval[string](r.tab, `contend.duration(exact.roots.rows[0].threadNs)`)
	golden.Holds(t, r.text(".exact .blamed tbody tr"), "Truth.exportReport:17", first)
	for path, says := range map[string]string{"pprof/flamegraph": "exportReport", "pprof/top": "exportReport",
		"pprof/": "exportReport"} {
		if status, text := got(t, address+path); status != http.StatusOK || !strings.Contains(text, says) {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
	for _, path := range []string{"pprof/source?f=.", "pprof/saveconfig?config=x", "pprof/deleteconfig?config=x",
		"pprof/disasm?f=."} {
		if status, text := got(t, address+path); status != http.StatusNotFound ||
			!strings.Contains(text, "contend pprof -o FILE") {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
}
