package decode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/decode/threaddump"
	"contend/format"
	"contend/golden"

	"golang.org/x/text/encoding/unicode"
)

// shown writes what an input says, ids resolved; the error is of opening it.
func shown(t *testing.T, text []byte) string {
	t.Helper()
	tr, err := Open([]string{Stdin}, bytes.NewReader(text), Options{})
	if err != nil {
		return err.Error()
	}
	defer tr.Close()
	var out strings.Builder
	threads, locks := map[format.ThreadID]string{0: "?"}, map[format.ObjectID]string{}
	for ev := (format.Event{}); tr.Read(&ev) == nil; {
		switch ev.Kind {
		case format.KindThread:
			threads[ev.Thread] = ev.Name
		case format.KindObject:
			locks[ev.Object] = fmt.Sprintf("%s@%x", ev.Class, ev.Hash)
		case format.KindStack:
			for _, f := range ev.Frames {
				fmt.Fprintf(&out, "%s.%s:%d ", f.Class, f.Method, f.Line)
			}
			out.WriteString("\n")
		case format.KindTick:
			fmt.Fprintf(&out, "%d: %d live, %d idle\n", ev.Time, ev.Live, ev.IdleThreads)
		case format.KindContention:
			fmt.Fprintf(&out, "%s:", locks[ev.Object])
			for _, o := range ev.Owners {
				fmt.Fprintf(&out, " %s", threads[o.Thread])
			}
			out.WriteString(" <-")
			for _, w := range ev.Waiters {
				fmt.Fprintf(&out, " %s", threads[w.Thread])
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// wrap changes each line of a text, of which it gets the number.
func wrap(text []byte, line func(n int, line string) string) []byte {
	var out []byte
	n := 0
	for one := range strings.Lines(string(text)) {
		out = append(out, line(n, strings.TrimSuffix(one, "\n"))...)
		out = append(out, '\n')
		n++
	}
	return out
}

func prefixed(prefix string) func([]byte) []byte {
	return func(text []byte) []byte {
		return wrap(text, func(n int, line string) string {
			return strings.Replace(prefix, "#", fmt.Sprint(n), 1) + line
		})
	}
}

func quotedJSON(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// wrapped are ways in which people keep dumps.
var wrapped = map[string]func([]byte) []byte{
	"a container's log": prefixed("2026-11-21T10:00:00.#Z stdout F "),
	"a composed log":    prefixed("app-1  | "),
	"a journal":         prefixed("Nov 21 10:00:00 host java[7]: "),
	"a build's log":     prefixed("[INFO] "),
	"a tab behind time": prefixed("2026-11-21T10:00:00.#Z\t"),
	"indented":          prefixed("    "),
	"indented by tabs":  prefixed("\t\t"),
	"a mail":            prefixed("> "),
	"an answered mail":  prefixed("> > "),
	"a mail, trimmed": func(text []byte) []byte {
		return wrap(text, func(_ int, line string) string { return strings.TrimRight("> "+line, " ") })
	},
	"Docker's json-file": func(text []byte) []byte {
		return wrap(text, func(n int, line string) string {
			return fmt.Sprintf(
				`{"log":%s,"stream":"stdout","time":"2026-11-21T10:00:00.%dZ"}`,
				quotedJSON(line+"\n"),
				n,
			)
		})
	},
	"JSON lines": func(text []byte) []byte {
		return wrap(text, func(n int, line string) string {
			return fmt.Sprintf(
				`{"@timestamp":"2026-11-21T10:00:00.%dZ","level":"INFO","message":%s}`,
				n,
				quotedJSON(line),
			)
		})
	},
	"one JSON line": func(text []byte) []byte {
		return fmt.Appendf(
			nil,
			"{\"level\":\"info\",\"msg\":\"started\"}\n{\"level\":\"info\",\"msg\":%s}\n"+
				"{\"level\":\"info\",\"msg\":\"done\"}\n",
			quotedJSON(string(text)),
		)
	},
	"escaped line ends": func(text []byte) []byte {
		quoted := quotedJSON(string(text))
		return fmt.Appendf(
			nil,
			"level=info msg=started\nlevel=error msg=%s caller=x.go:3\nlevel=info msg=done\n",
			strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(quoted),
		)
	},
	"HTML": func(text []byte) []byte {
		return []byte(
			"<html><body>\n<h1>threads</h1>\n<pre>" + html.EscapeString(string(text)) + "</pre>\n</body></html>\n",
		)
	},
	"HTML of lines": func(text []byte) []byte {
		return wrap([]byte(html.EscapeString(string(text))), func(_ int, line string) string {
			return strings.ReplaceAll(line, "\t", "&nbsp;&nbsp;") + "<br/>"
		})
	},
	"CRLF":           func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) },
	"UTF-8 with BOM": func(text []byte) []byte { return append([]byte("\xef\xbb\xbf"), text...) },
	"UTF-16LE":       func(text []byte) []byte { return wide(text, unicode.LittleEndian, unicode.IgnoreBOM) },
	"UTF-16LE, BOM":  func(text []byte) []byte { return wide(text, unicode.LittleEndian, unicode.UseBOM) },
	"UTF-16BE":       func(text []byte) []byte { return wide(text, unicode.BigEndian, unicode.IgnoreBOM) },
	"UTF-16BE, BOM":  func(text []byte) []byte { return wide(text, unicode.BigEndian, unicode.UseBOM) },
	"inside a log": func(text []byte) []byte {
		log := strings.Repeat("12:00:01.123 [main] INFO  c.a.App - \"quoted\" request = 17ms\n", 5000)
		return []byte(log + string(text) + log)
	},
}

func wide(text []byte, e unicode.Endianness, b unicode.BOMPolicy) []byte {
	out, _ := unicode.UTF16(e, b).NewEncoder().Bytes(text)
	return out
}

// However a dump is encoded and whatever is put around it, it shows the same;
// so it does in two such wrappings.
func TestWrappedDumps(t *testing.T) {
	nested := map[string][2]string{
		"Docker around a build": {
			"a build's log",
			"Docker's json-file",
		}, "Docker around a mail": {"a mail", "Docker's json-file"},
		"a container around JSON": {
			"JSON lines",
			"a container's log",
		}, "a journal in UTF-16": {"a journal", "UTF-16LE, BOM"}, "a page indented": {"HTML", "indented"},
		"Docker around escapes": {"escaped line ends", "Docker's json-file"},
	}
	for _, path := range []string{"deadlock-monitors-and-juc-jdk17.txt", "truth-series-8dumps-jdk17.txt",
		"go126-debug2-dump.txt"} {
		plain := golden.Must(os.ReadFile(fixtures + path))(t)
		want := shown(t, plain)
		if strings.Count(want, "<-") < 2 {
			t.Fatalf("%s shows %q", path, want)
		}
		same := func(name string, text []byte) {
			golden.Equal(t, shown(t, text), want, path, "as", name, "shows")
		}
		for name, f := range wrapped {
			same(name, f(plain))
		}
		for name, two := range nested {
			same(name, wrapped[two[1]](wrapped[two[0]](plain)))
		}
	}
}

// What only looks wrapped is left as it is.
func TestNotWrapped(t *testing.T) {
	plain := golden.Must(os.ReadFile(fixtures + "deadlock-monitors-and-juc-jdk17.txt"))(t)
	for _, name := range []string{"a &amp; b &lt;c&gt;", `C:\new\table`, `{"log":"x"}`, "> quoted", "[INFO] 12"} {
		text := bytes.ReplaceAll(plain, []byte("juc-1"), []byte(name))
		golden.Holds(t, shown(t, text), name)
	}
}

// Cases of our own, each with what it shows above it.
func TestWrappedFiles(t *testing.T) {
	paths, _ := filepath.Glob("testdata/wrapped/*")
	if len(paths) < 5 {
		t.Fatalf("%d cases", len(paths))
	}
	for _, path := range paths {
		text := golden.Must(os.ReadFile(path))(t)
		want, input, _ := bytes.Cut(text, []byte("-- input --\n"))
		golden.Equal(t, shown(t, input), string(want), path, "shows", want)
		for n := 0; n < len(input); n += 11 {
			if tr, err := Open([]string{Stdin}, bytes.NewReader(input[:n]), Options{}); err == nil {
				for ev := (format.Event{}); err == nil; err = tr.Read(&ev) {
				}
				golden.Equal(t, err, io.EOF, path, "cut to", n, "bytes")
				tr.Close()
			} else {
				positioned(t, err)
			}
		}
	}
}

// Every dialect is read through the layers as it is without.
func TestDialectsAreNotWrapped(t *testing.T) {
	paths, _ := filepath.Glob("threaddump/testdata/dialects/*")
	if len(paths) < 20 {
		t.Fatalf("%d dialects", len(paths))
	}
	for _, path := range paths {
		text := golden.Must(os.ReadFile(path))(t)
		_, dump, _ := bytes.Cut(text, []byte("-- dump --\n"))
		bare := golden.Must(threaddump.NewReader(bufio.NewReader(bytes.NewReader(dump)), path, nil, 0, 0))(t)
		tr := golden.Must(Open([]string{Stdin}, bytes.NewReader(dump), Options{}))(t)
		for i := 0; ; i++ {
			var want, got format.Event
			e1, e2 := bare.Read(&want), tr.Read(&got)
			golden.Equal(t, e1, e2, path, i)
			golden.Same(t, format.AppendText(nil, &want), format.AppendText(nil, &got), path, i)
			if e1 != nil || e2 != nil {
				break
			}
		}
		tr.Close()
	}
}

// pasted are ways in which people show a dump to others.
var pasted = map[string]func([]byte) []byte{
	"a fence": func(text []byte) []byte {
		return fmt.Appendf(nil, "It hangs:\n```\n%s\n```\nAny idea?\n", bytes.TrimSpace(text))
	},
	"lost indents": func(text []byte) []byte {
		return wrap(text, func(_ int, line string) string { return strings.TrimSpace(line) })
	},
	"a web page's blanks": func(text []byte) []byte {
		return bytes.ReplaceAll(
			bytes.ReplaceAll(text, []byte("\t"), []byte("    ")),
			[]byte("  "),
			[]byte("\u00a0\u00a0"),
		)
	},
	"a page":         func(text []byte) []byte { return []byte("<pre>" + html.EscapeString(string(text)) + "</pre>") },
	"an SQL comment": prefixed("-- "),
	"a diff":         prefixed("+"),
	"a terminal":     prefixed("\x1b[33mapp-1  |\x1b[0m "),
}

// Every dialect is read in an excerpt as it is whole. jhsdb's frames of native code need their tabs.
func TestDialectsInExcerpts(t *testing.T) {
	dialects, _ := filepath.Glob("threaddump/testdata/dialects/*")
	excerpts, _ := filepath.Glob("threaddump/testdata/excerpts/*")
	for _, path := range append(dialects, excerpts...) {
		text := golden.Must(os.ReadFile(path))(t)
		if _, dump, ok := bytes.Cut(text, []byte("-- dump --\n")); ok {
			text = dump
		}
		want := shown(t, text)
		for name, paste := range pasted {
			if strings.HasSuffix(path, ".json") && name != "a fence" ||
				strings.Contains(path, "-mixed") && name == "lost indents" {
				continue
			}
			golden.Equal(t, shown(t, paste(text)), want, path, "in", name, "shows")
		}
	}
}

// processes are ways in which the lines of several processes come in one stream.
var processes = map[string][2]func(line string) string{
	"kubectl": {before("[pod/web-7c9-abcde/app] "), before("[pod/web-66d9f4b5c8-x2x9z/app] ")},
	"compose": {before("app-1   | "), before("app-12  | ")},
	"times":   {before("web  | 2026-11-21T10:00:00.1Z "), before("shop | 2026-11-21T10:00:00.22Z ")},
	"tagged": {
		before("Nov 21 10:00:00 host java[123]: 10:00:00 INFO "),
		before("Nov 21 10:00:00 host java[4567]: 10:00:01 INFO "),
	},
	"swarm":   {before("web.1.k2j4h5@node-1    | "), before("web.2.aaaaaa@node-2    | ")},
	"stern":   {before("web-7c9-abcde app "), before("web-7c9-fghij app ")},
	"foreman": {before("10:00:00 web.1  | "), before("10:00:01 web.2  | ")},
	"journal": {before("Nov 21 10:00:00 host java[123]: "), before("Nov 21 10:00:00 host java[4567]: ")},
	"heroku": {
		before("2026-11-21T10:00:00.123456+00:00 app[web.1]: "),
		before("2026-11-21T10:00:00.223456+00:00 app[web.2]: "),
	},
	"syslog": {
		before("<134>1 2026-11-21T10:00:00.1Z host shop 12 - - "),
		before("<134>1 2026-11-21T10:00:01.22Z host shop 1234 - - "),
	},
	"boot": {
		before("2026-11-21 10:00:00.000  INFO 12 --- [  main] c.d.Dump   : "),
		before("2026-11-21 10:00:00.000  INFO 4711 --- [  main] c.d.Dump   : "),
	},
	"pdsh":     {before("app01: "), before("app02: ")},
	"coloured": {before("\x1b[33mapp-1   |\x1b[0m "), before("\x1b[1;34mapp-12  |\x1b[0m ")},
	"nested": {
		object(`"kubernetes":{"pod":{"name":"a"}},"message"`),
		object(`"kubernetes":{"pod":{"name":"b"}},"message"`),
	},
	"dotted":   {object(`"process.pid":1,"message"`), object(`"process.pid":2,"message"`)},
	"labels":   {object(`"labels":{"pod":"a","app":"w"},"line"`), object(`"labels":{"app":"w","pod":"b"},"line"`)},
	"pod_name": {object(`"kubernetes":{"pod_name":"a"},"log"`), object(`"kubernetes":{"pod_name":"b"},"log"`)},
	"pid":      {object(`"_HOSTNAME":"h","_PID":"1","MESSAGE"`), object(`"_HOSTNAME":"h","_PID":"2","MESSAGE"`)},
}

func before(prefix string) func(string) string {
	return func(line string) string { return prefix + line }
}

func object(fields string) func(string) string {
	return func(line string) string { return "{" + fields + ":" + quotedJSON(line+"\n") + "}" }
}

// The lines of two processes are told apart by what stands before them, in turn and one
// after the other; without that they are damage.
func TestProcessesOfOneStream(t *testing.T) {
	var dumps [2][]byte
	for i := range dumps {
		text := golden.Must(os.ReadFile(fmt.Sprintf("testdata/processes/%d.txt", i+1)))(t)
		dumps[i] = text
	}
	want := shown(t, dumps[0]) + shown(t, dumps[1])
	for name, of := range processes {
		one, two := wrap(
			dumps[0],
			func(_ int, line string) string { return of[0](line) },
		), wrap(
			dumps[1],
			func(_ int, line string) string { return of[1](line) },
		)
		for _, text := range [][]byte{append(bytes.Clone(one), two...), inTurn(one, two)} {
			golden.Equal(t, shown(t, text), want, name, "shows")
		}
	}
	tr := golden.Must(Open([]string{Stdin}, bytes.NewReader(inTurn(dumps[0], dumps[1])), Options{}))(t)
	for ev := (format.Event{}); tr.Read(&ev) == nil; {
	}
	if s := tr.Stats(); s.Damage.Whole() || !strings.Contains(s.Damage.Places[0].Why, "interleaved") {
		t.Errorf("%+v", s)
	}
}

// Each file that tail prints in turn is a process, and one dump of each measures no time.
func TestProcessesWithoutPrefixes(t *testing.T) {
	var dumps [2][]byte
	for i := range dumps {
		dumps[i], _ = os.ReadFile(fmt.Sprintf("testdata/processes/%d.txt", i+1))
	}
	a, b := bytes.SplitAfterN(dumps[0], []byte("\n"), 9), bytes.SplitAfterN(dumps[1], []byte("\n"), 20)
	parts := [][]byte{bytes.Join(a[:8], nil), bytes.Join(b[:19], nil), a[8], b[19]}
	var tail []byte
	for i, part := range parts {
		tail = append(append(tail, fmt.Sprintf("==> %c.log <==\n", 'a'+i%2)...), part...)
	}
	golden.Equal(t, shown(t, tail), shown(t, dumps[0])+shown(t, dumps[1]))
	tr := golden.Must(Open([]string{Stdin}, bytes.NewReader(append(dumps[0], dumps[1]...)), Options{}))(t)
	for ev := (format.Event{}); tr.Read(&ev) == nil; {
	}
	golden.Equal(t, tr.Stats().Unit, format.UnitThreads)
}

// inTurn takes the lines of two texts in turn.
func inTurn(a, b []byte) (out []byte) {
	for len(a)+len(b) > 0 {
		for _, text := range []*[]byte{&a, &b} {
			line, rest, found := bytes.Cut(*text, []byte("\n"))
			if found {
				out = append(append(out, line...), '\n')
			}
			*text = rest
		}
	}
	return out
}

// What some editors put before a text is no part of it.
func TestTheMarkBeforeATextIsDropped(t *testing.T) {
	for _, text := range []string{"#[Histogram log", "\xef\xbb\xbf#[Histogram log"} {
		plain, _, err := Decompress(strings.NewReader(text), "x")
		golden.OK(t, err)
		got, _ := io.ReadAll(plain)
		golden.Equal(t, string(got), "#[Histogram log")
	}
}
