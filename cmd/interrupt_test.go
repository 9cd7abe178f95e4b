//go:build unix

package cmd

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// interrupted runs a command with a trace that comes through a pipe without end, and
// presses Ctrl-C after the first part of it.
func interrupted(t *testing.T, args ...string) (code int, out, msg string) {
	t.Helper()
	in, feed, err := os.Pipe()
	golden.OK(t, err)
	guard := make(chan os.Signal, 1) // a press before anybody listens must not end the test
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	var feeding sync.WaitGroup
	feeding.Go(func() {
		defer feed.Close()
		io.WriteString(feed, "contend 1\nobject lock=1 class=\"app.Cache\" kind=monitor\n")
		var pressed time.Time
		for i := 0; err == nil; i++ { // until nobody reads on
			if i >= pressedAfter && time.Since(pressed) > heardWithin { // a second press would end the program
				pressed = time.Now()
				syscall.Kill(os.Getpid(), syscall.SIGINT)
			}
			_, err = fmt.Fprintf(feed, "wait time=%d end=%d thread=1 lock=1\n", i*1000+1, i*1000+900)
		}
	})
	var o, m strings.Builder
	code = Main(args, in, &o, &m)
	in.Close() // who still writes is told so
	feeding.Wait()
	return code, o.String(), m.String()
}

// Before the press come more waits than are read before anybody listens.
const pressedAfter = 20_000

// heardWithin is how long the first press is given to be heard.
const heardWithin = 10 * time.Second

// TestCtrlCAnswersFromWhatWasRead presses Ctrl-C while a trace comes through a
// pipe: the answer is that of the part that came.
func TestCtrlCAnswersFromWhatWasRead(t *testing.T) {
	code, out, msg := interrupted(t, "analyze", "-")
	if code != exitDamaged {
		t.Errorf("exit %d, want %d", code, exitDamaged)
	}
	said := regexp.MustCompile(`interrupted after (\d+) events`).FindStringSubmatch(msg)
	if said == nil {
		t.Fatalf("it does not say so: %s", msg)
	}
	if n, _ := strconv.Atoi(said[1]); n == 0 || !strings.Contains(out, "Cache") {
		t.Errorf("%d events were read, and the answer is\n%s", n, out)
	}
}

// A copy that is interrupted is a whole trace of what was read, and says itself that
// there was more.
func TestCtrlCEndsACopyInGoodOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.bin")
	code, _, msg := interrupted(t, "convert", "-", "-o", path)
	said := regexp.MustCompile(`interrupted after (\d+) events`).FindStringSubmatch(msg)
	if code != exitDamaged || said == nil {
		t.Fatalf("exit %d, want %d: %s", code, exitDamaged, msg)
	}
	var out, note strings.Builder
	if code := Main([]string{"analyze", "--format", "json", path}, nil, &out, &note); code != exitOK || !strings.Contains(note.String(), said[0]) {
		t.Errorf("the copy does not tell, exit %d: %s", code, &note)
	}
	if !strings.Contains(out.String(), "app.Cache") {
		t.Errorf("the copy holds %s", &out)
	}
}

// ended is an input that is over.
type ended struct{ format.Source }

func (ended) Read(*format.Event) error { return io.EOF }

// TestCtrlCEndsTheWorkingOut presses Ctrl-C when all is read: there is nothing
// left to stop early, so that the press has its usual meaning.
func TestCtrlCEndsTheWorkingOut(t *testing.T) {
	guard := make(chan os.Signal, 1)
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	r, done := (&env{msg: io.Discard, answers: true}).listen(ended{})
	defer done()
	var ev format.Event
	if err := r.Read(&ev); err != io.EOF {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGINT)
	<-guard
	time.Sleep(20 * time.Millisecond)
	if r.stopped.Load() {
		t.Error("the press was taken for one that ends the reading")
	}
}
