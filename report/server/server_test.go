package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contend/golden"
)

// saying is a source that answers with its own words.
type saying struct{}

func (saying) Page(w io.Writer) error    { _, err := io.WriteString(w, "<p>page</p>"); return err }
func (saying) Data(w io.Writer) error    { _, err := io.WriteString(w, `{"data":1}`); return err }
func (saying) Profile(w io.Writer) error { return errors.New("no profile") }
func (saying) Select(_ context.Context, w io.Writer, q url.Values) error {
	if q.Get("lock") == "[" {
		return BadQuery{errors.New("no expression")}
	}
	_, err := fmt.Fprint(w, q.Get("lock"))
	return err
}

// running returns a server that ends with the test.
func running(t *testing.T, address string) *Server {
	t.Helper()
	s := golden.Must(Listen(address, saying{}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	return s
}

// ask returns the status and the text of an answer.
func ask(t *testing.T, method, address, host string) (*http.Response, string) {
	t.Helper()
	req := golden.Must(http.NewRequestWithContext(t.Context(), method, address, nil))(t)
	req.Host = host
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res := golden.Must(client.Do(req))(t)
	defer res.Body.Close()
	text := golden.Must(io.ReadAll(res.Body))(t)
	return res, string(text)
}

// Who does not have the address gets nothing, whatever is asked for, and who
// has it can only read.
func TestWhoIsLetIn(t *testing.T) {
	s := running(t, "127.0.0.1:0")
	page := s.URL()
	u, _ := url.Parse(page)
	port := u.Port()
	for _, c := range []struct {
		method, address, host string
		status                int
		text                  string
	}{
		{"GET", page, "", 200, "<p>page</p>"},
		{"GET", page + "data.json", "localhost:" + port, 200, `{"data":1}`},
		{"HEAD", page + "data.json", "", 200, ""},
		{"GET", page + "select.json?lock=A", "", 200, "A"},
		{"GET", page + "select.json?lock=%5B", "", 400, "no expression"},
		{"GET", page + "select.json?lock=" + strings.Repeat("a", maxQuery), "", 413, "too large"},
		{"GET", page + "secret", "", 404, ""},
		{"GET", page + "pprof/", "", 500, "no profile"},
		{"GET", "http://" + u.Host + "/", "", 403, "whole"},
		{"GET", "http://" + u.Host + "/data.json", "", 403, "whole"},
		{"GET", "http://" + u.Host + "/" + strings.Repeat("0", 32) + "/data.json", "", 403, "whole"},
		{"GET", strings.TrimSuffix(page, "/")[:len(page)-2] + "/", "", 403, "whole"},
		{"GET", page + "data.json", "evil.example", 421, "another name"},
		{"GET", page + "data.json", "evil.example:" + port, 421, "another name"},
		{"GET", page + "data.json", "127.0.0.1", 421, "another name"},
		{"GET", page + "data.json", "127.0.0.1.evil.example:" + port, 421, "another name"},
		{"POST", page + "data.json", "", 405, "nothing can be changed"},
		{"PUT", page, "", 405, "nothing can be changed"},
		{"DELETE", page, "", 405, "nothing can be changed"},
		{"OPTIONS", page, "", 405, "nothing can be changed"},
	} {
		res, text := ask(t, c.method, c.address, c.host)
		golden.Equal(t, res.StatusCode, c.status, c.method, c.address, c.host)
		golden.Holds(golden.Labelled(t, c.method, c.address, c.host), text, c.text)
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s lets other sites in: %s", c.address, name)
			}
		}
		if res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("Cache-Control") != "no-store" ||
			res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%.90s: headers %v", c.address, res.Header)
		}
	}
}

// Each server has a secret of its own.
func TestTokensDiffer(t *testing.T) {
	a, b := running(t, "127.0.0.1:0"), running(t, "127.0.0.1:0")
	if len(a.token) != 32 || a.token == b.token {
		t.Errorf("tokens %q and %q", a.token, b.token)
	}
}

func TestWhichNamesAServerHas(t *testing.T) {
	one, all := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, &net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}
	for _, c := range []struct {
		at          *net.TCPAddr
		asked, host string
		want        bool
	}{
		{one, "127.0.0.1", "127.0.0.1", true}, {one, "127.0.0.1", "LOCALHOST:80", false},
		{one, "127.0.0.1", "localhost", true}, {one, "127.0.0.1", "[::1]:80", false},
		{one, "localhost", "localhost:80", true}, {one, "127.0.0.1", "example.com", false},
		{one, "127.0.0.1", "", false},
		{all, "", "10.0.0.7:8080", true}, {all, "", "[fe80::1]:8080", true}, {all, "", "example.com:8080", false},
		{all, "box", "BOX:8080", true}, {all, "", "10.0.0.7:80", false}, {all, "", ":8080", false},
	} {
		golden.Equal(t, named(c.at, c.asked)(c.host), c.want, c.at, "asked to be", c.asked, c.host, "is let in")
	}
}

// A connection that says nothing, or too much, does not stay.
func TestIdleConnectionsEnd(t *testing.T) {
	s := running(t, "127.0.0.1:0")
	if s.http.ReadHeaderTimeout <= 0 || s.http.ReadTimeout <= 0 || s.http.WriteTimeout <= 0 || s.http.IdleTimeout <= 0 {
		t.Error("a timeout is missing")
	}
	c := golden.Must(net.Dial("tcp", s.listener.Addr().String()))(t)
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nLong: %s\r\n\r\n", strings.Repeat("a", 64<<10))
	c.SetReadDeadline(time.Now().Add(time.Minute))
	answer, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") ||
		strings.Contains(string(answer), " 200 ") {
		t.Errorf("%v: %.80q", err, answer)
	}
}

// One address opens no door of other machines, and the whole network is opened
// only where it was asked for.
func TestAddresses(t *testing.T) {
	s := running(t, "127.0.0.1:0")
	if !s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("listens at %v", s.listener.Addr())
	}
	if all := running(t, "0.0.0.0:0"); !strings.HasPrefix(all.URL(), "http://127.0.0.1:") {
		t.Errorf("%s is no address to open", all.URL())
	}
	if _, err := Listen("nonsense", saying{}); err == nil {
		t.Error("no port is no error")
	}
}

// No more requests are answered at a time than there are seats, and who is answered
// leaves his to the next.
func TestRequestsTakeTurns(t *testing.T) {
	const seats, all = 3, 20
	var now, most atomic.Int32
	arrived, begin := make(chan struct{}, all), make(chan struct{})
	g := &guard{
		token: "token",
		hosts: func(string) bool { return true },
		seats: make(chan struct{}, seats),
		next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			n := now.Add(1)
			for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			}
			arrived <- struct{}{}
			<-begin
			now.Add(-1)
		}),
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // who gets no seat gives up
	defer cancel()
	var answered sync.WaitGroup
	for range all {
		answered.Go(func() {
			g.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/token/", nil))
		})
	}
	for range seats {
		<-arrived
	}
	close(begin)
	answered.Wait()
	golden.Equal(t, len(arrived), all-seats)
	golden.Equal(t, most.Load(), seats)
}
