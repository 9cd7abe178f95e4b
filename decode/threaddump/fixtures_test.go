package threaddump

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
)

// public is where other people's dumps are, if this machine has them.
const public = "../../../shared/fixtures/public"

// parse reads all dumps of a text.
func parse(t *testing.T, name string, text []byte) (list []*Dump) {
	t.Helper()
	s := newStream(bufio.NewReader(bytes.NewReader(text)), name, 0, 0)
	for {
		d, err := s.next()
		if errors.Is(err, io.EOF) {
			return list
		}
		golden.OK(t, err)
		list = append(list, d)
	}
}

// texts returns the files that match any pattern.
func texts(t *testing.T, patterns ...string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, p := range patterns {
		paths, _ := filepath.Glob(p)
		for _, path := range paths {
			text := golden.Must(os.ReadFile(path))(t)
			if strings.HasSuffix(path, ".gz") {
				z, err := gzip.NewReader(bytes.NewReader(text))
				if err == nil {
					text, err = io.ReadAll(z)
				}
				golden.OK(t, err)
			}
			all[path] = text
		}
	}
	if len(all) == 0 {
		t.Skipf("no file matches %v on this machine", patterns)
	}
	return all
}

// tally is what is counted of a file in two ways.
type tally struct{ threads, blocked, waiting, parked, held int }

func tallied(dumps []*Dump) (c tally) {
	for _, d := range dumps {
		c.threads += len(d.Threads)
		for _, t := range d.Threads {
			c.held += len(t.Held)
			switch t.Wait {
			case Blocked:
				c.blocked++
			case Waiting:
				c.waiting++
			case Parked:
				c.parked++
			}
		}
	}
	return c
}

var (
	hotspotBody   = regexp.MustCompile(`(?ms)^Full thread dump.*?(^JNI global ref|\z)`)
	hotspotBlock  = regexp.MustCompile(`(?m)^".*tid=.*$`)
	hotspotFrame  = regexp.MustCompile(`(?m)^\s+at (.*)$`)
	hotspotLocked = regexp.MustCompile(`- locked <([^>]*)>`)
	hotspotWaited = regexp.MustCompile(`- (?:waiting on|waiting to re-lock in wait\(\)) <([^>]*)>`)
	hotspotOwned  = regexp.MustCompile(`(?m)^\s+- <[^>]*>`)
)

// grepHotSpot counts by patterns alone, thread by thread.
func grepHotSpot(text string) (c tally) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, body := range hotspotBody.FindAllString(text, -1) {
		heads := hotspotBlock.FindAllStringIndex(body, -1)
		for i, at := range heads {
			end := len(body)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			block := body[at[0]:end]
			c.threads++
			frames := hotspotFrame.FindStringSubmatch(block)
			inWait := frames != nil && strings.Contains(frames[1], "java.lang.Object.wait")
			blocked := strings.Contains(block, "State: BLOCKED")
			released := ""
			if m := hotspotWaited.FindStringSubmatch(block); m != nil {
				released = m[1]
			} else if m := hotspotLocked.FindStringSubmatch(block); m != nil && inWait {
				released = m[1]
			}
			switch {
			case blocked:
				c.blocked++
			case inWait:
				c.waiting++
			case strings.Contains(block, "- parking to wait for"):
				c.parked++
			}
			var held []string
			for _, m := range hotspotLocked.FindAllStringSubmatch(block, -1) {
				if !slices.Contains(held, m[1]) && !(inWait && m[1] == released) {
					held = append(held, m[1])
				}
			}
			c.held += len(held) + len(hotspotOwned.FindAllString(block, -1))
		}
	}
	return c
}

func TestHotSpotDumpsCountAsByGrep(t *testing.T) {
	for path, text := range texts(t, "../../testdata/*.txt", public+"/threaddump/*.txt") {
		if !bytes.Contains(text, []byte("Full thread dump")) || strings.Contains(path, "-json") {
			continue
		}
		want, got := grepHotSpot(string(text)), tallied(parse(t, path, text))
		if got != want || want.threads == 0 {
			t.Errorf("%s: %+v, by grep %+v", path, got, want)
		}
	}
}

