package analysis

import (
	"fmt"
	"hash/fnv"
	"unicode/utf8"

	"contend/format"
)

// maxName is the length in bytes beyond which a name is shortened. No compiler makes names
// as long; a name of 200 kB in a crafted trace would cost time wherever it is printed.
const maxName = 4096

// keptName returns a name, with a hash in place of its middle if it is too long.
func keptName(name string) string {
	if len(name) <= maxName {
		return name
	}
	front, end := maxName/2, len(name)-maxName/2
	for front > 0 && !utf8.RuneStart(name[front]) {
		front--
	}
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end++
	}
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return fmt.Sprintf("%s…%016x…%s", name[:front], sum.Sum64(), name[end:])
}

// keepNames shortens the names of a metadata event and returns a copy of its frames with
// shortened names.
func keepNames(ev *format.Event) (frames []format.Frame) {
	for _, name := range []*string{&ev.Name, &ev.Group, &ev.Class} {
		*name = keptName(*name)
	}
	frames = append(frames, ev.Frames...)
	for i := range frames {
		f := &frames[i]
		f.Class = keptName(f.Class)
		f.Method = keptName(f.Method)
		f.File = keptName(f.File)
	}
	return frames
}
