// Package format is the vocabulary of all packages: ids, events, sources of events, positioned
// errors, and the contend trace format. It decodes no other format and analyses nothing.
//
// Its packages import nothing of the other folders:
//
//	simulate    writes traces of a simulated program, with the true blame
//	natives     what functions of native programs do: take locks, wait, sleep
//	workers     goroutines whose panics reach the one that waits for them
//	human       counts and durations as people read them
//	column      lists that grow in pieces
//
// Files:
//
//	doc.go        this page
//	event.go      Event
//	kinds.go      modes, kinds of locks, activities
//	ids.go        ids
//	codes.go      codes of warnings
//	note.go       warnings and notes
//	error.go      errors with a position
//	damage.go     places that could not be read
//	source.go     Source: the events of a trace
//	frames.go     stacks by their frames
//	interner.go   values to numbers
//	arithmetic.go products that may overflow
//	layout.go     the fields of each kind of event
//	fields.go     their values
//	encode.go     events to bytes
//	decode.go     bytes to events
//	alike.go      warnings of one kind as one
//	block.go      blocks
//	writer.go     Writer
//	text.go       events as text
//	parse.go      text to events
//	textread.go   TextReader
package format
