package text

import (
	"cmp"
	"strings"
	"unicode"

	"contend/format"
	"contend/report/document"
)

// Plain writes names of the program for people, without their packages: a name
// is short enough then, and what a reader looks for. The whole name belongs
// where there is room for it.
type Plain struct {
	Paths bool // names have paths instead of packages: a Go program's
}

// PlainOf returns how the names of a trace are written.
func PlainOf(a *document.Analyze) Plain {
	converted := len(a.Locks) > 0 && strings.HasPrefix(a.Locks[0].Class, "sync.") // a Go trace in another format
	return Plain{document.Goroutines(a.Trace.Format) || converted}
}

// Name writes Class.method:line, or another name of the program.
func (p Plain) Name(name string) string {
	if name == "" || name[0] == '[' || strings.Contains(name, " ") {
		return name
	}
	if p.Paths || strings.ContainsAny(name, "/[") || strings.Contains(name, "(*") { // github.com/x/y.(*T).run
		path, _, _ := strings.Cut(name, "[") // of type parameters
		return name[strings.LastIndexByte(path, '/')+1:]
	}
	parts := strings.Split(name, ".")
	for i, part := range parts[:len(parts)-1] {
		if first := []rune(part + " ")[0]; unicode.IsUpper(first) || strings.Contains(part, "$") {
			return strings.Join(parts[i:], ".")
		}
	}
	return strings.Join(parts[max(len(parts)-2, 0):], ".")
}

// synchronizers are the parts of java.util.concurrent that wait for their
// outer class.
var synchronizers = []struct{ suffix, note string }{{"$NonfairSync", ""}, {"$FairSync", " (fair)"}, {"$Sync", ""}}

// Class writes the class of a lock without its package: ReentrantLock.
func (p Plain) Class(name string) string {
	if rest, ok := strings.CutPrefix(name, "java.util.concurrent."); ok {
		for _, s := range synchronizers {
			if outer, ok := strings.CutSuffix(rest, s.suffix); ok {
				return outer[strings.LastIndexByte(outer, '.')+1:] + s.note
			}
		}
	}
	if of, ok := strings.CutPrefix(name, format.Initialisation); ok {
		return format.Initialisation + p.Class(of)
	}
	if class, of, ok := strings.Cut(name, "<"); ok && strings.HasSuffix(of, ">") { // Class<ConfigResolver>
		return p.Class(class) + "<" + p.Class(strings.TrimSuffix(of, ">")) + ">"
	}
	if p.Paths || strings.ContainsAny(name, " [") || strings.HasPrefix(name, "sync.") {
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Lock writes a lock as its class and where it is made or taken, in parts between
// which a line may be broken; what the trace knows of it besides stands between.
// One that has no place has its address instead.
func (p Plain) Lock(name, class, site string) []string {
	parts := []string{p.Class(cmp.Or(class, name))}
	if address := p.Address(name); !document.Placed(site) && strings.HasPrefix(address, parts[0]) {
		return []string{address}
	}
	if _, named, ok := strings.Cut(name, " ("); ok {
		if strings.HasPrefix(named, "#") { // the number of an object in a heap dump
			parts[0] += strings.TrimSuffix(named, ")")
		} else {
			parts = append(parts, "("+named)
		}
	}
	switch {
	case document.Placed(site):
		return append(parts, "at "+p.Name(site))
	case name != "" && name != class:
		return append(parts, p.Address(name))
	}
	return parts
}

// Resource writes a place where threads wait for something else than a lock, as Lock writes a
// lock. Conditions and parks, which nearly all such waits are, have the name of their caller.
func (p Plain) Resource(what, site string) []string {
	switch {
	case site == "" || site == what:
		return []string{p.Name(what)}
	case strings.HasPrefix(what, "java.util.concurrent.locks."):
		return []string{p.Name(site)}
	}
	return []string{p.Name(what), "at " + p.Name(site)}
}

// Address names one lock: its class and its address.
func (p Plain) Address(name string) string {
	class, rest, ok := strings.Cut(name, "@")
	if !ok {
		return p.Name(name)
	}
	return p.Class(class) + "@" + rest
}
