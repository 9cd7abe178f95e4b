package gate

import (
	"errors"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame/findings"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text     string
		limit    float64
		relative bool
		matches  string
	}{
		{"csp(java.util.Hashtable) < 5%", 0.05, false, "java.util.Hashtable"},
		{" csp( * )<=0.5 % ", 0.005, false, "anything"},
		{"p99(*) < 10ms", 10e6, false, "x"},
		{"max(a.*Lock) < 1.5s", 1.5e9, false, "a.b.CLock"},
		{"p99.9(*) < 10ms", 10e6, false, "x"},
		{"p50(total) < 20µs", 20e3, false, "total"},
		{"blame(com.acme.*) < +20% vs baseline", 0.2, true, "com.acme.Shop.buy"},
		{"p99(*) < +50%  vs  baseline", 0.5, true, "x"},
	} {
		r, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if r.limit != c.limit || r.relative != c.relative || r.NeedsBaseline() != c.relative ||
			!r.pattern.MatchString(c.matches) ||
			r.pattern.MatchString("") != (r.subject == "*") {
			t.Errorf("%s: %+v", c.text, r)
		}
	}
	if r, err := Parse("no  deadlock"); err != nil || r.metric != &deadlockMetric {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "is not a rule",
		"csp < 5%":                    "is not a rule",
		"csp(a) > 5%":                 "is not a rule",
		"csp(a(b)) < 5%":              "is not a rule",
		"csp() < 5%":                  "brackets are empty",
		"cps(*) < 5%":                 "there are csp, waiting, blame, p50",
		"csp(*) < 5":                  "has not the unit",
		"waiting(*) < 5%":             "number of threads",
		"peak csp(*) < 5%":            "per 1s",
		"csp(*) per 1s < 5%":          "with both words",
		"peak p99(*) per 1s < 5ms":    "has no intervals",
		"peak csp(*) per 0s < 5%":     "is not an interval",
		"peak csp(*) per day < 5%":    "is not an interval",
		"csp(*) < 5ms":                "has not the unit",
		"csp(*) < 1.2.3%":             "not a number",
		"p99(*) < 5%":                 "is not a duration",
		"p99(*) < 10":                 "is not a duration",
		"csp(*) < +5%":                "vs baseline",
		"csp(*) < 5% vs baseline":     "vs baseline",
		"p99(*) < +5ms vs baseline":   "has not the unit",
		"no deadlocks":                "is not a rule",
		"no finding()":                "brackets are empty",
		"no finding(asleep)":          "the nearest is sleep-while-holding",
		"no finding(xyz)":             "there are deadlock, lock-order, sleep-while-holding",
		"csp(*) < 5% # not a comment": "is not a rule",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseFileSaysWhere(t *testing.T) {
	good := "# a comment\n\n  csp(*) < 5%\r\nno deadlock\n"
	if rules, err := ParseFile(strings.NewReader(good), "r"); err != nil || len(rules) != 2 ||
		rules[0].Text != "csp(*) < 5%" {
		t.Errorf("%v, %v", rules, err)
	}
	_, err := ParseFile(strings.NewReader(good+"p99 < 1\n"), "r")
	var fe *format.Error
	if !errors.As(err, &fe) || !errors.Is(err, format.ErrCorrupt) || fe.Pos.Line != 5 ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if _, err := ParseFile(strings.NewReader(strings.Repeat("x", 1<<20)), "r"); err == nil {
		t.Error("a line of a megabyte is a rule")
	}
}

// FuzzParse holds that what parses parses again, and has a limit one can be
// above or below.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"csp(*) < 5%", "p99(a.*) <= 10ms", "no deadlock", "blame(x) < +20% vs baseline",
		"max(total) < 9223372036s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(r.Text); err != nil || again.limit != r.limit || r.limit < 0 {
			t.Errorf("%q: %+v, again %+v, %v", text, r, again, err)
		}
	})
}

// run analyses a simulated run.
func run(t *testing.T, c simulate.Config, exact bool) *Run {
	t.Helper()
	var list format.List
	e, s := format.Sink(nil), format.Sink(&list)
	if exact {
		e, s = &list, nil
	}
	golden.Must(simulate.Run(c, e, s))(t)
	r := NewRun()
	tr := golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, r.Visitors()...))(t)
	r.Trace = tr
	return r
}

func shards(seed uint64, slow int64) simulate.Config {
	return simulate.Config{
		Scenario: "shards",
		Threads:  8,
		Locks:    4,
		Duration: 3e9,
		Seed:     seed,
		Slow:     "serve1",
		SlowBy:   slow,
	}
}

// verdicts checks one rule and returns its result.
func verdicts(t *testing.T, text string, runs, base []*Run) Result {
	t.Helper()
	r := golden.Must(Parse(text))(t)
	return Check([]Rule{r}, runs, base)[0]
}

