package decode

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"

	"contend/decode/jfr"
	"contend/format"
	"contend/format/human"
)

// Two dumps of one running recording overlap: the later one repeats the chunks of the earlier
// one that the JVM still has. Each chunk is read once, from the first input that has it. An
// input whose chunks are all in another one is not read, so that threads and locks keep one
// identity. Inputs with labels are left as they are.

// overlaps has the chunks of the inputs opened so far.
type overlaps struct {
	several bool                      // inputs are to be opened: one alone repeats nothing
	first   map[labelledChunk]*input  // which has a chunk
	chunks  map[*input][]jfr.ChunkKey // of each
	dropped map[*input]bool           // opened, and held by a later one
	files   []string                  // that are not read
	said    []format.Warning
}

type labelledChunk struct {
	label string
	key   jfr.ChunkKey
}

// addChunks notes the chunks of an input and returns those to skip because an earlier input
// has them; all is true if it has no others.
func (o *overlaps) addChunks(in *input) (skip map[jfr.ChunkKey]bool, all bool) {
	if !o.several {
		return nil, false
	}
	keys := chunksOf(in.name)
	var others []*input // that have some of them
	for _, key := range keys {
		if other := o.first[labelledChunk{in.label, key}]; other != nil {
			if skip == nil {
				skip = map[jfr.ChunkKey]bool{}
			}
			skip[key] = true
			if !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	if all = len(keys) > 0 && len(skip) == len(keys); all {
		names := make([]string, len(others))
		for i, of := range others {
			names[i] = of.name
		}
		o.leaveOut(in.name, strings.Join(names, " and "))
		return nil, true
	}
	if o.first == nil {
		o.first = map[labelledChunk]*input{}
		o.chunks = map[*input][]jfr.ChunkKey{}
		o.dropped = map[*input]bool{}
	}
	o.chunks[in] = keys
	for _, of := range others { // before skip changes
		o.dropped[of] = !slices.ContainsFunc(o.chunks[of], func(key jfr.ChunkKey) bool { return !skip[key] })
		if o.dropped[of] {
			o.leaveOut(of.name, in.name)
		}
	}
	for _, of := range others {
		o.repeats(in, of, keys, skip)
	}
	o.bookChunks(in, keys)
	return skip, false
}

// repeats tells how many chunks of an earlier input another one repeats. If the earlier one is
// not read, they are read from the other.
func (o *overlaps) repeats(in, of *input, keys []jfr.ChunkKey, skip map[jfr.ChunkKey]bool) {
	n := 0
	for _, key := range keys {
		if o.first[labelledChunk{in.label, key}] == of {
			if n++; o.dropped[of] {
				delete(skip, key)
			}
		}
	}
	if !o.dropped[of] {
		o.said = append(
			o.said,
			format.Warning{
				Code: format.CodeOverlap,
				Text: human.Say(
					"%s repeats %v of the %v chunks of %s: they are counted once",
					in.name,
					n,
					len(o.chunks[of]),
					of.name,
				),
			},
		)
	}
}

// bookChunks books the chunks that are read from an input.
func (o *overlaps) bookChunks(in *input, keys []jfr.ChunkKey) {
	for _, key := range keys {
		at := labelledChunk{in.label, key}
		if other := o.first[at]; other == nil || o.dropped[other] {
			o.first[at] = in
		}
	}
}

func (o *overlaps) leaveOut(name, of string) {
	o.files = append(o.files, name)
	text := name + " is part of " + of + ": what both hold is counted once"
	if name == of {
		text = name + " is given twice, and counted once"
	}
	o.said = append(o.said, format.Warning{Code: format.CodeOverlap, Text: text})
}

// chunksOf returns the chunks of a flight recording, none for another file or one that cannot
// be read, which opening reports.
func chunksOf(name string) []jfr.ChunkKey {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() { // a pipe could not be read again
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	stored := bufio.NewReader(f)
	plain, release, err := decompress(stored, name)
	if err != nil {
		return nil
	}
	defer release()
	if plain != stored {
		return jfr.Chunks(plain)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	return jfr.Chunks(&seeker{f, info.Size()})
}

// seeker passes over parts of a file without reading them.
type seeker struct {
	*os.File
	size int64
}

// Discard implements jfr.Skipper.
func (s *seeker) Discard(n int) (int, error) {
	at, err := s.Seek(int64(n), io.SeekCurrent)
	if err == nil && at > s.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// dropRepeated closes the inputs whose chunks are all in a later one.
func (t *Trace) dropRepeated() {
	t.inputs = slices.DeleteFunc(t.inputs, func(in *input) bool {
		if t.overlaps.dropped[in] {
			in.Close()
		}
		return t.overlaps.dropped[in]
	})
}
