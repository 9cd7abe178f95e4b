package golden

// Fatal is what Must and OK end a test with: a *testing.T, or one of rapid's.
type Fatal interface {
	Helper()
	Fatal(...any)
}

// OK ends a test at an error.
func OK(t Fatal, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns the value of a call, or ends a test at its error:
// golden.Must(os.ReadFile(path))(t).
func Must[T any](v T, err error) func(Fatal) T {
	return func(t Fatal) T {
		t.Helper()
		OK(t, err)
		return v
	}
}
