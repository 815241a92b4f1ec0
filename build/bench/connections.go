package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/daemon"
	"parley/daemon/proto"
	"parley/daemon/transport"
)

// Sides of B9.
const (
	sideCore      = "core"
	sideRuntimes  = "runtimes"
	sideBareCore  = "bare-core"
	sideBarePeers = "bare-peers"
)

const (
	connections = 1000
	atATime     = 50 // dials under way, so that no listener's backlog is asked for more
	// quickBeat lets every connection beat once while the benchmark waits; the cost is spread over the usual interval.
	quickBeat = 3 * time.Second
)

// crowd is what a thousand connections take.
type crowd struct {
	core, peers float64 // bytes a connection on each side
	beat        float64 // seconds of processor time for one heartbeat each, both sides together
}

// benchConnections is B9's connections: memory of a thousand Runtimes with transport and router, and of their gateway,
// against a thousand bare sockets with two goroutines and two queues of 64 at each end. Four processes, of which two
// run at a time.
func benchConnections(r *report, _ string) error {
	first, err := gather(sideBareCore, sideBarePeers)
	if err != nil {
		return err
	}
	ours, err := gather(sideCore, sideRuntimes)
	if err != nil {
		return err
	}
	second, err := gather(sideBareCore, sideBarePeers)
	if err != nil {
		return err
	}
	within := goal{Must: 1.5, Good: atMost, Hard: true}
	for _, side := range []struct {
		name                string
		first, ours, second float64
	}{{"core", first.core, ours.core, second.core}, {"runtime", first.peers, ours.peers, second.peers}} {
		var t tally
		t.add(side.first, side.ours, side.second)
		row := judge("B9 memory, "+side.name, t.figures(), within)
		row.Counted, row.Unit = side.ours, "bytes a connection"
		r.put(row)
	}
	r.count("B9 at rest", ours.beat/proto.DefaultHeartbeat.Seconds(), 0.05, "of a core for both sides", goal{})
	return nil
}

// gather connects all and reads what that took.
func gather(coreName, peersName string) (all crowd, err error) {
	core, address, err := startSide(coreName)
	if err != nil {
		return crowd{}, err
	}
	defer func() { err = errors.Join(err, core.stop()) }()
	peers, _, err := startSide(peersName, address)
	if err != nil {
		return crowd{}, err
	}
	defer func() { err = errors.Join(err, peers.stop()) }()
	idle, err := ask(askWatch, peers, core)
	if err != nil {
		return crowd{}, err
	}
	before, err := ask(askAwait, peers, core)
	if err != nil {
		return crowd{}, err
	}
	time.Sleep(quickBeat)
	after, err := ask(askGauge, peers, core)
	if err != nil {
		return crowd{}, err
	}
	full, err := ask(askWatch, peers, core)
	if err != nil {
		return crowd{}, err
	}
	each := func(i int) float64 { return (float64(full[i].Held) - float64(idle[i].Held)) / connections }
	return crowd{peers: each(0), core: each(1), beat: after[0].CPU - before[0].CPU + after[1].CPU - before[1].CPU}, nil
}

func ask(what string, sides ...*side) ([]gauge, error) {
	all := make([]gauge, len(sides))
	for i, s := range sides {
		var err error
		if all[i], err = s.query(what); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func runtimeName(n int) string { return fmt.Sprintf("%08d-52f6-4d4c-9c43-6e7f0a1b2c3d", n) }

// coreSide is the gateway. It awaits a declaration from every Runtime.
func coreSide() error {
	c, err := newCore(quickBeat)
	if err != nil {
		return err
	}
	defer c.close()
	return answer(c.address, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		defer cancel()
		for n := range connections {
			connection, err := c.gateway.WaitConnected(ctx, runtimeName(n))
			if err != nil {
				return fmt.Errorf("wait for runtime %d: %w", n, err)
			}
			if err := poll(ctx, func() bool { _, known := connection.Kinds(); return known }); err != nil {
				return fmt.Errorf("wait for the declaration of runtime %d: %w", n, err)
			}
		}
		return nil
	})
}

// runtimesSide is all the Runtimes. They connect when they are awaited.
func runtimesSide(args []string) error {
	kinds, err := scriptedKinds()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	err = answer("", func() error {
		limited, stop := context.WithTimeout(ctx, startTime)
		defer stop()
		for first := 0; first < connections; first += atATime {
			var group []*daemon.Runtime
			for n := range atATime {
				r, err := newRuntime(args[0], runtimeName(first+n), "", kinds)
				if err != nil {
					return err
				}
				group = append(group, r)
				running.Go(func() { _ = r.Run(ctx) }) // one that stops is found missing
			}
			for _, r := range group {
				if err := poll(limited, func() bool { return r.State().Phase == transport.Online }); err != nil {
					return fmt.Errorf("wait for a runtime: %w: %w", err, r.State().Err)
				}
			}
		}
		return nil
	})
	cancel()
	running.Wait()
	return err
}

// poll looks until it is so.
func poll(ctx context.Context, so func() bool) error {
	for !so() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		time.Sleep(sampleTime)
	}
	return nil
}

// bareCoreSide upgrades and does no more than hold what it has.
func bareCoreSide() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var upgrader websocket.Upgrader
	there := make(chan struct{}, connections)
	web := &http.Server{ReadHeaderTimeout: proto.HandshakeTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil { // otherwise the peer's dial fails
			hold(ws, func() { there <- struct{}{} })
		}
	})}
	go func() { _ = web.Serve(listener) }() // ends with the process
	return answer(listener.Addr().String(), func() error {
		late := time.After(startTime)
		for n := range connections {
			select {
			case <-there:
			case <-late:
				return fmt.Errorf("wait for sockets: got %d of %d", n, connections)
			}
		}
		return nil
	})
}

// barePeersSide dials, and sends on every socket what is as long as a heartbeat.
func barePeersSide(args []string) error {
	return answer("", func() error {
		for range connections {
			ws, response, err := websocket.DefaultDialer.Dial("ws://"+args[0], nil)
			if err != nil {
				return err
			}
			if err := response.Body.Close(); err != nil {
				return err
			}
			hold(ws, func() {}) <- bytes.Repeat([]byte("h"), heartbeatSize)
		}
		return nil
	})
}

// heartbeatSize is the size of one with one kind, in bytes.
const heartbeatSize = 900

// hold serves one bare socket with a reader, a writer and a queue for each; it gives the writer's.
func hold(ws *websocket.Conn, arrived func()) chan<- []byte {
	in, out := make(chan []byte, proto.ReceiveQueue), make(chan []byte, proto.SendQueue)
	go func() {
		for {
			_, data, err := ws.ReadMessage()
			if err != nil {
				close(out)
				return
			}
			select {
			case in <- data:
			default: // nobody takes from it
			}
			arrived()
		}
	}()
	go func() {
		for data := range out {
			if ws.WriteMessage(websocket.TextMessage, data) != nil {
				return
			}
		}
	}()
	return out
}
