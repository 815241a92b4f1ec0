package gateway_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// rawFrame is one WebSocket frame of a client, masked with zeros. Length is what it announces.
func rawFrame(first byte, length uint64, data []byte) []byte {
	f := []byte{first}
	switch {
	case length < 126:
		f = append(f, 0x80|byte(length))
	case length < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, 0x80|126), uint16(length))
	default:
		f = binary.BigEndian.AppendUint64(append(f, 0x80|127), length)
	}
	f = append(f, 0, 0, 0, 0)
	return append(f, data...)
}

const (
	whole        = 0x81 // the only frame of a text message
	firstPart    = 0x01
	continuation = 0x00
	lastPart     = 0x80
	compressed   = 0xc1
)

// watched connects a peer with an observed Run beside another device.
func watched(t *testing.T) (p *peer, c *gateway.Connection, run *gateway.Subscription, other *peer, r *rig) {
	t.Helper()
	r = newRig(t, nil)
	other, _ = r.dial("other")
	p, c = r.dial("one")
	p.beat("kind")
	run, err := c.SubscribeDurable("run")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return p, c, run, other, r
}

// hurt checks that the connection ended alone, with nothing made up for its Run.
func hurt(t *testing.T, p *peer, run *gateway.Subscription, r *rig, code int) {
	t.Helper()
	if got := p.closing(); got != code {
		t.Errorf("got closing code %d (%v), want %d", got, p.end, code)
	}
	synctest.Wait()
	if got := drain(run.Events()); len(got) != 0 {
		t.Errorf("got %d frames of the Run, want none", len(got))
	}
	endedWith(t, run.Err(), gateway.ErrSessionClosed)
	if r.gateway.Online("one") || !r.gateway.Online("other") {
		t.Error("got another device hurt or this one online, want this one alone offline")
	}
}

// hostile-inputs W-1, wire 1.5: no part of such a message is processed.
func TestMessageOverTheLimitEndsTheConnection(t *testing.T) {
	t.Parallel()
	for name, message := range map[string][]byte{
		"announced 2^63-1":       rawFrame(whole, 1<<63-1, []byte(`{"type":"done","id":"run"}`)),
		"announced one too many": rawFrame(whole, proto.MaxFrame+1, []byte(`{"type":"done","id":"run"}`)),
		"in 40 parts":            parts(40, proto.MaxFrame+1),
	} {
		bubble(t, name, func(t *testing.T) {
			p, _, run, _, r := watched(t)
			go func() { _, _ = p.raw.Write(message) }() // the other end stops reading
			hurt(t, p, run, r, websocket.CloseMessageTooBig)
		})
	}
	bubble(t, "exactly the limit", func(t *testing.T) {
		p, _, run, _, _ := watched(t)
		const head, tail = `{"type":"done","id":"run","payload":{"content":"`, `"}}`
		p.text(head + strings.Repeat("x", proto.MaxFrame-len(head)-len(tail)) + tail)
		if got := drain(run.Events()); len(got) != 1 || got[0].Type != proto.TypeDone || run.Err() != nil {
			t.Errorf("got %d frames and %v, want done", len(got), run.Err())
		}
	})
}

// parts is one message of so many bytes in n frames.
func parts(n, size int) []byte {
	var all []byte
	for i := range n {
		first, length := byte(continuation), size/n
		switch i {
		case 0:
			first = firstPart
		case n - 1:
			first, length = lastPart, size-(n-1)*(size/n)
		}
		all = append(all, rawFrame(first, uint64(length), bytes.Repeat([]byte(" "), length))...)
	}
	return all
}

// hostile-inputs W-2: compression is never negotiated, and a compressed frame is a fault.
func TestCompressedFrameEndsTheConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, _, run, _, r := watched(t)
		go func() { _, _ = p.raw.Write(rawFrame(compressed, 4, []byte("\xaaV*."))) }()
		hurt(t, p, run, r, websocket.CloseProtocolError)
	})
}

// behaviour 3.1: 60 seconds without a frame; any frame renews them.
func TestSilenceEndsTheConnection(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(p *peer){
		"heartbeat":  func(p *peer) { p.beat("kind") },
		"useless":    func(p *peer) { p.text("?") },
		"binary":     func(p *peer) { _ = p.ws.WriteMessage(websocket.BinaryMessage, nil) },
		"of a Run":   func(p *peer) { p.send("other", &proto.Done{}) },
		"in 2 parts": func(p *peer) { _, _ = p.raw.Write(parts(2, 10)) },
	} {
		bubble(t, name, func(t *testing.T) {
			p, c, run, other, r := watched(t)
			start := time.Now()
			for range 3 {
				elapse(59 * time.Second)
				other.beat("kind")
				send(p)
			}
			synctest.Wait()
			last := time.Now()
			go beats(t.Context(), other)
			<-c.Done()
			if silent := time.Since(last); silent != 60*time.Second || time.Since(start) < 3*59*time.Second {
				t.Errorf("got an end %s after the last frame, want 60s", silent)
			}
			hurt(t, p, run, r, 0)
		})
	}
}

// beats keeps a device alive until ctx ends.
func beats(ctx context.Context, p *peer) {
	tick := time.NewTicker(proto.DefaultHeartbeat)
	defer tick.Stop()
	message, err := proto.Encode(proto.New("", heartbeat("kind", true)))
	for err == nil {
		select {
		case <-tick.C:
			err = p.ws.WriteMessage(websocket.TextMessage, message)
		case <-ctx.Done():
			return
		}
	}
}

