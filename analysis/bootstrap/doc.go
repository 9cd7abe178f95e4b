// Package bootstrap estimates the error of a ratio of sums over a trace. It cuts the trace
// into short cells of time, sums by cell, and resamples blocks of cells. It knows no lock
// and no thread: the caller knows what a series means.
package bootstrap
