package cmd

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"contend/format/human"
	"contend/report/document/facts"
)

// labelPattern takes labels from the end of a path: {name} is part of one
// segment, * anything in one, ** any number of segments.
type labelPattern struct {
	written
	match *regexp.Regexp // nil for no pattern
}

var patternPart = regexp.MustCompile(`\{[^{}]*\}|\*\*/?|\*|\?|[^{}*?]+|.`)

var labelName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Set implements pflag.Value.
func (p *labelPattern) Set(text string) error {
	err := p.parse(text)
	if err != nil {
		return usageError{fmt.Errorf("--labels: %w", err), "write '{service}/{version}/{host}/*.jfr'"}
	}
	return nil
}

func (p *labelPattern) parse(text string) (err error) {
	if *p = (labelPattern{written: written{text: text}}); text == "" {
		return nil
	}
	var b strings.Builder
	seen := map[string]bool{}
	b.WriteString("(?:^|/)")
	for _, part := range patternPart.FindAllString(strings.TrimPrefix(filepath.ToSlash(text), "/"), -1) {
		switch part[0] {
		case '{':
			name := strings.Trim(part, "{}")
			if !labelName.MatchString(name) || seen[name] {
				return fmt.Errorf("%q: %s is not the name of a label, or occurs twice", text, part)
			}
			seen[name] = true
			b.WriteString("(?P<" + name + ">[^/]+?)")
		case '}':
			return fmt.Errorf("%q: } without {", text)
		case '*':
			b.WriteString(map[string]string{"*": "[^/]*", "**": ".*", "**/": "(?:.*/)?"}[part])
		case '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(part))
		}
	}
	if len(seen) == 0 {
		return fmt.Errorf("%q names no label", text)
	}
	b.WriteString("$")
	p.match, err = regexp.Compile(b.String())
	return err
}

// check refuses a pattern that matches no name, and reports the number of names it does not match.
func (p *labelPattern) check(e *env, names []string) error {
	if p.match == nil {
		return nil
	}
	missed, first := 0, ""
	for _, name := range names {
		if !p.match.MatchString(filepath.ToSlash(name)) {
			if missed++; first == "" {
				first = name
			}
		}
	}
	switch {
	case missed == len(names):
		return usageError{
			fmt.Errorf("--labels: %q matches no recording, such as %s", p.text, first),
			"it is matched against the ends of paths, segment by segment",
		}
	case missed > 0:
		e.warn(human.Say("%v recordings get no labels by %s, the first is %s", missed, p.text, first))
	}
	return nil
}

// labelsOf returns the labels of a recording. Those of the pattern take precedence over those in
// the segments of the path.
func (p *labelPattern) labelsOf(name string) map[string]string {
	labels := map[string]string{}
	segments := strings.Split(filepath.ToSlash(name), "/")
	for _, s := range segments[:len(segments)-1] {
		if k, v, ok := strings.Cut(s, "="); ok && labelName.MatchString(k) {
			if plain, err := url.PathUnescape(v); err == nil {
				v = plain
			}
			labels[k] = v
		}
	}
	if p.match != nil {
		if m := p.match.FindStringSubmatch(filepath.ToSlash(name)); m != nil {
			for i, k := range p.match.SubexpNames() {
				if k != "" {
					labels[k] = m[i]
				}
			}
		}
	}
	maps.DeleteFunc(labels, func(_, v string) bool { return v == "" })
	return labels
}

// noValue is the folder of an empty label, as Hive names it.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// dateLabel is the label that every recording has.
const dateLabel = "date"

// partitionOf returns the folder for a recording's rows.
func (o *exportOptions) partitionOf(f *facts.Facts) string {
	var b strings.Builder
	for i, k := range o.partition {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(k + "=" + partitionValue(f, k))
	}
	return b.String()
}

func partitionValue(f *facts.Facts, key string) string {
	v := f.Label(key)
	if v == "" && key == dateLabel && f.Recording.Start != 0 {
		v = time.UnixMicro(int64(f.Recording.Start)).UTC().Format(time.DateOnly)
	}
	if v == "" {
		return noValue
	}
	return strings.ReplaceAll(url.PathEscape(v), "=", "%3D")
}

// checkPartition refuses keys that cannot be labels.
func (o *exportOptions) checkPartition() error {
	for i, k := range o.partition {
		if !labelName.MatchString(k) {
			return usageError{fmt.Errorf("--partition: %q is not the name of a label", k), "write service,date"}
		}
		for _, other := range o.partition[:i] {
			if other == k {
				return usageError{errors.New("--partition: " + k + " is given twice"), "write service,date"}
			}
		}
	}
	return nil
}