// hostile-inputs W-3: bytes that finish no message are silence, and too many of them end it at once.
func TestMessageWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]byte{
		"empty parts":       rawFrame(continuation, 0, nil),
		"one byte a second": rawFrame(continuation, 1, []byte(" ")),
		"pings":             rawFrame(0x89, 0, nil),
	} {
		bubble(t, name, func(t *testing.T) {
			p, c, run, other, r := watched(t)
			go beats(t.Context(), other)
			last := time.Now()
			if _, err := p.raw.Write(rawFrame(firstPart, 1, []byte(" "))); err != nil {
				t.Fatal(err)
			}
			go func() {
				tick := time.NewTicker(time.Second)
				defer tick.Stop()
				for {
					select {
					case <-tick.C:
						_, _ = p.raw.Write(more) // fails at the end
					case <-c.Done():
						return
					}
				}
			}()
			<-c.Done()
			if silent := time.Since(last); silent != 60*time.Second {
				t.Errorf("got an end %s after the last complete message, want 60s", silent)
			}
			hurt(t, p, run, r, 0)
		})
	}
	bubble(t, "twice the limit at once", func(t *testing.T) {
		p, c, run, _, r := watched(t)
		start := time.Now()
		go func() {
			_, _ = p.raw.Write(rawFrame(firstPart, 1, []byte(" ")))
			many := bytes.Repeat(rawFrame(continuation, 0, nil), 10_000)
			for {
				if _, err := p.raw.Write(many); err != nil {
					return
				}
			}
		}()
		<-c.Done()
		if took := time.Since(start); took != 0 {
			t.Errorf("got an end after %s, want it at once", took)
		}
		hurt(t, p, run, r, 0)
	})
}

// hostile-inputs W-4: a peer that reads nothing costs the byte budget and ten seconds; nothing is ever called sent.
func TestPeerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p := dialSilent(t, "ws://lab/?device=one", r.network.dial)
		synctest.Wait()
		c, _ := r.gateway.Connection("one")
		run, err := c.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		const count = 64
		large := proto.New("run", &proto.PromptSteer{InputID: "1", Input: proto.TextInput(strings.Repeat("x", proto.MaxFrame-1000))})
		start := time.Now()
		sent := make(chan error, count)
		for range count {
			go func() { sent <- c.Send(t.Context(), large) }()
		}
		read := reading(t.Context(), c, "read", byteRead())
		synctest.Wait()
		queued := len(sent)
		if most := proto.QueueBytes/(proto.MaxFrame-1000) + 1; queued > most { // one is being written
			t.Errorf("got %d frames of 4 MiB queued, want at most %d", queued, most)
		}
		<-c.Done()
		if took := time.Since(start); took > proto.WriteTimeout+proto.CloseTimeout {
			t.Errorf("got an end after %s, want the write deadline of 10s", took)
		}
		refused := 0
		for range count {
			if err := <-sent; err != nil {
				endedWith(t, err, gateway.ErrSessionClosed)
				refused++
			}
		}
		if refused != count-queued {
			t.Errorf("got %d of %d waiting frames refused, want all", refused, count-queued)
		}
		if g := <-read; g.err == nil {
			t.Error("got a read answered, want it ended")
		}
		if got := drain(run.Events()); len(got) != 0 {
			t.Errorf("got %d frames, want none made up", len(got))
		}
		endedWith(t, run.Err(), gateway.ErrSessionClosed)
		_ = p.ws.Close()
	})
}

// hostile-inputs W-5: a line that is dead without saying so.
func TestHalfOpenLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		line := &relay{dead: make(chan struct{}), closed: make(chan struct{})}
		p := dialPeer(t, "ws://lab/?device=one", func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := r.network.dial(ctx, network, address)
			line.Conn = conn
			return line, err
		})
		synctest.Wait()
		old, _ := r.gateway.Connection("one")
		p.beat("kind")
		run, err := old.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		close(line.dead)
		last := time.Now()
		for range 3 {
			elapse(15 * time.Second)
			p.beat("kind") // written, and lost
			if err := old.Send(t.Context(), proto.New("run", &proto.PromptCancel{})); err != nil && time.Since(last) < proto.WriteTimeout {
				t.Errorf("got %v, want it queued", err)
			}
		}
		<-old.Done()
		if took := time.Since(last); took > proto.Silence+time.Second {
			t.Errorf("got offline after %s, want at most 61s", took)
		}
		if got := drain(run.Events()); len(got) != 0 || r.gateway.Online("one") {
			t.Errorf("got %d frames, want none and the device offline", len(got))
		}
		fresh, young := r.dial("one")
		if _, known := young.Kinds(); known {
			t.Error("got kinds of the dead line, want none known")
		}
		fresh.silent() // nothing is replayed
	})
}

// relay forwards until it is dead; then writes vanish and reads wait.
type relay struct {
	net.Conn
	dead   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (r *relay) Write(p []byte) (int, error) {
	select {
	case <-r.dead:
		return len(p), nil
	default:
		return r.Conn.Write(p)
	}
}

func (r *relay) Read(p []byte) (int, error) {
	select {
	case <-r.dead:
		<-r.closed
		return 0, net.ErrClosed
	default:
	}
	n, err := r.Conn.Read(p)
	select {
	case <-r.dead:
		<-r.closed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (r *relay) Close() error {
	r.once.Do(func() { close(r.closed) })
	return r.Conn.Close()
}
