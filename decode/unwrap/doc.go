// Package unwrap removes the prefixes, quoting and encoding that other programs add to the
// lines of a dump: loggers, containers, HTML, mail. Each wrapping is a layer, and layers
// nest: a container's JSON around a logger's times around a dump. A layer is removed only
// if a dump is beneath it.
//
// Files:
//
//	doc.go       this page
//	unwrap.go    Reader: finding layers and removing them
//	layers.go    pages, quotes and other layers
//	prefix.go    what loggers put before lines
//	json.go      logs in JSON
//	terminal.go  colours and blanks
//	encoding.go  encodings of text
//	lines.go     lines of any ends
//	plain.go     text without layers
//	skip.go      text between dumps
//	processes.go several processes in one text
package unwrap
