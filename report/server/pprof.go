package server

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

// pprofPages are the pages of pprof that only read a profile. Its others show
// files of this machine, or keep settings on it.
var pprofPages = []string{"/", "/flamegraph", "/top", "/peek", "/graph", "/download"}

// pprofPolicy lets pprof's pages run their inline scripts, which hold the data and so have no
// fixed hashes; nothing is fetched.
const pprofPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

// pprofUI returns pprof's own pages of a source's profile, below /pprof.
func pprofUI(s Source) (http.Handler, error) {
	var b bytes.Buffer
	if err := s.Profile(&b); err != nil {
		return nil, err
	}
	p, err := profile.Parse(&b)
	if err != nil {
		return nil, err
	}
	var pages map[string]http.Handler
	err = driver.PProf(&driver.Options{
		Flagset:    newWords("-http=localhost:0", "-no_browser", "-symbolize=none", "contention"),
		Fetch:      fetched{p},
		UI:         silent{},
		HTTPServer: func(a *driver.HTTPServerArgs) error { pages = a.Handlers; return nil },
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, path := range pprofPages {
		if h := pages[path]; h != nil {
			mux.Handle("/pprof"+strings.TrimSuffix(path, "/")+last(path), http.StripPrefix("/pprof", underPolicy(h)))
		}
	}
	mux.HandleFunc(
		"/pprof/",
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, elsewhere, http.StatusNotFound) },
	)
	return mux, nil
}

// elsewhere is what the links of pprof's menus to its other pages lead to.
const elsewhere = "contend serve has none of pprof's pages that show files of this machine or keep settings on it: " +
	"'contend pprof -o FILE' writes the profile for 'go tool pprof -http : FILE'"

// last ends the path of the first page, which would otherwise stand for all.
func last(path string) string {
	if path == "/" {
		return "/{$}"
	}
	return ""
}

func underPolicy(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pprofPolicy)
		h.ServeHTTP(w, r)
	})
}

// fetched is the one profile there is.
type fetched struct{ p *profile.Profile }

// Fetch implements driver.Fetcher.
func (f fetched) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	return f.p, "", nil
}

// silent is a terminal without a user.
type silent struct{}

// ReadLine implements driver.UI.
func (silent) ReadLine(string) (string, error) { return "", io.EOF }

// Print implements driver.UI.
func (silent) Print(...any) {}

// PrintErr implements driver.UI.
func (silent) PrintErr(...any) {}

// IsTerminal implements driver.UI.
func (silent) IsTerminal() bool { return false }

// WantBrowser implements driver.UI.
func (silent) WantBrowser() bool { return false }

// SetAutoComplete implements driver.UI.
func (silent) SetAutoComplete(func(string) string) {}

// words are the command line that pprof is given.
type words struct {
	*flag.FlagSet
	args []string
}

func newWords(args ...string) *words {
	f := flag.NewFlagSet("pprof", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return &words{f, args}
}

// StringList implements driver.FlagSet.
func (w *words) StringList(name, def, usage string) *[]*string {
	return &[]*string{w.String(name, def, usage)}
}

// ExtraUsage implements driver.FlagSet.
func (w *words) ExtraUsage() string { return "" }

// AddExtraUsage implements driver.FlagSet.
func (w *words) AddExtraUsage(string) {}

// Parse implements driver.FlagSet.
func (w *words) Parse(usage func()) []string {
	if err := w.FlagSet.Parse(w.args); err != nil {
		usage()
	}
	return w.Args()
}
