package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/store"
)

// tell appends events to a Session, each with a payload of so many bytes.
func (r *rig) tell(session string, n, size int) {
	r.t.Helper()
	for range n {
		payload := `{"type":"test","text":"` + strings.Repeat("x", size) + `"}`
		if err := r.store.AppendJournal(r.t.Context(), session, store.Journal{Events: []store.Event{{Type: "test", Payload: []byte(payload), At: time.Now()}}}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// behaviour 8.6: the order for a new Turn, its ids, and payloads as they are kept; ?after= goes on from the journal.
func TestStreamFromTheJournal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	base := "/v1/agents/sessions/" + id + "/events"
	all := r.follow(base + "?after=0").take(4)
	const want = "1 created, 2 turn.created, 3 turn.item.added, 4 in_progress"
	if got := names(all); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	kept, err := r.store.Events(t.Context(), id, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if e.data != string(kept[i].Payload) {
			t.Errorf("event %s: got %s, want %s", e.id, e.data, kept[i].Payload)
		}
		if err := schemas()["Event"].Validate(answer{body: e.data}.members(t)); err != nil {
			t.Errorf("event %s: %v", e.id, err)
		}
	}
	if got := names(r.follow(base + "?after=2").take(2)); got != "3 turn.item.added, 4 in_progress" {
		t.Errorf("after 2: got %s", got)
	}
	for _, query := range []string{"?after=5", "?after=-1", "?after=x", "?after=", "?after=1&after=1"} {
		checkCode(t, query, r.call("GET", base+query, ""), 400, "invalid_value", "after")
	}
	checkCode(t, "unknown", r.call("GET", base+"?limit=1", ""), 400, "unknown_parameter", "limit")
}

// behaviour 8.6: without ?after= a stream is live only, whatever Last-Event-ID says; it has no gap.
func TestStreamIsLive(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	f := r.follow("/v1/agents/sessions/" + id + "/events")
	r.tell(id, 30, 10)
	for i, e := range f.take(30) {
		if e.id != fmt.Sprint(5+i) || e.event != "test" {
			t.Fatalf("got event %s %s, want %d", e.id, e.event, 5+i)
		}
	}
	if got := r.call("POST", "/v1/agents/sessions/"+id+"/events", `{"events":[{"type":"agent.session.input.cancel"}]}`); got.status != 202 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if got := names(f.take(2)); got != "35 turn.cancelled, 36 idle" {
		t.Errorf("got %s", got)
	}
}

// A stream that begins while events are written misses none and repeats none.
func TestStreamThatBeginsAmongWrites(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	var writing sync.WaitGroup
	writing.Go(func() { r.tell(id, 600, 10) })
	defer writing.Wait()
	for range 4 {
		f := r.follow("/v1/agents/sessions/" + id + "/events?after=4")
		for i, e := range f.take(600) {
			if e.id != fmt.Sprint(5+i) {
				t.Fatalf("got event %s, want %d", e.id, 5+i)
			}
		}
	}
}

// behaviour 8.6: a creation with stream answers with the Session's events from the first on; sent again it does so again.
func TestCreationStreams(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body := `{"agent":"` + r.agent() + `","input":"hello","stream":true}`
	if got := names(r.open("POST", "/v1/agents/sessions", body).take(4)); got != "1 created, 2 turn.created, 3 turn.item.added, 4 in_progress" {
		t.Errorf("got %s", got)
	}
	got := r.call("POST", "/v1/agents/sessions", `{"agent":"none","input":"hello","stream":true}`)
	checkCode(t, "no agent", got, 404, "not_found", "")
}

// A deleted Session ends the streams of those who follow it, in order.
func TestStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	base := "/v1/agents/sessions/" + id
	f := r.follow(base + "/events")
	r.call("POST", base+"/events", `{"events":[{"type":"agent.session.input.cancel"}]}`)
	f.take(2)
	if got := r.call("DELETE", base, ""); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if e, err := f.next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %+v (%v), want the end", e, err)
	}
}

// behaviour 8.6: when Core ends, a stream says that it was interrupted, and where to go on.
func TestStreamIsInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	f := r.follow("/v1/agents/sessions/" + id + "/events?after=0")
	f.take(4)
	r.core.Close()
	e, err := f.next()
	if err != nil || e.event != "error" || !strings.Contains(e.data, `"code":"stream_interrupted"`) || !strings.Contains(e.data, "after=4") {
		t.Errorf("got %+v (%v), want stream_interrupted", e, err)
	}
	if e, err := f.next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %+v (%v), want the end", e, err)
	}
}

