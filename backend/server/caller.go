package server

import (
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// Caller is what may be known about who sent a request: the socket, and the headers that a page of another site cannot
// choose. Forwarding headers are no part of it: they neither help nor hurt (runner 7.3).
type Caller struct {
	Peer       string   // address of the socket, "ip:port"
	Host       string   // as sent
	Origins    []string // every Origin header
	FetchSites []string // every Sec-Fetch-Site header
	Scheme     string   // of the connection: http or https
}

// The rules a caller can break, one a check of runner 7.3.
var (
	errPeer      = errors.New("the connection does not come from this machine")
	errHost      = errors.New("the host is neither localhost nor a literal loopback address")
	errOrigin    = errors.New("the origin is not the request's own scheme and authority")
	errFetchSite = errors.New("the browser says that another site started the request")
)

// CallerOf takes the facts from a request.
func CallerOf(r *http.Request) Caller {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return Caller{
		Peer: r.RemoteAddr, Host: r.Host, Scheme: scheme,
		Origins: r.Header["Origin"], FetchSites: r.Header["Sec-Fetch-Site"],
	}
}

// Local gives nil for a request that this machine's own programs or the lab's own pages sent, else the first rule that
// it breaks. Paid runs (runner 7.3) and the lab's own routes (hostile-inputs 2) ask the same question.
func (c Caller) Local() error {
	switch {
	case !isLoopbackPeer(c.Peer):
		return errPeer
	case !isLoopbackHost(c.Host):
		return errHost
	case !c.hasOwnOrigin():
		return errOrigin
	case !c.isOwnFetch():
		return errFetchSite
	}
	return nil
}

// isLoopbackPeer takes an IPv4 address that is mapped into IPv6 for what it is.
func isLoopbackPeer(peer string) bool {
	addr, err := netip.ParseAddrPort(peer)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// isLoopbackHost resolves no name: what resolves to loopback today may be another machine's name tomorrow.
func isLoopbackHost(host string) bool {
	name, port, hasPort := splitHost(host)
	if hasPort && !isPort(port) {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	literal, bracketed := strings.CutPrefix(name, "[")
	if bracketed {
		var closed bool
		if literal, closed = strings.CutSuffix(literal, "]"); !closed {
			return false
		}
	}
	addr, err := netip.ParseAddr(literal)
	return err == nil && addr.Zone() == "" && addr.Is6() == bracketed && addr.Unmap().IsLoopback()
}

// splitHost cuts the port off; the colons inside brackets belong to the address.
func splitHost(host string) (name, port string, hasPort bool) {
	colon := strings.LastIndexByte(host, ':')
	if colon < strings.LastIndexByte(host, ']') || colon < 0 {
		return host, "", false
	}
	return host[:colon], host[colon+1:], true
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && len(s) <= len("65535")
}

func (c Caller) hasOwnOrigin() bool {
	switch len(c.Origins) {
	case 0:
		return true
	case 1:
		return strings.EqualFold(c.Origins[0], c.Scheme+"://"+c.Host)
	}
	return false
}

func (c Caller) isOwnFetch() bool {
	switch len(c.FetchSites) {
	case 0:
		return true
	case 1:
		return c.FetchSites[0] == "same-origin" || c.FetchSites[0] == "none"
	}
	return false
}
