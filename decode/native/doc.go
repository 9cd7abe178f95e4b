// Package native reads contend traces. Blocks are unpacked on all cores, a few ahead of the
// consumer, and delivered in order. Damage costs its block: the reader reports it and
// continues with the next. The reader keeps no symbols: the caller resolves ids.
package native
