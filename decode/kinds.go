package decode

import (
	"bufio"
	"strings"

	"contend/decode/godump"
	"contend/decode/gotrace"
	"contend/decode/jfr"
	"contend/decode/jfrprint"
	"contend/decode/native"
	"contend/decode/perf"
	"contend/decode/profile"
	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/decode/unwrap"
	"contend/format"
)

// kind is a kind of input.
type kind struct {
	is     func(start []byte) bool // reports whether the first bytes, up to 64 KiB, are of it; text is unwrapped first
	open   func(content) (Source, error)
	pumped bool // decoded ahead of the consumer by a pump; other decoders read ahead themselves, or inputs are short
}

// content is the input of a decoder.
type content struct {
	in    *bufio.Reader
	name  string
	rules *rules.Table
	from  unwrap.Skipped        // the input before the first dump
	skip  map[jfr.ChunkKey]bool // chunks that another input has
	room  *jfr.Room             // for chunks that are read ahead; nil: none are
}

// flightMagic begins a flight recording.
const flightMagic = "FLR\x00"

// kinds are all kinds of input, the unmistakable first. A new one is a line
// here.
var kinds = []kind{
	{hasPrefix(flightMagic), func(c content) (Source, error) {
		return jfr.NewReader(c.in, c.name, jfr.Options{Rules: c.rules, Skip: c.skip, Room: c.room})
	}, true},
	{hasPrefix(format.Magic[:4]), func(c content) (Source, error) { return native.NewReader(c.in, c.name) }, false},
	{hasPrefix("contend "), func(c content) (Source, error) { return format.NewTextReader(c.in, c.name) }, false},
	{perf.IsData, func(c content) (Source, error) { return nil, perf.NotText(c.name) }, false},
	{perf.Is, func(c content) (Source, error) {
		return perf.NewReader(c.in, c.name, c.rules), nil
	}, true},
	{jfrprint.Is, func(c content) (Source, error) { return jfrprint.NewReader(c.in, c.name, c.rules), nil }, true},
	{profile.IsCounts, func(c content) (Source, error) { return profile.NewCounts(c.in, c.name), nil }, false},
	{gotrace.Header, func(c content) (Source, error) {
		return gotrace.NewReader(c.in, c.name, c.rules)
	}, true},
	{profile.Is, func(c content) (Source, error) {
		return profile.NewPprof(c.in, c.name, c.rules)
	}, false},
	{profile.IsDebug, func(c content) (Source, error) {
		return profile.NewDebug(c.in, c.name, c.rules)
	}, false},
	{profile.IsFolded, func(c content) (Source, error) {
		return profile.NewFolded(c.in, c.name, c.rules)
	}, false},
}

// textKinds are the kinds of text that may stand anywhere in a log. The last one gives the
// error if none matches.
var textKinds = []kind{
	{hasLine(godump.Begins), func(c content) (Source, error) {
		return godump.NewReader(c.in, c.name, c.rules, c.from.Bytes)
	}, false},
	{hasLine(godump.IsProfile), func(c content) (Source, error) {
		return profile.NewDebug(c.in, c.name, c.rules)
	}, false},
	{hasLine(profile.IsPerfLock), func(c content) (Source, error) {
		return profile.NewPerfLock(c.in, c.name, c.rules)
	}, false},
	{func([]byte) bool { return true }, func(c content) (Source, error) {
		return threaddump.NewReader(c.in, c.name, c.rules, c.from.Lines, c.from.Bytes)
	}, false},
}

// begins returns which kind of text begins with a line.
func begins(line string) unwrap.Mark {
	if godump.Begins(line) || godump.IsProfile(line) || profile.IsPerfLock(line) {
		return unwrap.Header
	}
	return threaddump.Begins(line)
}

// IsProfile reports whether an input begins like a profile of pprof, of waiting or not.
func IsProfile(start []byte) bool { return profile.Is(start) }

// hasLine looks for a line that something begins with.
func hasLine(begins func(line string) bool) func(start []byte) bool {
	return func(start []byte) bool {
		for line := range strings.Lines(string(start)) {
			if begins(strings.TrimRight(line, "\r\n")) {
				return true
			}
		}
		return false
	}
}
