// Package stacks sums slices by call stack: of the owners, of the waiters, or the whole
// chain between them. Profiles and flame graphs are
// views of its samples.
package stacks
