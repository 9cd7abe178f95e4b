package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/report/schema"

	"github.com/google/go-cmp/cmp"
)

// recordings are all inputs the laws are held on.
func recordings(t *testing.T) []string {
	t.Helper()
	paths, _ := filepath.Glob("../testdata/*.jfr")
	if len(paths) < 9 {
		t.Fatalf("%d recordings in testdata", len(paths))
	}
	paths = append(paths, goTrace)
	public, _ := filepath.Glob("../../shared/fixtures/public/jfr/*.jfr*")
	goPublic, _ := filepath.Glob("../../shared/fixtures/public/gotrace/*.trace")
	if public = append(public, goPublic...); len(public) == 0 {
		t.Log("skipped: the public recordings are not here")
	}
	return append(append(paths, public...), simulated(t)...)
}

// simulated writes a trace of each kind of run.
func simulated(t *testing.T) (paths []string) {
	t.Helper()
	for _, scenario := range []string{"nested", "reader-writer", "deadlock", "random", "fork-join"} {
		for _, exact := range []string{"--exact", "--text"} {
			path := filepath.Join(t.TempDir(), scenario+exact)
			if code := Main([]string{"simulate", "--scenario", scenario, exact, "--duration", "1s", "-o", path}, nil, os.Stdout, os.Stderr); code != exitOK {
				t.Fatalf("simulate: exit %d", code)
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// ask runs a command and decodes its JSON.
func ask[T any](t *testing.T, args ...string) *T {
	t.Helper()
	var out, msg bytes.Buffer
	if code := Main(append(args, "--format", "json", "--top", "0"), nil, &out, &msg); code != exitOK {
		t.Fatalf("contend %v: exit %d: %s", args, code, msg.String())
	}
	doc := new(T)
	if err := json.Unmarshal(out.Bytes(), doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func sumBlame(b *schema.Blame) (ns int64) {
	for _, r := range b.Rows {
		ns += r.ThreadNs
	}
	return ns
}

func sumProvenance(p schema.Provenance) int64 {
	return p.ExactNs + p.SampledNs + p.InferredNs + p.ThreadOnlyNs + p.UnknownNs
}

func TestTotalsAreOneNumber(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := ask[schema.Analyze](t, "analyze", path)
			want := a.Total.WaitNs
			same := func(what string, got int64) {
				if got != want {
					t.Errorf("%s: %d ns, analyze has %d", what, got, want)
				}
			}
			sum, waits := int64(0), int64(0)
			for _, l := range a.Locks {
				sum += l.WaitNs
				waits += l.Waits
				if l.WallNs > l.WaitNs || l.CSP < 0 || l.CSP > 1 {
					t.Errorf("%+v", l)
				}
			}
			same("locks", sum)
			if waits != a.Total.Waits {
				t.Errorf("%d waits over locks, %d in total", waits, a.Total.Waits)
			}
			same("provenance", sumProvenance(a.Coverage.Provenance))
			byClass := ask[schema.Analyze](t, "analyze", "--by", "class", path)
			same("by class", byClass.Total.WaitNs)
			for _, by := range []string{"owner-stack", "class,owner-method,waiter-group", "waiter-thread,lock", "owner-thread,owner-group,waiter-stack,waiter-method"} {
				for _, root := range []string{"--root=false", "--root"} {
					b := ask[schema.Blame](t, "blame", "--by", by, root, path)
					same(by+" "+root, sumBlame(b))
					same(by+" total", b.Total.WaitNs)
					for _, r := range b.Rows {
						if r.WallNs > r.ThreadNs || sumProvenance(r.Provenance) != r.ThreadNs {
							t.Errorf("%s: %+v", by, r)
						}
					}
				}
			}
			for _, interval := range []string{"1s", "37ms"} {
				c := ask[schema.CSP](t, "csp", "--interval", interval, path)
				checkPressure(t, c, want)
			}
		})
	}
}

func checkPressure(t *testing.T, c *schema.CSP, want int64) {
	t.Helper()
	sum, running := int64(0), int64(0)
	for _, iv := range c.Intervals {
		running += iv.RunningNs
		for _, l := range iv.Locks {
			sum += l.WaitNs
			if l.CSP < 0 || l.CSP > 1 {
				t.Errorf("pressure %v at %d", l, iv.StartNs)
			}
		}
	}
	if sum != want || running != c.Total.RunningNs || c.Total.WaitNs != want {
		t.Errorf("csp sums to %d of %d ns waiting, %d of %d running", sum, want, running, c.Total.RunningNs)
	}
}

func TestCutsAddUp(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := ask[schema.Analyze](t, "analyze", path)
			at := fmt.Sprintf("%dns", a.Trace.DurationNs*2/5)
			for _, root := range []string{"--root=false", "--root"} {
				sums := func(args ...string) map[string]int64 {
					m := map[string]int64{}
					for _, r := range ask[schema.Blame](t, append([]string{"blame", "--by", "class,owner-stack,waiter-method", root, path}, args...)...).Rows {
						key := r.Keys[1]
						if strings.HasPrefix(key, "[deadlock") {
							key = "[deadlock]" // each half numbers its own
						}
						if r.ThreadNs > 0 {
							m[r.Keys[0]+" "+key+" "+r.Keys[2]] += r.ThreadNs
						}
					}
					return m
				}
				whole, parts := sums(), sums("--to", at)
				for k, ns := range sums("--from", at) {
					parts[k] += ns
				}
				if diff := cmp.Diff(whole, parts); diff != "" {
					t.Errorf("cutting at %s (%s):\n%s", at, root, diff)
				}
			}
		})
	}
}

func TestClassesEqualTheJDKsTotals(t *testing.T) {
	for _, path := range recordings(t) {
		truth, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".jfr") + ".totals.json")
		if err != nil {
			continue
		}
		var want map[string]struct{ ByClass map[string][2]int64 }
		if err := json.Unmarshal(truth, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string][2]int64{}
		for _, l := range ask[schema.Analyze](t, "analyze", "--by", "class", path).Locks {
			if l.Kind == "monitor" {
				got[l.Class] = [2]int64{l.Waits, l.WaitNs}
			}
		}
		monitors := want["jdk.JavaMonitorEnter"].ByClass
		if len(got) != len(monitors) {
			t.Errorf("%s: %d classes, want %d", path, len(got), len(monitors))
		}
		for class, w := range monitors {
			name := strings.ReplaceAll(class, "/", ".")
			if name == "[I" {
				name = "int[]"
			}
			g := got[name]
			if off := g[1] - w[1]; g[0] != w[0] || max(off, -off) > w[0] {
				t.Errorf("%s: %s: %v, want %v", path, class, g, w)
			}
		}
	}
}
