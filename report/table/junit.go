package table

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"contend/report/document"
)

// suites is a file of JUnit XML, which build servers read: a test case for each rule.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   suite    `xml:"testsuite"`
}

type suite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     string  `xml:"time,attr"` // a required attribute; rules take none
	Cases    []entry `xml:"testcase"`
}

type entry struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Failure *problem `xml:"failure"` // the rule does not hold
	Error   *problem `xml:"error"`   // the trace cannot decide it
	Skipped *problem `xml:"skipped"` // the same, with --allow-undecided
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the verdicts as JUnit XML, with the limits as Check writes them.
func JUnit(w io.Writer, c *document.Check, _ Options) error {
	doc := suites{Suite: suite{Name: "contend check", Tests: len(c.Rules), Time: "0"}}
	for i := range c.Rules {
		r := &c.Rules[i]
		e := entry{Name: clean(r.Rule), Class: "contend", Time: "0"}
		switch p := describe(c, r); r.Status {
		case "fail":
			e.Failure = p
			doc.Suite.Failures++
		case "undecided":
			if c.Allowed {
				e.Skipped = p
				doc.Suite.Skipped++
				break
			}
			e.Error = p
			doc.Suite.Errors++
		}
		doc.Suite.Cases = append(doc.Suite.Cases, e)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// describe lists the subjects that break the rule, or leave it undecided.
func describe(c *document.Check, r *document.CheckRule) *problem {
	var lines []string
	if r.Reason != "" {
		lines = append(lines, clean(r.Reason+"; "+r.Hint))
	}
	for i := range r.Subjects {
		if s := &r.Subjects[i]; s.Status != "pass" {
			lines = append(
				lines,
				clean(
					fmt.Sprintf(
						"%s: %s, the limit is %s",
						subject(c, s.Name),
						measuredValue(r.Unit, s),
						checkLimit(r.Unit, s),
					),
				),
			)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &problem{Message: lines[0], Type: r.Status, Text: strings.Join(lines, "\n")}
}

// clean replaces characters that XML 1.0 cannot hold, escaped or not, and those that act on
// a terminal: names come from the trace.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || document.Acts(r) || r == 0xfffe || r == 0xffff {
			return '?'
		}
		return r
	}, s)
}
