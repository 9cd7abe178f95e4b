package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/analysis"
	"contend/blame"
	"contend/csp"
	"contend/golden"
	"contend/report/document"
)

// locksSum: the locks, their owners and who waited for each sum to the total, by class too.
func locksSum() law {
	return law{"Locks", nil, func(t *testing.T, p *shared) {
		a, sum, waits, byClass := p.want, int64(0), int64(0), int64(0)
		for _, l := range a.Locks {
			sum += l.WaitNs
			waits += l.Waits
			owners, waiting := int64(0), int64(0)
			for _, o := range l.Owners {
				owners += o.WaitNs
			}
			for _, w := range l.Waiting {
				waiting += w.WaitNs
			}
			golden.Equal(t, owners, l.WaitNs, l.Lock)
			golden.Equal(t, waiting, l.WaitNs, l.Lock)
			golden.AtMost(t, l.WallNs, l.WaitNs)
			golden.Within(t, l.CSP, 0, 1)
		}
		for _, r := range p.sums.Rows() {
			byClass += r.WaitNs
		}
		pressure := float64(a.Total.WaitNs) / float64(max(a.Total.RunningNs, 1))
		if of := a.Coverage.Pressure; of != nil &&
			(of.Low < 0 || of.Low > pressure+1e-9 || of.High < pressure-1e-9 || of.High > 1) {
			t.Errorf("the pressure %v has the range %+v", pressure, *of)
		}
		if known := sumProvenance(a.Coverage.Provenance); sum != a.Total.WaitNs || byClass != sum || known != sum ||
			waits != a.Total.Waits {
			t.Errorf(
				"%d ns in %d waits of locks, %d by class, %d by how owners are known, analyze has %+v",
				sum,
				waits,
				byClass,
				known,
				a.Total,
			)
		}
	}}
}

// blamesSum: whatever waiting is charged to, it is charged once.
func blamesSum(t *testing.T, i int) law {
	l := law{name: "Blames"}
	var asked [][]string
	for j, by := range []string{"owner-stack", "class,owner-method,waiter-group", "waiter-thread,lock",
		"owner-thread,owner-group,waiter-stack,waiter-method"} {
		if !golden.IsThorough() && i%4 != j {
			continue // keys take turns over the files, too
		}
		root := (i/4 + j/2) % 2
		l.wants = append(l.wants, blame.New(pivotKeys(t, by), root == 1))
		asked = append(asked, []string{"blame", "--by", by, roots[root]})
	}
	l.holds = func(t *testing.T, p *shared) {
		for j, v := range l.wants {
			b := new(document.Blame)
			unmarshal(
				t,
				p.says(
					t,
					document.NewBlame(v.(*blame.Pivot).Table(), p.sums.RunningNs(), p.coverage(), 0),
					asked[j]...),
				b,
			)
			if sum := sumBlame(b); sum != p.want.Total.WaitNs || b.Total.WaitNs != sum {
				t.Errorf(
					"%q: %d ns in rows, %d in total, analyze has %d",
					asked[j],
					sum,
					b.Total.WaitNs,
					p.want.Total.WaitNs,
				)
			}
			for _, r := range b.Rows {
				golden.AtMost(t, r.WallNs, r.ThreadNs, asked[j])
				golden.Equal(t, sumProvenance(r.Provenance), r.ThreadNs, asked[j])
			}
		}
	}
	return l
}

func pivotKeys(t *testing.T, by string) []blame.Key {
	t.Helper()
	return golden.Must(blame.ParseKeys(by, blame.Pivots))(t)
}

// keysKeepTheTotal: whatever waiting is told apart by, the parts are all of it.
func keysKeepTheTotal(t *testing.T) law {
	l := law{name: "Every key"}
	for _, name := range blame.Keys(blame.Pivots) {
		keys := pivotKeys(t, name)
		l.wants = append(l.wants, blame.New(keys, false), blame.New(keys, true))
	}
	l.holds = func(t *testing.T, p *shared) {
		for _, v := range l.wants {
			table, sum := v.(*blame.Pivot).Table(), int64(0)
			for i := range table.Rows {
				sum += table.Rows[i].Sum.ThreadNs
			}
			if want := p.want.Total.WaitNs; sum != want || len(table.Rows) == 0 && want > 0 {
				t.Errorf("by %v, root %v: %d ns, analyze has %d", table.By, table.Root, sum, want)
			}
		}
	}
	return l
}

// pressureSums: the intervals hold all waiting and all running time.
func pressureSums(i int) law {
	interval := []time.Duration{time.Second, 37 * time.Millisecond}[i%2]
	meter := csp.New(csp.Options{IntervalNs: interval.Nanoseconds(), Threshold: csp.DefaultThreshold})
	return law{"Pressure", []analysis.Visitor{meter}, func(t *testing.T, p *shared) {
		meter.Site = p.siteOf
		series := golden.Must(meter.Series())(t)
		c := new(document.CSP)
		unmarshal(
			t,
			p.says(
				t,
				document.NewCSP(series, p.want.Trace.StartNs, nil, document.NewTotal(p.sums), p.coverage()),
				"csp",
				"--interval",
				interval.String(),
			),
			c,
		)
		checkPressure(t, c, p.want.Total.WaitNs)
	}}
}

func checkPressure(t *testing.T, c *document.CSP, want int64) {
	t.Helper()
	sum, running := int64(0), int64(0)
	for _, iv := range c.Intervals {
		running += iv.RunningNs
		for _, l := range iv.Locks {
			sum += l.WaitNs
			golden.Within(t, l.CSP, 0, 1, iv.StartNs)
		}
	}
	if sum != want || running != c.Total.RunningNs || c.Total.WaitNs != want {
		t.Errorf("csp sums to %d of %d ns waiting, %d of %d running", sum, want, running, c.Total.RunningNs)
	}
}

func TestCutsAddUp(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for i, path := range varied(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := analyzed(t, path)
			at := fmt.Sprintf("%dns", a.Trace.DurationNs*2/5)
			sums := func(args ...string) map[string]int64 {
				m := map[string]int64{}
				for _, r := range ask[document.Blame](t,
					append([]string{"blame", "--by", "class,owner-stack,waiter-method", roots[i%2], path},
						args...)...).Rows {
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
			golden.Same(t, parts, whole, "cutting at", at, roots[i%2])
		})
	}
}
