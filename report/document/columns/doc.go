// Package columns writes the document that the page's scripts read, from a cube and from the
// documents of commands. Tables are columns, so that they pack well.
//
//	doc.go      this page
//	content.go  the content of a page, with the longest waits and the pauses of the program
//	data.go     the cube as columns
//	lanes.go    what threads did over time
//	locks.go    the names of locks, the sites of stacks, and the frames that acquired locks
package columns
