package analysis

import (
	"fmt"
	"hash/fnv"
	"unicode/utf8"

	"contend/format"
)

// maxName is how many bytes of a name are kept. A compiler makes none that is as long; one
// of 200 kB in a crafted trace would be measured and cut again wherever it is printed.
const maxName = 4096

// keptName returns a name, without its middle where it is too long: the hash in place of that
// tells it from others.
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

// keepNames does so with the names of a metadata event, whose frames it copies.
func keepNames(ev *format.Event) (frames []format.Frame) {
	for _, name := range []*string{&ev.Name, &ev.Group, &ev.Class} {
		*name = keptName(*name)
	}
	frames = append(frames, ev.Frames...)
	for i := range frames {
		f := &frames[i]
		f.Class, f.Method, f.File = keptName(f.Class), keptName(f.Method), keptName(f.File)
	}
	return frames
}
