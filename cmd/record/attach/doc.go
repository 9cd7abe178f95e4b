// Package attach talks to a running HotSpot JVM the way its own tools do:
// through the socket of its attach listener, started by a signal where it is
// not there yet. It needs no JDK. It refuses what would harm the target: it
// signals no process that does not handle the signal, and at most once. It
// knows Linux and macOS.
package attach
