package golden

import (
	"os"
	"testing"
)

// IsThorough reports whether tests run at full depth, however long that takes, as in
// .ci/run.
func IsThorough() bool { return os.Getenv("CONTEND_THOROUGH") != "" && !testing.Short() }

// Thorough skips a test that takes seconds for a rare fault, except in .ci/run.
func Thorough(t testing.TB) {
	t.Helper()
	if !IsThorough() {
		t.Skip("CONTEND_THOROUGH is not set, as .ci/run sets it")
	}
}

// SkipIfShort skips a test under -short, as in the race detector's pass: other tests run the
// same code there, or the test only looks at sources.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: takes long where every access is watched, and shows nothing that others do not")
	}
}

// ParallelUnlessShort skips a test under -short, and else runs it in parallel with others.
func ParallelUnlessShort(t *testing.T) {
	t.Helper()
	SkipIfShort(t)
	t.Parallel()
}

// Depth chooses a test parameter: under -short, usually, and in .ci/run.
func Depth[T any](short, usual, thorough T) T {
	switch {
	case testing.Short():
		return short
	case IsThorough():
		return thorough
	}
	return usual
}
