package jfr

import (
	"strconv"
	"sync"
	"sync/atomic"

	"contend/format"
)

// class is a type as the recording's own metadata describes it.
type class struct {
	id     int64
	name   string
	simple bool
	fields []field
}

type field struct {
	name     string
	class    int64
	constant bool // the value is a key into the class's constant pool
	array    bool
	unit     string // of a time, as jdk.jfr.Timespan calls it; "" where none is told
}

// metadata is what one chunk says of its types.
type metadata struct {
	classes  map[int64]*class
	programs map[int64]*program // wanted events by type id
	numbered []*program         // the same, by number
	pooled   map[int64]int      // classes whose constants are looked into, numbered
	work     int                // spent on compiling
	units    [slots]string      // of the times that events tell, by slot
	tracing  bool               // of methods is known to it
	unmounts bool               // of JDK 24 or later: virtual threads leave their carriers while they wait for a monitor
	dense    []*program         // the same, for the ids there usually are
	near     bool               // there are no others
	parts    parts

	compiling sync.Mutex
	layouts   []atomic.Pointer[layout] // of constants, by class, as far as met
	others    map[int64]*layout        // the same, for all
}

// program returns how to read events of a type, nil when they are not wanted.
func (m *metadata) program(kind int64) *program {
	if uint64(kind) < uint64(len(m.dense)) {
		return m.dense[kind]
	}
	return m.programs[kind]
}

// maxDepth bounds the nesting of metadata elements and of types in types.
const maxDepth = 32

// element is one node of the metadata tree, as far as it is kept.
type element struct {
	tag   string
	attrs map[string]string
}

// parseMetadata reads the body of a metadata event.
func parseMetadata(c *cursor, specs map[string]*eventSpec) *metadata {
	texts := make([]string, 0, 64)
	for range c.count("metadata strings") {
		if c.err != nil {
			return nil
		}
		texts = append(texts, c.str(nil))
	}
	m := &metadata{classes: make(map[int64]*class), others: make(map[int64]*layout)}
	p := &metadataParser{c: c, texts: texts, m: m}
	p.element(nil, "", 0)
	if c.err != nil {
		return nil
	}
	m.compile(specs)
	return m
}

type metadataParser struct {
	c     *cursor
	texts []string
	m     *metadata
}

func (p *metadataParser) text() string {
	i := p.c.integer("metadata string", 4)
	if i < 0 || i >= int64(len(p.texts)) {
		p.c.fail("metadata string", format.ErrCorrupt)
		return ""
	}
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
	for range p.c.count("metadata attributes") {
		key := p.text()
		e.attrs[key] = p.text()
	}
	switch e.tag {
	case "class":
		cl = &class{id: number(e.attrs["id"]), name: e.attrs["name"], simple: e.attrs["simpleType"] == "true"}
		p.m.classes[cl.id] = cl
	case "field":
		if cl != nil {
			cl.fields = append(cl.fields, field{e.attrs["name"], number(e.attrs["class"]), e.attrs["constantPool"] == "true", e.attrs["dimension"] == "1", ""})
		}
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

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
