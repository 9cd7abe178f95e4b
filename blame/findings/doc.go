// Package findings reports problems that the measurements establish, each with the evidence
// and a remedy: a lock held in sleep or in I/O, a lock whose owner waits for another, two
// locks taken in both orders, a deadlock, a queue that hand-over keeps. Each is one detector
// of a table. The definition or the test that a rule rests on is in the comment of its
// function.
//
//	doc.go         this page
//	findings.go    the table of kinds, and the selection of findings
//	together.go    locks of one class and site as one subject
//	holding.go     activities of owners while they hold the lock
//	wording.go     titles, remedies and confidence
//	evidence.go    what is collected from a trace besides the overview
//	convoy.go      queues that hand-over keeps
//	starved.go     threads and sites that are overtaken
//	stripes.go     a hot lock among similar ones
//	readers.go     readers that wait for readers
//	paused.go      owners stopped by a collection
//	storm.go       threads woken in vain
//	pools.go       exhausted pools
//	polls.go       places where threads spin or poll
//	polling.go     what is collected from a trace about these
//	grid.go        the instants at which threads were at a place
package findings
