// Package sampled turns samples of contention into slices as they are read.
//
//	doc.go           this page
//	sampled.go       from events to sampling instants, each charged when the next is known
//	idle.go          the idle threads of instants, as running time or non-lock waits
//	sampler.go       when an instant is booked, and the time that it stands for
//	scaled.go        postponing instants until their measured waiting is known
//	booker.go        one instant: its graph, its slices
//	sleepinstants.go which sampled sleeps are inside critical sections
//	measured.go      measured waiting, and the factors it gives
//	instant.go       the contended locks and idle threads of an instant
//	stalls.go        how late samples were taken, and how far apart
package sampled