func TestJRockitCountsAsByGrep(t *testing.T) {
	for path, text := range texts(t, public+"/threaddump/*jrockit*.txt") {
		count := func(p string) int { return len(regexp.MustCompile(p).FindAll(text, -1)) }
		want := tally{
			threads: count(`(?m)^".* id=`),
			blocked: count(`-- Blocked trying to get lock`),
			waiting: count(`-- Waiting for notification on`),
			parked:  count(`-- Parking to wait for`),
			held:    count(`\^-- Holding lock`),
		}
		if got := tallied(parse(t, path, text)); got != want || want.threads == 0 {
			t.Errorf("%s: %+v, by grep %+v", path, got, want)
		}
	}
}

// A javacore lists each monitor entered once under its frame; a thread
// entering it again says so in another frame.
func TestJavacoresCountAsByGrep(t *testing.T) {
	entered := regexp.MustCompile(`\(entered lock: (\S+@0x[0-9A-F]+)`)
	for path, text := range texts(t, public+"/javacore/*.txt", public+"/javacore/*.txt.gz") {
		count := func(p string) int { return len(regexp.MustCompile(p).FindAll(text, -1)) }
		want := tally{
			threads: count(`(?m)^3XMTHREADINFO +(".*J9VMThread|Anonymous native thread)`),
			blocked: count(`(?m)^3XMTHREADBLOCK +Blocked on`),
			waiting: count(`(?m)^3XMTHREADBLOCK +Waiting on`),
			parked:  count(`(?m)^3XMTHREADBLOCK +Parked on`),
		}
		for _, block := range strings.Split(string(text), "\n3XMTHREADINFO ")[1:] {
			var held []string
			waits := regexp.MustCompile(`3XMTHREADBLOCK +(?:Waiting|Blocked) on: (\S+@0x[0-9A-F]+)`).
				FindStringSubmatch(block)
			for _, m := range entered.FindAllStringSubmatch(block, -1) {
				if !slices.Contains(held, m[1]) && (waits == nil || waits[1] != m[1]) {
					held = append(held, m[1])
				}
			}
			want.held += len(held)
		}
		got := tallied(parse(t, path, text))
		got.held -= claimed(text) // that only the blocked thread names
		if got != want || want.threads == 0 {
			t.Errorf("%s: %+v, by grep %+v", path, got, want)
		}
	}
}

// claimed counts owners of locks that a blocked or parked thread names and
// whose own frames do not show it.
func claimed(text []byte) (n int) {
	claims := regexp.MustCompile(
		`3XMTHREADBLOCK +(?:Blocked|Parked) on: (\S+)@(0x[0-9A-F]+) Owned by: "[^"]*" \(J9VMThread:(0x[0-9A-F]+)`,
	)
	seen := map[string]bool{}
	for _, m := range claims.FindAllSubmatch(text, -1) {
		key := string(m[2]) + string(m[3])
		if !seen[key] && !bytes.Contains(text, []byte("(entered lock: "+string(m[1])+"@"+string(m[2]))) {
			n++
		}
		seen[key] = true
	}
	return n
}

func TestJSONDumpsCountAsByGrep(t *testing.T) {
	for path, text := range texts(t, "../../testdata/*.json", public+"/threaddump/*.json") {
		if !bytes.Contains(text, []byte(`"threadDump"`)) {
			continue
		}
		count := func(p string) int { return len(regexp.MustCompile(p).FindAll(text, -1)) }
		got := tallied(parse(t, path, text))
		if got.threads != count(`"tid"`) || got.blocked != count(`"blockedOn"`) ||
			got.waiting != count(`"waitingOn"`) ||
			got.parked != count(`"parkBlocker"`) ||
			got.threads == 0 {
			t.Errorf(
				"%s: %+v; %d threads, %d blocked, %d waiting, %d parked by grep",
				path,
				got,
				count(`"tid"`),
				count(`"blockedOn"`),
				count(`"waitingOn"`),
				count(`"parkBlocker"`),
			)
		}
	}
}
