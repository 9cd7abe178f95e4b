package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// paths are all there is to get.
func paths(s Source) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Content-Security-Policy") // the page has one of its own, which names its scripts
		reply(w, r, "text/html; charset=utf-8", s.Page)
	})
	mux.HandleFunc("/data.json", func(w http.ResponseWriter, r *http.Request) { reply(w, r, "application/json", s.Data) })
	mux.HandleFunc("/select.json", func(w http.ResponseWriter, r *http.Request) {
		reply(w, r, "application/json", func(to io.Writer) error { return s.Select(r.Context(), to, r.URL.Query()) })
	})
	ui := sync.OnceValues(func() (http.Handler, error) { return pprofUI(s) })
	mux.HandleFunc("/pprof/", func(w http.ResponseWriter, r *http.Request) {
		pages, err := ui()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		pages.ServeHTTP(w, r)
	})
	return mux
}

// reply sends what write writes, packed where the other side unpacks. Nothing is
// sent before all of it is there: an error is an answer of its own.
func reply(w http.ResponseWriter, r *http.Request, kind string, write func(io.Writer) error) {
	var b bytes.Buffer
	packed := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	err := writeTo(&b, packed, write)
	var bad BadQuery
	switch {
	case errors.As(err, &bad):
		http.Error(w, bad.Error(), http.StatusBadRequest)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	if packed {
		w.Header().Set("Content-Encoding", "gzip")
	}
	if r.Method != http.MethodHead {
		b.WriteTo(w)
	}
}

func writeTo(w io.Writer, packed bool, write func(io.Writer) error) error {
	if !packed {
		return write(w)
	}
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // it goes to this machine, mostly
	if err != nil {
		return err
	}
	if err := write(zip); err != nil {
		return err
	}
	return zip.Close()
}
