package server

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

// newToken returns 128 random bits, without which a request is refused.
func newToken() string {
	var bits [16]byte
	rand.Read(bits[:]) // never fails
	return hex.EncodeToString(bits[:])
}

// guard lets requests through that have the address which was printed, and only those that
// read. A request that another site makes a browser send does not know the token; a DNS name
// made to lead here is refused by its Host header.
type guard struct {
	token string
	hosts func(host string) bool
	seats chan struct{} // bounds the requests that are answered at a time
	next  http.Handler
}

// maxRequests is how many requests are answered at a time.
const maxRequests = 16

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !g.hosts(r.Host):
		http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
	case subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) != 1:
		http.Error(w, "the address is the one that contend printed, whole", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "nothing can be changed here", http.StatusMethodNotAllowed)
	case r.ContentLength > 0 || len(r.URL.RawQuery) > maxQuery:
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
	default:
		g.answer(w, r, rest)
	}
}

// maxQuery bounds what is asked for, in bytes.
const maxQuery = 8 << 10

func (g *guard) answer(w http.ResponseWriter, r *http.Request, path string) {
	select {
	case g.seats <- struct{}{}:
		defer func() { <-g.seats }()
	case <-r.Context().Done():
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+path, ""
	g.next.ServeHTTP(w, inner)
}

// secure says what browsers may do with an answer: nothing but show it.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// named returns the test of Host headers for a server that listens there. On
// one address it is that address, or localhost; on all, any address, for their
// numbers cannot be made to lead elsewhere.
func named(at *net.TCPAddr, asked string) func(host string) bool {
	return func(host string) bool {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = strings.Trim(host, "[]"), "80"
		}
		if port != portOf(at) {
			return false
		}
		ip := net.ParseIP(name)
		switch {
		case strings.EqualFold(name, asked):
			return asked != ""
		case name == "localhost":
			return at.IP.IsLoopback() || at.IP.IsUnspecified()
		case at.IP.IsUnspecified():
			return ip != nil
		}
		return ip != nil && ip.Equal(at.IP)
	}
}
