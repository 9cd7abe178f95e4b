package gate

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"contend/blame"
	"contend/format"
)

// Rule is one requirement.
type Rule struct {
	Text     string // as written, without blanks at the ends
	metric   *metric
	pattern  *regexp.Regexp
	subject  string // the pattern as written
	limit    float64
	equal    bool  // the limit itself is allowed
	relative bool  // the limit is a change over the baseline
	interval int64 // the value is the highest of such intervals, ns; 0: of the whole trace
}

// NeedsBaseline reports whether the rule compares with another run.
func (r *Rule) NeedsBaseline() bool { return r.relative }

// Unit is the unit of a rule's values.
type Unit string

// The units.
const (
	Ratio   Unit = "ratio" // of the running time
	Ns      Unit = "ns"
	Count   Unit = "count"
	Threads Unit = "threads" // on average
)

// Total is the pattern for all locks together.
const Total = "total"

// absenceForm is the grammar of rules without a limit: no deadlock, no finding(PATTERN).
var absenceForm = regexp.MustCompile(`^no\s+(deadlock|finding\(([^()]*)\))$`)

// ruleForm is the grammar of the others: [peak] METRIC(PATTERN) [per INTERVAL] < LIMIT [vs
// baseline].
var ruleForm = regexp.MustCompile(
	`^(peak\s+)?([a-z0-9.]+)\(([^()]*)\)(?:\s+per\s+([0-9.a-zµ]+))?` +
		`\s*(<=?)\s*(\+?)([0-9.]+)\s*([a-zµ%]*)(\s+vs\s+baseline)?$`,
)

// Parse reads a rule: "no deadlock", "no finding(sleep-while-holding)", "csp(java.util.Hashtable) < 5%",
// "waiting(*) < 0.5", "p99(*) < 10ms", "peak csp(*) per 1s < 20%",
// "blame(com.acme.*) < +20% vs baseline". In a pattern * stands for any
// characters. The error says what is wrong with the text.
func Parse(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	r := Rule{Text: text}
	if m := absenceForm.FindStringSubmatch(text); m != nil {
		r.metric = &deadlockMetric
		if m[1] == "deadlock" {
			return r, nil
		}
		r.metric = &findingMetric
		err := cmp.Or(r.setPattern(m[2]), r.namesFinding())
		return r, err
	}
	m := ruleForm.FindStringSubmatch(text)
	if m == nil {
		return r, fmt.Errorf("%q is not a rule", text)
	}
	i := slices.IndexFunc(metrics, func(known metric) bool { return known.name == m[2] })
	if i < 0 {
		return r, fmt.Errorf("nothing to measure is called %q; there are %s", m[2], metricNames())
	}
	r.metric = &metrics[i]
	r.equal, r.relative = m[5] == "<=", m[6] == "+"
	if r.relative != (m[9] != "") {
		return r, errors.New("a change is written '< +20% vs baseline', with the sign and the words")
	}
	err := cmp.Or(r.setPattern(m[3]), r.setInterval(m[1] != "", m[4]), r.setLimit(m[7], m[8]))
	return r, err
}

// setPattern reads the text between the brackets.
func (r *Rule) setPattern(text string) (err error) {
	r.subject = strings.TrimSpace(text)
	if r.subject == "" {
		return errors.New("the brackets are empty; * stands for everything")
	}
	if r.pattern, err = blame.Glob(r.subject); err != nil {
		return fmt.Errorf("%q is not a pattern: %w", r.subject, err)
	}
	return nil
}

// setInterval reads the length of the intervals of a peak.
func (r *Rule) setInterval(peak bool, text string) error {
	if !peak && text == "" {
		return nil
	}
	if peak != (text != "") {
		return errors.New("the highest interval is written 'peak csp(*) per 1s', with both words")
	}
	if r.metric.name != "csp" && r.metric.name != "waiting" {
		return fmt.Errorf("%s has no intervals; csp and waiting have", r.metric.name)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not an interval; write 1s or 100ms", text)
	}
	r.interval = d.Nanoseconds()
	return nil
}

// setLimit reads a number and its unit, which the metric prescribes. A change is always in
// percent.
func (r *Rule) setLimit(number, unit string) error {
	want := r.metric.unit
	if r.relative {
		want = Ratio
	}
	var err error
	switch {
	case want == Ns:
		var d time.Duration
		if d, err = time.ParseDuration(number + unit); err != nil {
			return fmt.Errorf("%q is not a duration; write 10ms or 1.5s", number+unit)
		}
		r.limit = float64(d.Nanoseconds())
		return nil
	case want == Threads && unit != "":
		return fmt.Errorf("%q has not the unit of %s: write a number of threads, as 0.5", number+unit, r.metric.name)
	case want == Ratio && unit != "%":
		return fmt.Errorf("%q has not the unit of %s: write a number with %%", number+unit, r.metric.name)
	}
	if r.limit, err = strconv.ParseFloat(number, 64); err != nil {
		return fmt.Errorf("%q is not a number", number)
	}
	if want == Ratio {
		r.limit /= 100
	}
	return nil
}

// ParseFile reads rules, one a line; empty lines and comments with # are skipped. A malformed
// rule gives a *format.Error wrapping ErrCorrupt.
func ParseFile(in io.Reader, name string) ([]Rule, error) {
	var rules []Rule
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		r, err := Parse(text)
		if err != nil {
			return nil, &format.Error{
				Pos:  format.Pos{File: name, Line: n},
				What: "rule",
				Err:  fmt.Errorf("%v: %w", err, format.ErrCorrupt),
				Hint: "write a rule as csp(java.util.Hashtable) < 5%, p99(*) < 10ms, blame(com.acme.*) < +20% vs " +
					"baseline, no finding(sleep-while-holding), or no deadlock",
			}
		}
		rules = append(rules, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rules, nil
}
