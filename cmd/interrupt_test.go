//go:build unix

package cmd

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/format"
)

// TestCtrlCAnswersFromWhatWasRead presses Ctrl-C while a trace comes through a
// pipe: the answer is that of the part that came.
func TestCtrlCAnswersFromWhatWasRead(t *testing.T) {
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	guard := make(chan os.Signal, 1) // a press before anybody listens must not end the test
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	const waits, before = 60_000, 20_000 // more than is read before anybody listens
	var feeding sync.WaitGroup
	feeding.Go(func() {
		defer feed.Close()
		io.WriteString(feed, "contend 1\nobject lock=1 class=\"app.Cache\" kind=monitor\n")
		for i := range waits {
			if i == before {
				for range 20 { // until somebody listens
					syscall.Kill(os.Getpid(), syscall.SIGINT)
					time.Sleep(10 * time.Millisecond)
				}
			}
			fmt.Fprintf(feed, "wait time=%d end=%d thread=1 lock=1\n", i*1000+1, i*1000+900)
		}
	})
	var out, msg strings.Builder
	if code := Main([]string{"analyze", "-"}, in, &out, &msg); code != exitDamaged {
		t.Errorf("exit %d, want %d", code, exitDamaged)
	}
	in.Close() // who still writes is told so
	feeding.Wait()
	said := regexp.MustCompile(`interrupted after (\d+) events`).FindStringSubmatch(msg.String())
	if said == nil {
		t.Fatalf("it does not say so: %s", &msg)
	}
	if n, _ := strconv.Atoi(said[1]); n == 0 || n >= waits || !strings.Contains(out.String(), "Cache") {
		t.Errorf("%d events of %d were read, and the answer is\n%s", n, waits+1, &out)
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
	r, done := (&env{msg: io.Discard, answers: true}).listen(ended{}, nil)
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
