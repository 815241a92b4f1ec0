package daemon_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/daemon"
	"parley/daemon/harness"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// deafCore takes one connection and sends one frame for ever, without reading what comes back.
type deafCore struct {
	server  *httptest.Server
	message []byte
	sockets socket.Establisher
	stuck   chan int // how many frames were taken by then
	leave   chan struct{}
}

func newDeafCore(t *testing.T, message []byte) *deafCore {
	c := &deafCore{message: message, stuck: make(chan int, 1), leave: make(chan struct{})}
	c.server = httptest.NewServer(c)
	t.Cleanup(c.server.Close)
	return c
}

func (c *deafCore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/bootstrap") {
		_ = json.NewEncoder(w).Encode(map[string]any{"device_id": "r", "workspace_id": "w", "protocol_version": proto.Version,
			"heartbeat_seconds": 600, "ws_url": "ws" + strings.TrimPrefix(c.server.URL, "http") + "/ws"})
		return
	}
	conn, err := c.sockets.Upgrade(w, r)
	if err != nil {
		return
	}
	defer conn.Close(proto.CloseNormal, "")
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second) // less than the Runtime's write deadline
	defer cancel()
	taken := 0
	for conn.Send(ctx, c.message) == nil {
		taken++
	}
	c.stuck <- taken
	<-c.leave
}

// heap is what is in use after a collection, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// hostile-inputs W-4, 3: a Core that sends and does not read fills the queues of its connection, and not the Runtime; when
// it is gone everything is as before.
func TestFloodOfADeafCore(t *testing.T) {
	const beyond = 2*proto.QueueBytes + 32<<20 // the queues of both directions, and what is worked at
	huge := strings.Repeat("x", proto.MaxFrame-1000)
	for name, frame := range map[string]proto.Frame{
		"release":          proto.New("p", &proto.ExecutionRelease{}),
		"release, huge id": proto.New(huge, &proto.ExecutionRelease{}),
		"cancel, huge id":  proto.New("r", &proto.PromptCancel{DeliveryID: huge}),
	} {
		t.Run(name, func(t *testing.T) {
			message, err := proto.Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			before := heap()
			core := newDeafCore(t, message)
			ended := make(chan error, 1)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			r, err := daemon.New(daemon.Config{Registry: harness.NewRegistry(),
				Profile: daemon.Profile{ServerURL: core.server.URL + "/api/v1", RuntimeID: "r", RunnerCredential: credential},
			})
			if err != nil {
				t.Fatal(err)
			}
			go func() { ended <- r.Run(ctx) }()
			taken := <-core.stuck
			grown := heap() - before
			t.Logf("%d frames of %d bytes taken; %d KiB more on the heap", taken, len(message), grown>>10)
			if grown > beyond {
				t.Errorf("got %d MiB more on the heap, want at most %d", grown>>20, beyond>>20)
			}
			close(core.leave)
			stop()
			if err := <-ended; err != nil {
				t.Errorf("got %v, want a clean end", err)
			}
			core.server.Close()
			if left := heap() - before; left > 8<<20 {
				t.Errorf("got %d MiB left on the heap, want what was before", left>>20)
			}
		})
	}
}
