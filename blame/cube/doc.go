// Package cube is a table of waiting by keys and by bins of time. Every view of a page is
// made of it (New), and so are the rows that an export writes, the pressure of csp and the
// highest intervals of a gate (Over).
//
//	doc.go        this page
//	cube.go       the table, as a visitor that fills it
//	resources.go  waits for resources, as further rows
//	shrink.go     merging the smallest rows
//	bins.go       cutting time into bins, and making these longer
//	dims.go       what the columns hold
package cube
