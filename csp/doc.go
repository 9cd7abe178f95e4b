// Package csp computes critical section pressure: per measurement interval
// and lock, the time threads spent acquiring the lock over the cumulated
// running time of all threads (David et al., Free Lunch, OOPSLA 2014).
package csp
