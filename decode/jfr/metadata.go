package jfr

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"contend/format"
)

// class is a type as the recording's own metadata describes it.
type class struct {
	id     int64
	name   string
	fields []field
}

type field struct {
	name     string
	class    int64
	constant bool // the value is a key into the class's constant pool
	array    bool
	unit     string // of a time, as jdk.jfr.Timespan calls it; "" for none
}

// metadata describes the types of one chunk.
type metadata struct {
	classes  map[int64]*class
	programs map[int64]*program // wanted events by type id
	numbered []*program         // as above, by number
	pooled   map[int64]int      // numbers of the classes with constants that are read
	work     int                // spent on compiling
	units    [slots]string      // of the times in events, by slot
	tracing  bool               // of methods is known to it
	sampler  bool               // async-profiler wrote it
	// of JDK 24 or later: virtual threads leave their carriers while they wait for a monitor
	unmounts bool
	dense    []*program // as above, for the usual ids; unwanted for events that are skipped
	parts    parts
	flaw     string // its first fault; "" for none

	compiling sync.Mutex
	layouts   map[int64]*layout // of constants, by class, once one has been read
}

// unwanted is the program of events that are skipped.
var unwanted = &program{}

// program returns how to read events of a type, nil when there is no such.
func (m *metadata) program(kind int64) *program {
	if uint64(kind) < uint64(len(m.dense)) {
		return m.dense[kind]
	}
	if p := m.programs[kind]; p != nil {
		return p
	}
	if m.classes[kind].isEvent() {
		return unwanted
	}
	return nil
}

// isEvent reports whether a class is one of events: each has its time first.
func (c *class) isEvent() bool {
	return c != nil && len(c.fields) > 0 && c.fields[0].name == "startTime"
}

// lasts reports whether the events of a class have a duration, which is second then.
func (c *class) lasts() bool { return len(c.fields) > 1 && c.fields[1].name == "duration" }

// maxDepth bounds the nesting of metadata elements and of types in types.
const maxDepth = 32

// element is one node of the metadata tree, with the attributes that are kept.
type element struct {
	tag   string
	attrs map[string]string
}

// samplerLabel is how async-profiler calls its recordings.
const samplerLabel = "Async-profiler Recording"

// parseMetadata parses the body of a metadata event; nil if it is damaged.
func parseMetadata(c *cursor, specs map[string]*eventSpec) *metadata {
	texts := make([]string, 0, 64)
	for range c.count("metadata strings") {
		if c.err != nil {
			return nil
		}
		texts = append(texts, c.str(nil))
	}
	m := &metadata{
		classes: make(map[int64]*class),
		layouts: make(map[int64]*layout),
		sampler: slices.Contains(texts, samplerLabel),
	}
	p := &metadataParser{c: c, texts: texts, used: make([]bool, len(texts)), m: m}
	p.element(nil, "", 0)
	if c.err != nil || c.left() > 0 {
		return nil
	}
	p.checkTexts()
	m.compile(specs)
	return m
}

type metadataParser struct {
	c     *cursor
	texts []string
	used  []bool // by text
	m     *metadata
}

func (p *metadataParser) text() string {
	i := p.c.integer("metadata string", 4)
	if i < 0 || i >= int64(len(p.texts)) {
		p.c.fail("metadata string", format.ErrCorrupt)
		return ""
	}
	p.used[i] = true
	return p.texts[i]
}

// element reads one element and its children; cl is the class it is inside,
// parent the tag around it.
func (p *metadataParser) element(cl *class, parent string, depth int) {
	if depth > maxDepth {
		p.c.fail("metadata depth", format.ErrLimit)
		return
	}
	e := element{tag: p.text(), attrs: map[string]string{}}
	if !slices.Contains(within[parent], e.tag) {
		p.c.fail("metadata element", format.ErrCorrupt)
	}
	for range p.c.count("metadata attributes") {
		key := p.text()
		e.attrs[key] = p.text()
	}
	switch e.tag {
	case "class":
		cl = &class{id: p.number(&e, "id"), name: e.attrs["name"]}
		if p.m.classes[cl.id] != nil || cl.name == "" {
			p.c.fail("metadata class", format.ErrCorrupt)
		}
		p.m.classes[cl.id] = cl
	case "field":
		f := field{
			name:     e.attrs["name"],
			class:    p.number(&e, "class"),
			constant: e.attrs["constantPool"] == "true",
			array:    e.attrs["dimension"] == "1",
		}
		if cl == nil || f.name == "" || strings.ContainsRune(f.name, ' ') ||
			!known(e.attrs, "name", "class", "constantPool", "dimension") {
			p.c.fail("metadata field", format.ErrCorrupt)
			return
		}
		cl.fields = append(cl.fields, f)
	case "annotation":
		unit := e.attrs["value"]
		if _, known := timespans[unit]; known && parent == "field" && cl != nil {
			cl.fields[len(cl.fields)-1].unit = unit
		}
	}
	for range p.c.count("metadata children") {
		if p.c.err != nil {
			return
		}
		p.element(cl, e.tag, depth+1)
	}
}

// within lists the elements that may be in each.
var within = map[string][]string{"": {"root"}, "root": {"metadata", "region"}, "metadata": {"class"},
	"class": {"setting", "annotation", "field"}, "setting": {"annotation"}, "field": {"annotation"}}

// known reports whether attributes have none but these names.
func known(attrs map[string]string, names ...string) bool {
	for name := range attrs {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// number reads an attribute that is one.
func (p *metadataParser) number(e *element, name string) int64 {
	n, err := strconv.ParseInt(e.attrs[name], 10, 64)
	if err != nil {
		p.c.fail("metadata "+name, format.ErrCorrupt)
	}
	return n
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
