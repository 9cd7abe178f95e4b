// Package godump reads goroutine dumps: the output of a Go program on SIGQUIT or a panic
// under GOTRACEBACK=all, of /debug/pprof/goroutine?debug=2 and of runtime.Stack; one or
// several, with other text between them. A dump shows which lock each goroutine waits for.
// It never shows owners, and the package guesses none.
package godump
