package record

import (
	"testing"
	"time"
)

func TestComplete(t *testing.T) {
	for address, want := range map[string]string{
		"http://h:6060":                  "http://h:6060/debug/pprof/trace?seconds=5.5",
		"h:6060":                         "http://h:6060/debug/pprof/trace?seconds=5.5",
		"https://h/":                     "https://h/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof":         "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof/":        "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/debug/pprof/trace":   "http://h:1/debug/pprof/trace?seconds=5.5",
		"http://h:1/behind/proxy":        "http://h:1/behind/proxy/debug/pprof/trace?seconds=5.5",
		"http://h:1/own/trace?seconds=2": "http://h:1/own/trace?seconds=2",
		"http://u:secret@h:1":            "http://u:secret@h:1/debug/pprof/trace?seconds=5.5",
		"http://[::1]:6060/debug/pprof/trace?token=a&other=": "http://[::1]:6060/debug/pprof/trace?other=&seconds=5.5&token=a",
	} {
		u, d, err := GoAddress(address, 5500*time.Millisecond)
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", address, u, err)
		} else if q := u.Query().Get("seconds"); q == "2" && d != 2*time.Second || q != "2" && d != 5500*time.Millisecond {
			t.Errorf("%s: %v", address, d)
		}
	}
	for _, address := range []string{"ftp://h/x", "http://", "http://h:1/?seconds=-1", "http://h:1/?seconds=soon", "http://h:1/?seconds=inf", "http://%zz", ":6060:"} {
		if u, _, err := GoAddress(address, time.Second); err == nil {
			t.Errorf("%s: %v", address, u)
		}
	}
}
