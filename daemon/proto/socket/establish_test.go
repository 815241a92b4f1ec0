package socket_test

import (
	"context"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// acceptKey answers a handshake's key (RFC 6455 4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// wire 6.2: a refused upgrade tells status and body.
func TestDialRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for name, tc := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"short body": {426, `{"error":"incompatible_version"}`, `{"error":"incompatible_version"}`},
		"long body":  {401, long, long[:1024]},
		"no body":    {403, "", ""},
		"redirect":   {302, "", ""},
		"success":    {200, "hello", "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			}))
			t.Cleanup(server.Close)
			_, err := (&socket.Establisher{}).Dial(t.Context(), "ws"+server.URL[len("http"):], nil)
			refusal, ok := errors.AsType[*socket.Refusal](err)
			if !ok || refusal.Status != tc.status || string(refusal.Body) != tc.want || asked != 1 {
				t.Errorf("got %v after %d requests, want status %d and its body after one", err, asked, tc.status)
			}
		})
	}
}

// behaviour 2: what is no handshake gets the caller's words, or a status alone; never the library's.
func TestUpgradeRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		refuse func(http.ResponseWriter, int)
		want   string
	}{
		"status alone": {nil, ""},
		"own words":    {func(w http.ResponseWriter, status int) { http.Error(w, "own", status) }, "own\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := (&socket.Establisher{Refuse: tc.refuse}).Upgrade(w, r)
				failed <- err
			}))
			t.Cleanup(server.Close)
			response, err := server.Client().Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || <-failed == nil || response.StatusCode != http.StatusBadRequest || string(body) != tc.want {
				t.Errorf("got %d %q (%v), want 400 %q", response.StatusCode, body, err, tc.want)
			}
		})
	}
}

// behaviour 3.1: a handshake takes at most 10 s, and ends with its context at once.
func TestDialEndsInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ limit, want time.Duration }{
		"by itself": {time.Hour, proto.HandshakeTimeout}, "by its context": {3 * time.Second, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, far) }() // takes the request and says nothing
			e := &socket.Establisher{Dialer: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(tc.limit, cancel)
			began := time.Now()
			conn, err := e.Dial(ctx, "ws://core.test/", nil)
			if err == nil {
				conn.Close(proto.CloseNormal, "")
				t.Fatal("got a connection, want an end")
			}
			if got := time.Since(began); got != tc.want {
				t.Errorf("%s: ended after %v, want %v", name, got, tc.want)
			}
			_ = far.Close()
		})
	}
}

// A wss:// address is checked against the authorities and used.
func TestDialTLS(t *testing.T) {
	t.Parallel()
	conns := make(chan *socket.Conn, 1)
	server := httptest.NewUnstartedServer(upgrading(&socket.Establisher{}, conns))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	address := "wss" + server.URL[len("https"):]
	unknown, ok := errors.AsType[x509.UnknownAuthorityError](func() error {
		_, err := (&socket.Establisher{}).Dial(t.Context(), address, nil)
		return err
	}())
	if !ok {
		t.Errorf("got %v, want an unknown authority refused", unknown)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	near, err := (&socket.Establisher{Roots: roots}).Dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := <-conns
	closeBoth(t, near, far)
	if err := near.Send(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if message, err := far.Read(); err != nil || string(message.Data) != "{}" {
		t.Errorf("got %q, %v, want the message", message.Data, err)
	}
}

// proxied marks the process in which a proxy is set; the environment is read once a process.
const proxied = "SOCKET_TEST_PROXIED"

// A proxy of the environment serves other machines and never this one.
func TestProxyIsNotForLoopback(t *testing.T) {
	if os.Getenv(proxied) != "" {
		dialThroughProxy(t, os.Getenv(proxied))
		return
	}
	t.Parallel()
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyIsNotForLoopback$")
	child.Env = append(os.Environ(), proxied+"="+server.Listener.Addr().String(),
		"HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	close(asked)
	var got []string
	for request := range asked {
		got = append(got, request)
	}
	if len(got) != 1 || got[0] != "CONNECT core.example:80" {
		t.Errorf("got %v at the proxy, want the other machine alone", got)
	}
}

func dialThroughProxy(t *testing.T, server string) {
	_, port, _ := net.SplitHostPort(server)
	e := &socket.Establisher{}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		_, err := e.Dial(t.Context(), "ws://"+net.JoinHostPort(host, port), nil)
		if refusal, ok := errors.AsType[*socket.Refusal](err); !ok || refusal.Status != http.StatusNotFound {
			t.Errorf("%s: got %v, want the server's own answer", host, err)
		}
	}
	if _, err := e.Dial(t.Context(), "ws://core.example/", nil); err == nil {
		t.Error("got a connection through a proxy that refuses")
	}
}
