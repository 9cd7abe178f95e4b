package screen

import (
	"fmt"
	"strings"
	"unicode"
)

// simple writes a name of the program, Class.method:line, without its package.
// A name is short enough then, and what a reader looks for.
func (w *words) simple(name string) string {
	if name == "" || name[0] == '[' || strings.Contains(name, " ") {
		return name
	}
	if w.paths || strings.Contains(name, "/") { // github.com/x/y.(*T).run
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	parts := strings.Split(name, ".")
	for i, p := range parts[:len(parts)-1] {
		if first := []rune(p + " ")[0]; unicode.IsUpper(first) || strings.Contains(p, "$") {
			return strings.Join(parts[i:], ".")
		}
	}
	return strings.Join(parts[max(len(parts)-2, 0):], ".")
}

// synchronizers are the parts of java.util.concurrent that wait for their
// outer class.
var synchronizers = []struct{ suffix, note string }{{"$NonfairSync", ""}, {"$FairSync", " (fair)"}, {"$Sync", ""}}

// class writes the class of a lock without its package: ReentrantLock.
func (w *words) class(name string) string {
	if rest, ok := strings.CutPrefix(name, "java.util.concurrent."); ok {
		for _, s := range synchronizers {
			if outer, ok := strings.CutSuffix(rest, s.suffix); ok {
				return outer[strings.LastIndexByte(outer, '.')+1:] + s.note
			}
		}
	}
	if w.paths || strings.ContainsAny(name, " [") || strings.HasPrefix(name, "sync.") {
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// frameText writes a frame as Class.method:line.
func frameText(class, method string, n int) string {
	name := method
	if class != "" {
		name = class + "." + method
	}
	if n > 0 {
		name += fmt.Sprintf(":%d", n)
	}
	return name
}
