// Package waits describes single waits: their lengths as distributions (lengths.go, result.go),
// the longest of them with the owners that each is charged to (longest.go, queueruns.go), and
// what threads did around one of them (lanes.go, window.go) or over the whole trace
// (lanesums.go). It sums no blame.
package waits
