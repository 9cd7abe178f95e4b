// Package simulate runs a discrete-event simulation of threads, locks and critical sections
// and writes the traces of two recorders of the same run: one that records every wait and
// hold, and one that samples. It also computes the blame itself, by following every pointer
// at every change, so that an analysis can be checked against it. It has no scheduler: every
// thread that can run does.
package simulate
