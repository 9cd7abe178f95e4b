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

// goPatience is how much longer than the recording an answer may take.
const goPatience = 30 * time.Second

// GoError is why there is no trace of a Go program, and what to do about it.
type GoError struct {
	URL  string // without a password
	What string
	Hint string
}

func (e *GoError) Error() string { return e.URL + ": " + e.What }

const goTracePath = "/debug/pprof/trace"

// GoAddress makes the address of a program that of its trace, and says for how
// long it is recorded: what the address says, else d.
func GoAddress(address string, d time.Duration) (*url.URL, time.Duration, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, 0, &GoError{URL: address, What: "is no address", Hint: "http://HOST:PORT is one"}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, 0, &GoError{URL: u.Redacted(), What: "is no address of a program", Hint: "http://HOST:PORT is one, and so is https://HOST/debug/pprof/trace"}
	}
	if base := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(base, "/trace") {
		u.Path = strings.TrimSuffix(base, "/debug/pprof") + goTracePath
	}
	q := u.Query()
	if given := q.Get("seconds"); given != "" {
		s, err := strconv.ParseFloat(given, 64)
		if err != nil || s <= 0 || s > 1e6 {
			return nil, 0, &GoError{URL: u.Redacted(), What: fmt.Sprintf("seconds=%s is no time to record", given), Hint: "--duration 5s says it too"}
		}
		return u, time.Duration(s * float64(time.Second)), nil
	}
	q.Set("seconds", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	u.RawQuery = q.Encode()
	return u, d, nil
}

// FetchGo records a Go program that serves net/http/pprof for d, and writes its execution
// trace to w as it comes, what came before the connection broke, too. It
// returns how many bytes came; the error says why there are not more of them,
// and is ctx's own where the user ended it. Progress may be nil.
func FetchGo(ctx context.Context, u *url.URL, d time.Duration, w io.Writer, progress func(left time.Duration, bytes int64)) (int64, error) {
	limited, cancel := context.WithTimeoutCause(ctx, d+goPatience, errors.New("timeout"))
	defer cancel()
	out := &counter{w: w}
	defer out.show(d, progress)()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err == nil {
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return 0, refusal(u, answer)
		}
		_, err = io.Copy(out, answer.Body)
	}
	switch {
	case err == nil || out.err != nil:
		return out.n.Load(), out.err
	case ctx.Err() != nil:
		return out.n.Load(), ctx.Err()
	case limited.Err() != nil:
		return out.n.Load(), &GoError{u.Redacted(), fmt.Sprintf("no end of the trace came within %v", d+goPatience), "is that a program's debug/pprof?"}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, whose password it may show
	}
	return out.n.Load(), &GoError{u.Redacted(), err.Error(), "does the program run, and serve net/http/pprof there?"}
}

// refusal explains an answer that is no trace.
func refusal(u *url.URL, answer *http.Response) error {
	said, _ := bufio.NewReader(io.LimitReader(answer.Body, 4096)).ReadString('\n')
	said = strings.TrimSpace(said)
	e := &GoError{URL: u.Redacted(), What: answer.Status}
	switch {
	case strings.Contains(said, "already enabled"):
		e.What, e.Hint = "the program is being traced already", "one trace at a time is all that Go can do: try again when the other one is over"
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		e.Hint = "http://USER:PASSWORD@HOST:PORT names who asks"
	case answer.StatusCode == http.StatusNotFound:
		e.Hint = `the program must import _ "net/http/pprof" and serve it there`
	case said != "" && len(said) < 300:
		e.What += ": " + said
	}
	return e
}

// counter counts what is written.
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

// show tells now and then how much came and how long it still takes, until the
// returned function is called.
func (c *counter) show(d time.Duration, progress func(time.Duration, int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	end, over, ended := time.Now().Add(d), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		step := time.NewTicker(250 * time.Millisecond)
		defer step.Stop()
		for {
			progress(max(time.Until(end), 0), c.n.Load())
			select {
			case <-over:
				return
			case <-step.C:
			}
		}
	}()
	return func() { close(over); <-ended }
}
