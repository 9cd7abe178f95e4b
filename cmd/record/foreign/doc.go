// Package foreign makes, opens and removes files in directories that another user controls:
// the temporary directory and the working directory of a process that is recorded. Root
// acts there with the rights of that process, so that no link, mount or race makes it touch
// what the process could not; paths are resolved beneath the root of the process; and what
// was made or opened is judged by its descriptor. It refuses whatever is no regular file,
// and follows no link in the last part of a name. It makes nothing where yet another user may
// exchange names: what the process finds there need not be what was made.
package foreign
