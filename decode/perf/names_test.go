package perf

import "testing"

func TestMethodsOfRustTypesAreNamedAlike(t *testing.T) {
	for name, want := range map[string]string{
		"<std::sys::sync::mutex::futex::Mutex>::lock_contended": "std::sys::sync::mutex::futex::Mutex::lock_contended",
		"<shop::Table<alloc::string::String>>::get":             "shop::Table<alloc::string::String>::get",
		"<shop::Order as core::ops::drop::Drop>::drop":          "<shop::Order as core::ops::drop::Drop>::drop",
		"<&T>::get": "<&T>::get",
		"<":         "<",
		"<a":        "<a",
	} {
		if got := plainName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