// behaviour 8.6: a reader that takes nothing for five seconds is given up; others get everything meanwhile.
func TestSlowReaderIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	path := "/v1/agents/sessions/" + id + "/events"
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nOpenAI-Beta: agents=v1\r\nAuthorization: Bearer %s\r\n\r\n", path, ownKey)
	var head [12]byte
	if _, err := io.ReadFull(c, head[:]); err != nil || string(head[:]) != "HTTP/1.1 200" {
		t.Fatalf("got %q (%v)", head, err)
	}
	quick := r.follow(path)
	var taking sync.WaitGroup
	taking.Go(func() { quick.take(60) })
	r.tell(id, 60, 400<<10) // 24 MB: far more than the kernel keeps
	taking.Wait()
	if err := c.SetReadDeadline(time.Now().Add(15 * time.Second)); err != nil {
		t.Fatal(err)
	}
	<-time.After(6 * time.Second) // it takes nothing
	n, err := io.Copy(io.Discard, c)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() || n > 20<<20 {
		t.Errorf("got %d bytes more and %v, want the connection to end early", n, err)
	}
}

// writer is a connection whose writes can be seen and whose deadlines are noted.
type writer struct {
	*httptest.ResponseRecorder
	mu        sync.Mutex
	deadlines []time.Duration // from now on
}

func (w *writer) SetWriteDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadlines = append(w.deadlines, time.Until(t))
	return nil
}

func (w *writer) SetReadDeadline(time.Time) error { return nil }

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseRecorder.Write(p)
}

func (w *writer) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Body.String()
}

// behaviour 8.6: a silent stream shows every 15 seconds that it lives, and each write has five seconds.
func TestStreamKeepsAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service, made := newAPI(t)
		defer closeAPI(t, s, service)
		handler := mux(made)
		ask := func(method, path, body string) *http.Request {
			request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
			request.Header.Set("Authorization", "Bearer "+ownKey)
			request.Header.Set("OpenAI-Beta", "agents=v1")
			request.Header.Set("Content-Type", "application/json")
			return request
		}
		agent := &writer{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(agent, ask("POST", "/v1/agents", agentBody))
		id := answer{body: agent.text()}.members(t)["id"].(string)
		w := &writer{ResponseRecorder: httptest.NewRecorder()}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			handler.ServeHTTP(w, ask("POST", "/v1/agents/sessions", `{"agent":"`+id+`","input":"x","stream":true}`))
		}()
		<-time.After(14 * time.Second)
		synctest.Wait()
		if got := w.text(); !strings.Contains(got, "agent.session.created") || strings.Contains(got, ": keep-alive") {
			t.Errorf("after 14 seconds: got %q", got)
		}
		<-time.After(32 * time.Second)
		synctest.Wait()
		if got := w.text(); strings.Count(got, ": keep-alive\n\n") != 3 {
			t.Errorf("after 46 seconds: got %q, want three comments", got)
		}
		service.Close()
		<-ended
		for _, deadline := range w.deadlines {
			if deadline != 5*time.Second {
				t.Errorf("got a write deadline of %s, want 5s", deadline)
			}
		}
	})
}

// A key that is revoked ends its streams, at the next sign of life at the latest; the lab's own does not.
func TestRevokedKeyEndsItsStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service, made := newAPI(t)
		defer closeAPI(t, s, service)
		handler := mux(made)
		sum := sha256.Sum256([]byte("kept"))
		key, err := s.CreateAPIKey(t.Context(), store.APIKey{Name: "ci", Digest: hex.EncodeToString(sum[:]), Created: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(method, path, body, key string) (*writer, chan struct{}) {
			request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("OpenAI-Beta", "agents=v1")
			request.Header.Set("Content-Type", "application/json")
			w, ended := &writer{ResponseRecorder: httptest.NewRecorder()}, make(chan struct{})
			go func() {
				defer close(ended)
				handler.ServeHTTP(w, request)
			}()
			return w, ended
		}
		agent, ended := ask("POST", "/v1/agents", agentBody, "kept")
		<-ended
		body := `{"agent":"` + answer{body: agent.text()}.members(t)["id"].(string) + `","input":"x","stream":true}`
		kept, keptEnded := ask("POST", "/v1/agents/sessions", body, "kept")
		own, ownEnded := ask("POST", "/v1/agents/sessions", body, ownKey)
		<-time.After(20 * time.Second)
		if err := s.RevokeAPIKey(t.Context(), key.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		<-time.After(15 * time.Second)
		synctest.Wait()
		select {
		case <-keptEnded:
		default:
			t.Error("the stream of the revoked key goes on")
		}
		if got := kept.text(); !strings.Contains(got, `event: error`) || !strings.Contains(got, `"code":"invalid_api_key"`) {
			t.Errorf("got %q, want why it ended", got)
		}
		if got := own.text(); strings.Contains(got, "event: error") {
			t.Errorf("the lab's own: got %q, want it to go on", got)
		}
		service.Close()
		<-keptEnded
		<-ownEnded
	})
}
