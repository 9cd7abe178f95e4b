package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Section is a method in which locks are held.
type Section struct {
	Method string
	Class  string // of the locks waited for most because of it
	WaitNs int64  // caused by those in it
}

// section returns the site where the owner of a lock took it: a tenure has the same
// section when it begins and later.
func (c *Collector) section(stack format.StackID, lock format.ObjectID) uint32 {
	return c.sites.Owner(stack, lock)
}

// method returns the method of a section: its site without the line.
func (c *Collector) method(section uint32) string {
	return analysis.WithoutLine(c.sites.Names().Name(section))
}

// Sections returns the methods whose owners caused waiting, the most first. Owners
// without a stack have none.
func (c *Collector) Sections() []Section {
	type on struct{ method, class string }
	at, most := map[string]int{}, map[on]int64{}
	var out []Section
	for k, ns := range c.blamed {
		method := c.method(k.section)
		if method == "" || method == analysis.UnknownStack {
			continue
		}
		i, ok := at[method]
		if !ok {
			i = len(out)
			at[method] = i
			out = append(out, Section{Method: method})
		}
		out[i].WaitNs += ns
		most[on{method, c.sym.Classes().Name(k.class)}] += ns
	}
	for k, ns := range most {
		s := &out[at[k.method]]
		if now := most[on{k.method, s.Class}]; ns > now || ns == now && k.class < s.Class {
			s.Class = k.class
		}
	}
	slices.SortFunc(out, func(a, b Section) int {
		return cmp.Or(-cmp.Compare(a.WaitNs, b.WaitNs), cmp.Compare(a.Method, b.Method))
	})
	return out
}

// named returns a change with the names that the trace has for what it names.
func (c *Collector) named(ch Change) Change {
	if re, err := blame.Glob(ch.Section); err == nil && ch.Section != "" {
		for _, s := range c.Sections() {
			if re.MatchString(s.Method) {
				ch.Section, ch.Class = s.Method, s.Class
				return ch
			}
		}
	}
	if classes, err := c.findClass(ch.Class); err == nil && len(classes) == 1 {
		for ch.Class = range classes {
		}
	}
	return ch
}

// find returns the sections that a text names: a method, or one line of it, as
// tables print them.
func (c *Collector) find(text string) ([]bool, error) {
	re, err := blame.Glob(text)
	if err != nil {
		return nil, err
	}
	set, any := make([]bool, c.sites.Names().Len()), false
	var names []string
	for k := range c.blamed {
		site := c.sites.Names().Name(k.section)
		if re.MatchString(site) || re.MatchString(analysis.WithoutLine(site)) {
			set[k.section], any = true, true
		}
		names = append(names, analysis.WithoutLine(site))
	}
	if !any {
		return nil, fmt.Errorf("nobody waited for a section of %q%s", text, nearest(text, names))
	}
	return set, nil
}

// findClass returns the classes of locks that a text names.
func (c *Collector) findClass(text string) (map[string]bool, error) {
	re, err := blame.Glob(text)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var names []string
	for _, id := range c.locks {
		name := c.sym.ClassName(id)
		if re.MatchString(name) {
			found[name] = true
		}
		names = append(names, name)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no lock of class %q is contended%s", text, nearest(text, names))
	}
	return found, nil
}

// nearest names what comes near to a text that nothing matches.
func nearest(text string, names []string) string {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return strings.HasPrefix(n, "[") })
	if near := blame.TheNearest(text, names, 3); near != "" {
		return ": " + near
	}
	return ""
}

// shares returns, by lock, which part of the waiting for owners that are known
// is for those in some sections.
func (c *Collector) shares(set []bool) []float64 {
	in, all := map[uint32]int64{}, map[uint32]int64{}
	for k, ns := range c.blamed {
		if all[k.class] += ns; among(set, k.section) {
			in[k.class] += ns
		}
	}
	out := make([]float64, len(c.locks))
	for l, id := range c.locks {
		out[l] = float64(in[c.sym.Class(id)]) / float64(max(all[c.sym.Class(id)], 1))
	}
	return out
}

// replayable reports whether the trace has what a replay needs. One that ends in a
// deadlock would end there again.
func (c *Collector) replayable() bool {
	return len(c.tenures) > 0 && c.end > c.start && (c.rebuilt || !c.deadlock)
}
