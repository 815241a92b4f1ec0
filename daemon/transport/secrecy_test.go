package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// hostile-inputs 3: no secret in a log, an error or a state, also when the server repeats what it was sent.
func TestCredentialIsNeverShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		echo := `{"error":"` + credential + `","detail":"` + credential + `"}`
		c := &core{
			refuse: func(attempt int) (int, string) {
				return map[int]int{1: 500, 2: 302, 3: 200, 7: 401}[attempt], echo
			},
			use: func(attempt int, conn *socket.Conn) {
				if attempt == 5 {
					_ = conn.Queue(t.Context(), []byte(credential))
					_ = conn.Queue(t.Context(), []byte(`{"type":"`+credential+`","id":"x"}`))
					<-time.After(time.Second)
				}
				conn.Close(4000, credential)
			},
		}
		r := inBubble(t, c, func(int) *router { return plain(1) })
		c.wsURL += "?token=" + credential
		_, result := run(t, r)
		shown := fmt.Sprint(result())
		for _, s := range r.states() {
			shown += fmt.Sprintf("\n%+v %v", s, s.Err)
		}
		shown += r.log.String()
		if strings.Contains(shown, credential) {
			t.Errorf("got the credential in\n%s", shown)
		}
		for _, want := range []string{"status 500", "status 302", "status 200", "code 4000", "status 401"} {
			if !strings.Contains(shown, want) {
				t.Errorf("got no %q in\n%s", want, shown)
			}
		}
	})
}

// hostile-inputs 3: errors of the network name no URL with a query.
func TestNetworkErrorsNameNoQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := newMemory()
		_ = listener.Close()
		client := &http.Client{Transport: &http.Transport{DialContext: listener.dial}}
		r := newRuntime(t, "http://core.test/api/v1?key="+credential, client, nil, plain)
		_, result := run(t, r)
		if err := result(); err == nil || strings.Contains(err.Error(), credential) || !strings.Contains(err.Error(), "core.test") {
			t.Errorf("got %v, want an error that names the host alone", err)
		}
	})
}

// wire 1.5: a message over 4 MiB ends the connection with 1009 and nothing of it reaches the router.
func TestTooLargeMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c := &core{use: func(attempt int, conn *socket.Conn) {
			if attempt == 1 {
				_ = conn.Queue(t.Context(), []byte(`{"type":"prompt_cancel","id":"`+strings.Repeat("x", proto.MaxFrame)+`"}`))
				ended <- drain(conn)
				return
			}
			_ = drain(conn)
		}}
		handled := 0
		r := inBubble(t, c, func(int) *router { return &router{handle: func(*router, proto.Frame) { handled++ }} })
		stop, result := run(t, r)
		if got := socket.Code(<-ended); got != proto.CloseTooBig || handled != 0 {
			t.Errorf("got code %d and %d frames, want 1009 and none", got, handled)
		}
		pass(time.Minute)
		if got := len(c.attempts()); got != 2 {
			t.Errorf("got %d connections, want a redial", got)
		}
		stop()
		_ = result()
	})
}