func TestRulesAgainstKnownRuns(t *testing.T) {
	pair := run(
		t,
		simulate.Config{Scenario: "ping-pong", Threads: 2, Duration: 1e9},
		true,
	) // pressure 50 %, every wait 1 ms
	stuck := run(t, simulate.Config{Scenario: "deadlock", Duration: 1e9, Seed: 1}, true)
	sampled := run(t, simulate.Config{Scenario: "ping-pong", Threads: 2, Duration: 1e9}, false)
	alone := run(t, simulate.Config{Scenario: "ping-pong", Threads: 1, Duration: 1e9}, true)
	for _, c := range []struct {
		rule string
		run  *Run
		want Status
	}{
		{"csp(sim.Lock0) < 49%", pair, Fail}, {"csp(sim.*) < 51%", pair, Pass}, {"csp(total) < 49%", pair, Fail},
		{"csp(sim.Lock9) < 1%", pair, Undecided},
		{"csp(sim.Lock0) < 49%", sampled, Fail},
		{"blame(sim.App.hit) < 49%", pair, Fail}, {"blame(sim.Worker.*) < 49%", pair, Fail},
		{"blame(*) < 51%", pair, Pass}, {"blame(sim.App.hi) < 1%", pair, Undecided},
		{"p99(*) < 900us", pair, Fail}, {"p99(*) < 1100us", pair, Pass}, {"max(total) < 900us", pair, Fail},
		{"p50(sim.*) < 2ms", pair, Pass},
		{"p90(*) < 900us", pair, Fail}, {"p99.9(*) < 900us", pair, Fail}, {"p99.99(*) < 1100us", pair, Pass},
		{"p99.9(total) < 1h", sampled, Undecided},
		{"max(*) < 1ms", pair, Fail}, {"max(*) <= 1ms", pair, Pass},
		{"p99(*) < 1h", sampled, Undecided}, {"p99(*) < 1ns", alone, Pass}, {"csp(total) < 1%", alone, Pass},
		{"no deadlock", stuck, Fail}, {"no deadlock", pair, Pass},
	} {
		if got := verdicts(t, c.rule, []*Run{c.run}, nil); got.Status != c.want || Worst([]Result{got}) != c.want ||
			(got.Doubt.Reason != "") != (c.want == Undecided) {
			t.Errorf("%s: %+v, want %s", c.rule, got, c.want)
		}
	}
}

// A section that takes half as long again breaks a rule that allows 20 %, and
// keeps one that allows more than the pressure grew by; what did not change
// keeps every rule.
func TestChangesOverTheBaseline(t *testing.T) {
	base, new := []*Run{run(t, shards(1, 0), true)}, []*Run{run(t, shards(2, 50), true)}
	for rule, want := range map[string]Status{
		"blame(sim.App.serve1) < +20% vs baseline": Fail, "csp(sim.Lock1) < +20% vs baseline": Fail,
		"csp(*) < +20% vs baseline":                Fail,
		"blame(sim.App.serve2) < +20% vs baseline": Pass, "csp(sim.Lock1) < +200% vs baseline": Pass,
		"csp(sim.Lock3) < +20% vs baseline": Pass,
		"p90(sim.Lock1) < +5% vs baseline":  Fail, "max(sim.Lock2) < +20% vs baseline": Pass,
	} {
		golden.Equal(t, verdicts(t, rule, new, base).Status, want, rule)
	}
	got := verdicts(t, "csp(*) < +20% vs baseline", new, base)
	if got.Subjects[0].Name != "sim.Lock1" || got.Subjects[0].Noise <= 0 || got.Subjects[1].Status != Pass {
		t.Errorf("the worst does not come first: %+v", got.Subjects)
	}
}

// Baseline runs that disagree make the gate as tolerant as they are.
func TestTheBaselineSetsTheNoise(t *testing.T) {
	new := []*Run{run(t, shards(2, 60), true)}
	var steady, unsteady []*Run
	for i, slow := range []int64{0, 30, 60, 90} {
		steady = append(steady, run(t, shards(uint64(10+i), 0), true))
		unsteady = append(unsteady, run(t, shards(uint64(20+i), slow), true))
	}
	const rule = "csp(sim.Lock1) < +10% vs baseline"
	golden.Equal(t, verdicts(t, rule, new, steady).Status, Fail)
	golden.Equal(t, verdicts(t, rule, new, unsteady).Status, Pass)
	if got := verdicts(t, "csp(sim.Lock1) < +10% vs baseline", new,
		[]*Run{run(t, simulate.Config{Scenario: "ping-pong", Threads: 1, Duration: 1e9}, true)}); got.Status != Fail {
		t.Errorf("a lock the baseline never waited for: %+v", got)
	}
}

// Rules about changes rarely break when nothing did.
func TestFalseAlarms(t *testing.T) {
	pairs := golden.Depth(2, 8, 40)
	alarms := 0
	for i := range pairs {
		base, new := []*Run{run(t, shards(uint64(100+2*i), 0), true)}, []*Run{run(t, shards(uint64(101+2*i), 0), true)}
		if verdicts(t, "csp(*) < +0% vs baseline", new, base).Status != Pass {
			alarms++
		}
	}
	golden.AtMost(t, alarms, pairs/20+3, pairs)
}

// Each kind of finding is a rule by the name that JSON has.
func TestEveryFindingIsARule(t *testing.T) {
	for _, kind := range findings.Kinds() {
		if r, err := Parse("no finding(" + kind + ")"); err != nil || !r.pattern.MatchString(kind) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
