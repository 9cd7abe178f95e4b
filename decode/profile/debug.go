package profile

import (
	"bufio"
	"bytes"
	"fmt"
	"math/big"
	"path"
	"regexp"
	"strconv"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"
)

// IsDebug reports whether a text is a mutex or block profile as Go prints it for people,
// with debug=1.
func IsDebug(start []byte) bool {
	return bytes.HasPrefix(start, []byte("--- mutex:")) || bytes.HasPrefix(start, []byte("--- contention:")) ||
		bytes.HasPrefix(start, []byte(goroutineHead))
}

// goroutineHead begins a profile of goroutines, with debug=1.
const goroutineHead = "goroutine profile: total "

// countGoroutines makes the values of a profile numbers of goroutines.
func (r *Reader) countGoroutines() {
	r.Said.Format, r.Said.Unit = "goroutine profile", format.UnitThreads
	r.of = "the number of goroutines"
	r.empty = "the profile has no goroutines"
	r.counts = true
}

// The lines of such a profile.
var (
	rateLine   = regexp.MustCompile(`^cycles/second=(\d+)$`)
	sampleLine = regexp.MustCompile(`^(\d+) (?:(\d+) )?@((?: 0x[0-9a-f]+)*)$`)
	symbolLine = regexp.MustCompile(`^#\s+0x[0-9a-f]+\s+(\S.*)\+0x[0-9a-f]+\s+(\S.*):(\d+)$`)
)

// NewDebug reads a mutex or block profile of debug=1: the cycles that each stack waited,
// and how many there are in a second. Lines of no such form are damage.
func NewDebug(in *bufio.Reader, name string, t *rules.Table) (*Reader, error) {
	r := newReader(t, "go contention profile", "waiting")
	r.Said.Unit = format.UnitDelays
	var rate, cycles, waits int64
	var frames []format.Frame
	named := false // by the lines after the addresses
	done := func() {
		if rate > 0 {
			ns := new(big.Int).Mul(big.NewInt(cycles), big.NewInt(1e9))
			if ns.Div(ns, big.NewInt(rate)); ns.IsInt64() && ns.Int64() < maxDelay {
				r.addStack(frames, ns.Int64(), waits)
			}
		}
		cycles = 0
		waits = 0
		frames = nil
		named = false
	}
	begun := false // other text may stand before it
	err := r.lines(in, name, "line of a profile", func(line string) bool {
		switch {
		case strings.HasPrefix(line, goroutineHead):
			begun, rate = true, 1e9 // one of them counts one
			r.countGoroutines()
		case strings.HasPrefix(line, "--- mutex:"):
			begun, r.empty = true, "the profile has no samples: "+unsetMutex
		case strings.HasPrefix(line, "--- contention:"):
			begun, r.empty = true, "the profile has no samples: "+unsetBlock
		}
		if !begun {
			return true
		}
		if m := rateLine.FindStringSubmatch(line); m != nil {
			rate, _ = strconv.ParseInt(m[1], 10, 64)
		} else if m := sampleLine.FindStringSubmatch(line); m != nil {
			done()
			cycles, _ = strconv.ParseInt(m[1], 10, 64)
			waits, _ = strconv.ParseInt(m[2], 10, 64)
			for address := range strings.FieldsSeq(m[3]) {
				frames = append(frames, format.Frame{Method: address})
			}
		} else if m := symbolLine.FindStringSubmatch(line); m != nil {
			if !named {
				frames, named = nil, true
			}
			f := format.Frame{File: path.Base(m[2])}
			f.Class, f.Method = gonames.Split(m[1])
			f.Line, _ = strconv.Atoi(m[3])
			frames = append(frames, f)
		} else {
			return strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, goroutineHead) ||
				strings.HasPrefix(line, "sampling period=") || strings.HasPrefix(line, "#")
		}
		return true
	})
	done()
	r.counted()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
