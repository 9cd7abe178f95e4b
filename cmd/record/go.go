package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// goPatience is how much longer than the recording an answer may take; goRate bounds its
// bytes per second: the trace of a busy program has some MB.
const (
	goPatience = 30 * time.Second
	goMagic    = "go 1."
)

var goRate int64 = 64 << 20 // tests have less

// goClient asks only the named program, and for an uncompressed trace: compressed data can
// expand to any size.
var goClient = func() *http.Client {
	direct := http.DefaultTransport.(*http.Transport).Clone()
	direct.DisableCompression = true
	return &http.Client{
		Transport:     direct,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}()

const goTracePath = "/debug/pprof/trace"

// GoAddress turns the address of a program into the address of its trace, and returns the
// duration of the recording: the one in the address, else d.
func GoAddress(address string, d time.Duration) (*url.URL, time.Duration, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, 0, &Error{address + ": is not an address", "http://HOST:PORT is one"}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, 0, &Error{
			u.Redacted() + ": is not an address of a program",
			"http://HOST:PORT is one, and so is https://HOST/debug/pprof/trace",
		}
	}
	if base := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(base, "/trace") {
		u.Path = strings.TrimSuffix(base, "/debug/pprof") + goTracePath
	}
	q := u.Query()
	if given := q.Get("seconds"); given != "" {
		s, err := strconv.ParseFloat(given, 64)
		if err != nil || s <= 0 || s > 1e6 {
			return nil, 0, &Error{
				fmt.Sprintf("%s: seconds=%s is not a time to record", u.Redacted(), given),
				"--duration 5s says it too",
			}
		}
		return u, time.Duration(s * float64(time.Second)), nil
	}
	q.Set("seconds", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	u.RawQuery = q.Encode()
	return u, d, nil
}

// FetchGo records a Go program that serves net/http/pprof for d, and writes its execution
// trace to w as it arrives, also the part before a broken connection. It returns the number
// of bytes; the error is why there are no more, ctx's own if the user ended it. Progress
// may be nil.
func FetchGo(
	ctx context.Context,
	u *url.URL,
	d time.Duration,
	w io.Writer,
	progress func(left time.Duration, bytes int64),
) (int64, error) {
	limited, cancel := context.WithTimeoutCause(ctx, d+goPatience, errors.New("timeout"))
	defer cancel()
	out := &counter{w: w}
	if progress != nil {
		defer showProgress(d, func(left time.Duration) { progress(left, out.n.Load()) })()
	}
	request, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, err
	}
	answer, err := goClient.Do(request)
	if err == nil {
		defer answer.Body.Close()
		in, most := bufio.NewReader(answer.Body), int64(d.Seconds()+1)*goRate
		head, _ := in.Peek(len(goMagic))
		switch {
		case answer.StatusCode != http.StatusOK:
			return 0, refusal(u, answer, in)
		case !strings.HasPrefix(goMagic, string(head)):
			return 0, &Error{
				u.Redacted() + ": answers with something else than a Go trace",
				"is that a program's debug/pprof?",
			}
		}
		if _, err = io.CopyN(out, in, most); err == nil {
			err = fmt.Errorf("more than %d MB came, which no trace of %v has", most>>20, d)
		} else if err == io.EOF {
			err = nil
		}
	}
	switch {
	case err == nil || out.err != nil:
		return out.n.Load(), out.err
	case ctx.Err() != nil:
		return out.n.Load(), ctx.Err()
	case limited.Err() != nil:
		return out.n.Load(), &Error{
			fmt.Sprintf("%s: no end of the trace came within %v", u.Redacted(), d+goPatience),
			"is that a program's debug/pprof?",
		}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, whose password it may show
	}
	return out.n.Load(), &Error{
		u.Redacted() + ": " + err.Error(),
		"does the program run, and serve net/http/pprof there?",
	}
}

// refusal explains an answer that is not a trace.
func refusal(u *url.URL, answer *http.Response, in io.Reader) error {
	said, _ := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	said = strings.TrimSpace(said)
	e := &Error{What: answer.Status}
	to, _ := answer.Location()
	switch {
	case to != nil:
		e.Hint = "name " + to.Redacted() + " where that is the program"
	case strings.Contains(said, "already enabled"):
		e.What = "the program is being traced already"
		e.Hint = "one trace at a time is all that Go can do: try again when the other one is over"
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		e.Hint = "http://USER:PASSWORD@HOST:PORT names who asks"
	case answer.StatusCode == http.StatusNotFound:
		e.Hint = `the program must import _ "net/http/pprof" and serve it there`
	case said != "" && len(said) < 300:
		e.What += ": " + said
	}
	e.What = u.Redacted() + ": " + e.What
	return e
}

// counter counts the bytes that it writes.
type counter struct {
	w   io.Writer
	n   atomic.Int64
	err error // of writing
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n.Add(int64(n))
	if err != nil {
		c.err = err
	}
	return n, err
}
