package golden

import (
	"os"
	"testing"
)

// IsThorough reports whether tests are to try all they know to try, however long that
// takes, as .ci/run asks for.
func IsThorough() bool { return os.Getenv("CONTEND_THOROUGH") != "" && !testing.Short() }

// Thorough skips a test that takes seconds of its own, to see something rarer than the
// others do: .ci/run runs all of them.
func Thorough(t testing.TB) {
	t.Helper()
	if !IsThorough() {
		t.Skip("CONTEND_THOROUGH is not set, as .ci/run sets it")
	}
}

// Unhurried skips a test under -short, as the race detector's pass is run: others run the
// same code there, on fewer inputs, with nothing more for the detector to see, or it looks
// at sources and runs none of the program.
func Unhurried(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: takes long where every access is watched, and shows nothing that others do not")
	}
}

// Beside is an unhurried test that runs beside others.
func Beside(t *testing.T) {
	t.Helper()
	Unhurried(t)
	t.Parallel()
}

// Depth is how much of one thing a test tries: under -short, usually, and in .ci/run.
func Depth[T any](short, usual, thorough T) T {
	switch {
	case testing.Short():
		return short
	case IsThorough():
		return thorough
	}
	return usual
}
