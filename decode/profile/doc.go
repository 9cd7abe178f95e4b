// Package profile reads sums of waiting by call stack or by lock: contention profiles of
// pprof, as Go's block and mutex profiles; folded stacks, as async-profiler writes of
// locks; and the counts of contention-profiling agents.
// They have no threads and no waits, and the profiles no instants. A mutex profile has the stacks that
// released the lock, which are its owners'; the others have the waiters' alone.
package profile
