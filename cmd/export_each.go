package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"contend/format/workers"
	"contend/report/document/facts"
)

// each analyses recordings on a few goroutines and hands them on in the order
// of their names. No more are kept than are at work, so that memory does not
// grow with their number. It returns those that could not be read.
func (o *exportOptions) each(
	ctx context.Context,
	names []string,
	analyse func(string) (*facts.Facts, error),
	write func(*facts.Facts) error,
	e *env,
) (bad unreadable, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type analysed struct {
		facts    *facts.Facts
		panicked error
	}
	results := make(chan chan analysed, o.jobs-1) // write waits for one more
	workers.Go(func() {
		defer close(results)
		for _, name := range names {
			one := make(chan analysed, 1)
			select {
			case results <- one:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				f, panicked := analyse(name)
				one <- analysed{f, panicked}
			})
		}
	})
	if isTerminal(e.msg) {
		e.bar.out, e.bar.next = e.msg, time.Now().Add(showAfter)
	}
	for done := 1; ; done++ {
		one, more := <-results
		if !more {
			return bad, ctx.Err()
		}
		var f analysed
		select {
		case f = <-one:
		case <-ctx.Done(): // an analysis that still runs ends with the program
			return bad, ctx.Err()
		}
		if err := write(f.facts); err != nil {
			return bad, err
		}
		bad.addRecording(&f.facts.Recording)
		if bad.panicked == nil {
			bad.panicked = f.panicked
		}
		if e.bar.out != nil && time.Now().After(e.bar.next) {
			e.bar.show(fmt.Sprintf("%d of %d recordings, %d unreadable", done, len(names), bad.n))
		}
	}
}

// unreadable are recordings that could not be read.
type unreadable struct {
	n        int
	first    string // the name of the first one, and its error
	panicked error  // of the first recording whose analysis panicked
}

func (u *unreadable) addRecording(r *facts.Recording) {
	if r.Error == "" {
		return
	}
	if u.n++; u.n > 1 {
		return
	}
	u.first = r.Error // an error with a line or an offset begins with the name
	if !strings.HasPrefix(r.Error, r.Recording) {
		u.first = r.Recording + ": " + r.Error
	}
}

// share is a flag that holds a part of all, or a number.
type share struct {
	percent float64
	number  int // used unless it is 0 and percent is not
	counted bool
}

// String implements pflag.Value.
func (s *share) String() string {
	if s.counted {
		return strconv.Itoa(s.number)
	}
	return strconv.FormatFloat(s.percent, 'g', -1, 64) + "%"
}

// Set implements pflag.Value.
func (s *share) Set(text string) error {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(number, 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return fmt.Errorf("%q is not a share: write 1%%, or a number", text)
		}
		*s = share{percent: p}
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a share: write 1%%, or a number", text)
	}
	*s = share{number: n, counted: true}
	return nil
}

// Type implements pflag.Value.
func (s *share) Type() string { return "share" }

// allows reports whether n of all are no more than the share.
func (s *share) allows(n, all int) bool {
	if s.counted {
		return n <= s.number
	}
	return float64(n)*100 <= s.percent*float64(all)
}
