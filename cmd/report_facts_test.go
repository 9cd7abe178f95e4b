//go:build !race

package cmd

import (
	"bytes"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
)

// The screen's first facts: how long, how many threads waited for locks and for what is none;
// the thing that most waited for; and its largest owner.
var (
	headFact = regexp.MustCompile(
		`(?s)^[^\n]*?: (\S+ \S+), [\d,]+ \w+, (\S+)(?: seen)? waiting for a lock(?: on average)?(?:, (\S+) for resources)?`,
	)
	countFact = regexp.MustCompile(`^[^\n]*?: [\d,]+ \w+, ([\d,]+) waiting for a lock`)
	topFact   = regexp.MustCompile(`Waits, by \w+ waiting\n *(\S+)(?: [a-zµ%]+)?  (.+)`)
	ownerFact = regexp.MustCompile(`\n      held by +(\S+) % ([^\n]+)`)
)

// The page and the screen agree on the first three facts: of every recording with
// CONTEND_EVERY set, which takes minutes, else of each fourth.
func TestTheReportAgreesWithTheFirstScreen(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	var paths []string
	for _, pattern := range []string{"*.jfr", "*.jfr.gz", "*.txt", "*.trace", "*.trace.gz", "*.txt.gz", "*.zst",
		"*.bin"} {
		for _, dir := range []string{"../testdata/", "../testdata/[a-v]*/"} {
			paths = append(paths, golden.Must(filepath.Glob(dir+pattern))(t)...)
		}
	}
	tops, owners := 0, 0
	step := 4
	if os.Getenv("CONTEND_EVERY") != "" {
		step = 1
	}
	for i := 0; i < len(paths); i += step {
		path := paths[i]
		t.Run(path, func(t *testing.T) {
			var out, msg bytes.Buffer
			if code := Main([]string{"analyze", "--full", "--width", "500", path}, nil, &out, &msg); code != exitOK &&
				code != exitDamaged {
				return // no recording
			}
			top, owner := agrees(t, path, out.String())
			tops, owners = tops+top, owners+owner
		})
	}
	golden.AtLeast(t, tops*step, 30, len(paths))
	golden.AtLeast(t, owners*step, 20, len(paths))
}

// pseudoOwners are what the screen and the page call owners that are no threads.
var pseudoOwners = map[string]string{"hand-off": "[handoff]", "not known": "[unknown owner]"}

// remarks are what the screen adds to the names of locks.
var remarks = regexp.MustCompile(` \((of virtual|needed by|\d+ locks)[^)]*\)`)

// agrees holds the page of a recording against what the screen says of it.
func agrees(t *testing.T, path, screen string) (tops, owners int) {
	r := reportIn(t, reported(t, path))
	lead := r.text(".lead")
	says := func(pattern string, with ...any) bool {
		return regexp.MustCompile(fmt.Sprintf(pattern, with...)).MatchString(lead)
	}
	if f := headFact.FindStringSubmatch(screen); f != nil {
		of, n := ` of [\d,]+ \w+ waited`, regexp.QuoteMeta(f[2])
		if n == "none" && f[3] == "" {
			if !says(`^No thread waited for a lock`) {
				t.Errorf("the screen says %q, the page %q", f[0], lead)
			}
		} else if !says(`\b%s( of [\d,]+ \w+ waited)? for a lock.*over %s`, strings.TrimPrefix(n, "<"), f[1]) ||
			f[3] != "" && !says(`^On average %s%s at`, regexp.QuoteMeta(f[3]), of) {
			t.Errorf("the screen says %q, the page %q", f[0], lead)
		}
	} else if f := countFact.FindStringSubmatch(screen); f != nil && !says(`^%s `, f[1]) {
		t.Errorf("the screen says %q, the page %q", f[0], lead)
	}
	f := topFact.FindStringSubmatch(screen)
	if f == nil {
		golden.AtMost(t, r.count(".locks tbody tr"), 0, "the screen has nothing that is waited for, the page", screen)
		return 0, 0
	}
	// the page sorts by waiting alone: its first of the kind that leads the screen
	kind, _, _ := strings.Cut(f[2], " ")
	row := eval[[]string](
		r.tab,
		`(k => [...document.querySelectorAll(".locks tbody tr")].map(r => [".name bdi", ".tag", "td"].map(what =>
			(r.querySelector(what) || {textContent: "lock"}).textContent)).find(row => row[1] == k) || ["", "", ""])(`+
			strconv.Quote(kind)+`)`,
	)
	if what := remarks.ReplaceAllString(f[2], ""); row[1]+" "+row[0] != what || row[2] != f[1] {
		t.Errorf("the screen's first is %q, the page's %q", f[0], row)
	}
	o := ownerFact.FindStringSubmatch(screen)
	if o == nil || row[1] != "lock" {
		return 1, 0
	}
	place := eval[string](
		r.tab,
		`((s, m) => contend.groupBy(s, s.some.filter(i => !m.locks[m.lock[i]].resource), s.column("place"))[0].text)(
			contend.select(contend.model, {}), contend.model)`,
	)
	r.turn("#view=pivot&pivot=owner-site&place=" + url.QueryEscape(place))
	share, most := 0.0, ""
	for i, line := range eval[[][]string](r.tab,
		`[...document.querySelectorAll(".tree.sum [role=treeitem]")].map(i => [".share", ".name"].map(of => i.querySelector(of).textContent))`) {
		if i > 0 && line[0] != most {
			break // of several with as much any may be first
		}
		most = line[0]
		for from, to := range pseudoOwners {
			if line[1] == to {
				line[1] = from
			}
		}
		if strings.HasPrefix(o[2], line[1]) {
			share = golden.Must(strconv.ParseFloat(strings.TrimSuffix(most, " %"), 64))(t)
		}
	}
	if want := golden.Must(strconv.ParseFloat(strings.TrimLeft(o[1], "<>"), 64))(t); share == 0 ||
		math.Abs(share-want) > 1 {
		t.Errorf("the screen's owner is %q, the page's has %s", o[0], most)
	}
	return 1, 1
}
