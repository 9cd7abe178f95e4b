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
	Class  string // of the locks with most of the waiting
	WaitNs int64  // for owners in it
}

// section returns the site where the owner of a lock acquired it: a hold has the same section
// throughout.
func (c *Collector) section(stack format.StackID, lock format.ObjectID) uint32 {
	return c.sites.Owner(stack, lock)
}

// method returns the method of a section: its site without the line.
func (c *Collector) method(section uint32) string {
	return analysis.WithoutLine(c.sites.Names().Value(section))
}

// Sections returns the methods whose owners caused waiting, in descending order of it. Owners
// without a stack have none.
func (c *Collector) Sections() []Section {
	type pair struct{ method, class string }
	var methods format.Interner[string]
	var out []Section
	most := map[pair]int64{}
	for k, ns := range c.blamed {
		method := c.method(k.section)
		if method == "" || method == analysis.UnknownStack {
			continue
		}
		i, added := methods.Intern(method)
		if added {
			out = append(out, Section{Method: method})
		}
		out[i].WaitNs += ns
		most[pair{method, c.sym.Classes().Value(k.class)}] += ns
	}
	for k, ns := range most {
		s := &out[methods.IDs[k.method]]
		if now := most[pair{k.method, s.Class}]; ns > now || ns == now && k.class < s.Class {
			s.Class = k.class
		}
	}
	slices.SortFunc(out, func(a, b Section) int {
		return cmp.Or(-cmp.Compare(a.WaitNs, b.WaitNs), cmp.Compare(a.Method, b.Method))
	})
	return out
}

// named returns a change with the names of the trace for the section and class that it
// matches.
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

// findSections returns the sections that a text names: a method, or a line of it as in tables.
func (c *Collector) findSections(text string) ([]bool, error) {
	re, err := blame.Glob(text)
	if err != nil {
		return nil, err
	}
	set, found := make([]bool, c.sites.Names().Len()), false
	var names []string
	for k := range c.blamed {
		site := c.sites.Names().Value(k.section)
		if re.MatchString(site) || re.MatchString(analysis.WithoutLine(site)) {
			set[k.section], found = true, true
		}
		names = append(names, analysis.WithoutLine(site))
	}
	if !found {
		return nil, fmt.Errorf("no thread waited for a section of %q%s", text, nearest(text, names))
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
	for _, id := range c.locks.List {
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

// nearest names what is similar to a text without a match.
func nearest(text string, names []string) string {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return strings.HasPrefix(n, "[") })
	if near := blame.TheNearest(text, names, 3); near != "" {
		return ": " + near
	}
	return ""
}

// shares returns, by lock, the share of the waiting for known owners that is for owners in
// some sections.
func (c *Collector) shares(set []bool) []float64 {
	in, all := map[uint32]int64{}, map[uint32]int64{}
	for k, ns := range c.blamed {
		all[k.class] += ns
		if contains(set, k.section) {
			in[k.class] += ns
		}
	}
	out := make([]float64, len(c.locks.List))
	for l, id := range c.locks.List {
		out[l] = float64(in[c.sym.Class(id)]) / float64(max(all[c.sym.Class(id)], 1))
	}
	return out
}

// replayable reports whether the trace has holds. A recorded one that ends in a deadlock would
// end there again.
func (c *Collector) replayable() bool {
	return len(c.holds) > 0 && c.end > c.start && (c.rebuilt || !c.deadlock)
}
