// Package server shows a page over HTTP to those who have its address. It reads nothing
// itself: a Source writes the answers.
//
//	server.go the server from its first to its last moment, and its paths
//	guard.go  which requests are answered
//	pprof.go  pprof's own pages
package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Source is what a server answers with. Its methods may be called at once.
type Source interface {
	// Page writes the page; it asks for data.json beside it.
	Page(w io.Writer) error
	// Data writes what the page shows, as JSON.
	Data(w io.Writer) error
	// Select writes the analysis of a selection, as JSON. The error of a
	// selection that makes no sense is a BadQuery.
	Select(ctx context.Context, w io.Writer, q url.Values) error
	// Profile writes a pprof profile.
	Profile(w io.Writer) error
}

// BadQuery is a selection that makes no sense.
type BadQuery struct{ Err error }

func (b BadQuery) Error() string { return b.Err.Error() }

// Server is one that listens.
type Server struct {
	listener net.Listener
	http     http.Server
	token    string
}

// Timeouts: for a request to arrive, for an answer to be sent, and for an idle connection.
const (
	arriving = 10 * time.Second
	leaving  = 10 * time.Minute // the sweep of a large trace is in it
	unused   = 2 * time.Minute
	ending   = 2 * time.Second // how long requests get to end when the server does
)

// Listen opens a server at an address, a host with a port; port 0 is a free one.
func Listen(address string, s Source) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		l.Close()
		return nil, errors.New("no address of TCP: " + l.Addr().String())
	}
	out := &Server{listener: l, token: newToken()}
	out.http = http.Server{
		Handler: &guard{
			token: out.token,
			hosts: named(at, host),
			seats: make(chan struct{}, maxRequests),
			next:  paths(s),
		},
		ReadHeaderTimeout: arriving,
		ReadTimeout:       arriving,
		WriteTimeout:      leaving,
		IdleTimeout:       unused,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // of broken connections, which need no report
	}
	return out, nil
}

// URL is the address of the page, with the token that opens it.
func (s *Server) URL() string {
	at := s.listener.Addr().(*net.TCPAddr)
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, portOf(at)) + "/" + s.token + "/"
}

// Run answers until the context ends; that is no error.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	if s.http.Shutdown(soon) != nil {
		return s.http.Close()
	}
	return nil
}

func portOf(at *net.TCPAddr) string { return strconv.Itoa(at.Port) }

// paths are all there is to get.
func paths(s Source) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Content-Security-Policy") // the page has one of its own, which names its scripts
		reply(w, r, "text/html; charset=utf-8", s.Page)
	})
	mux.HandleFunc(
		"/data.json",
		func(w http.ResponseWriter, r *http.Request) { reply(w, r, "application/json", s.Data) },
	)
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
