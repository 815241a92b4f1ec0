package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// benchAdmissions is B8: prepare, ready and release with a full table of records against the same with one record
// before it, and the rejection of a prepare that nothing can make room for against the repeated status of a known one.
// The Executor exists in both. Router and asker share this process, and every frame crosses a real socket.
func benchAdmissions(r *report, _ string) error {
	d, err := newDesk()
	if err != nil {
		return err
	}
	err = d.compare(r)
	return errors.Join(err, d.close())
}

func (d *desk) compare(r *report) error {
	full, err := d.fullRouter()
	if err != nil {
		return err
	}
	busy, err := d.busyRouter()
	if err != nil {
		return err
	}
	known := d.prepare("busy-1", sessionNumber(1))
	baseline := alternately(d.freshCycle, func() (time.Duration, error) {
		return d.timed(busy, func() error { return d.asks(known, proto.StateReady, "") })
	})
	next := ids("late-")
	product := alternately(
		func() (time.Duration, error) { return d.timed(full, d.cycle) },
		func() (time.Duration, error) {
			return d.timed(busy, func() error {
				return d.asks(d.prepare(next(), sessionNumber(9)), proto.StateRejected, proto.CodePreparationCapacity)
			})
		})
	f, err := pairsOf(baseline, product)
	if err != nil {
		return errors.Join(err, shut(full), shut(busy))
	}
	r.add("B8 cycle, full table", f[0], goal{Must: 1.25, Good: atMost})
	r.add("B8 rejection", f[1], goal{Must: 1.25, Good: atMost})
	return errors.Join(shut(full), shut(busy))
}

// alternately runs two pieces of work in turn for one window and gives the median of each, in seconds.
func alternately(work ...func() (time.Duration, error)) measures {
	return func() ([]float64, error) {
		spent := make([][]time.Duration, len(work))
		for start := time.Now(); time.Since(start) < windowTime; {
			for i, one := range work {
				took, err := one()
				if err != nil {
					return nil, err
				}
				spent[i] = append(spent[i], took)
			}
		}
		medians := make([]float64, len(work))
		for i := range spent {
			slices.Sort(spent[i])
			medians[i] = quantiles(spent[i], 50)[0]
		}
		return medians, nil
	}
}

// desk is one connection: the asker's end here, and a router of choice behind the other end.
type desk struct {
	kinds  *harness.Registry
	web    *http.Server
	theirs chan *socket.Conn
	asker  *socket.Conn
	ender  *socket.Conn
	served sync.WaitGroup
	next   func() string

	mu     sync.Mutex
	router *dispatch.Router
}

func newDesk() (*desk, error) {
	kinds, err := scriptedKinds()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &desk{kinds: kinds, theirs: make(chan *socket.Conn, 1), next: ids("cycle-")}
	sockets := &socket.Establisher{}
	d.web = &http.Server{ReadHeaderTimeout: proto.HandshakeTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := sockets.Upgrade(w, r); err == nil { // otherwise the dial fails
			d.theirs <- conn
		}
	})}
	go func() { _ = d.web.Serve(listener) }() // ends with close
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if d.asker, err = sockets.Dial(ctx, "ws://"+listener.Addr().String(), nil); err != nil {
		return nil, errors.Join(err, d.web.Close())
	}
	d.ender = <-d.theirs
	d.served.Go(d.serve)
	return d, nil
}

func (d *desk) close() error {
	d.asker.Close(proto.CloseNormal, "")
	d.served.Wait()
	return d.web.Close()
}

// serve hands what comes to the router of the moment.
func (d *desk) serve() {
	for {
		message, err := d.ender.Read()
		if err != nil {
			return
		}
		if frame, err := proto.Decode(message.Data); err == nil {
			_ = d.current().Handle(frame) // without an answer the asker waits, and the benchmark is seen to hang
		}
	}
}

func (d *desk) current() *dispatch.Router {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.router
}

func (d *desk) send(ctx context.Context, frame proto.Frame) error {
	data, err := proto.Encode(frame)
	if err != nil {
		return err
	}
	return d.ender.Send(ctx, data)
}

func (d *desk) newRouter() *dispatch.Router {
	return dispatch.New(dispatch.Config{Registry: d.kinds, Send: d.send, Log: quiet()})
}

func shut(router *dispatch.Router) error { return router.Shutdown(context.Background()) }

// timed runs work with a router and says how long it took.
func (d *desk) timed(router *dispatch.Router, work func() error) (time.Duration, error) {
	d.mu.Lock()
	d.router = router
	d.mu.Unlock()
	start := time.Now()
	err := work()
	return time.Since(start), err
}

// freshCycle times the second cycle of a new router; the first left one record and the Executor.
func (d *desk) freshCycle() (time.Duration, error) {
	router := d.newRouter()
	if _, err := d.timed(router, d.firstCycle); err != nil {
		return 0, err
	}
	took, err := d.timed(router, d.cycle)
	return took, errors.Join(err, shut(router))
}

// fullRouter has a table of 64 retired records.
func (d *desk) fullRouter() (*dispatch.Router, error) {
	router := d.newRouter()
	_, err := d.timed(router, d.firstCycle)
	for range proto.MaxRecords - 1 {
		if err == nil {
			_, err = d.timed(router, d.cycle)
		}
	}
	return router, err
}

// busyRouter has a full table and as many Executors at work as there may be, so that a prepare finds no room.
func (d *desk) busyRouter() (*dispatch.Router, error) {
	router, err := d.fullRouter()
	for n := range proto.MaxActive {
		if err != nil {
			return router, err
		}
		_, err = d.timed(router, func() error {
			if err := d.asks(d.prepare(fmt.Sprintf("busy-%d", n+1), sessionNumber(n+1)), proto.StatePreparing, ""); err != nil {
				return err
			}
			_, err := d.status(proto.StateReady, "")
			return err
		})
	}
	return router, err
}

func sessionNumber(n int) string { return fmt.Sprintf("b8e4d7a1-26c3-4f59-8e02-%012d", n) }

func (d *desk) prepare(id, session string) proto.Frame {
	return proto.New(id, &proto.ExecutionPrepare{SessionID: session, Configuration: proto.Configuration{
		AgentKind: scripted.Kind, DisableExecutionEnvironment: true, AgentStateKey: proto.StateKeyPrefix + session,
		AgentOptions: &proto.AgentOptions{Model: "m", SystemPrompt: "s"}}})
}

// firstCycle is a cycle whose Executor is made.
func (d *desk) firstCycle() error {
	id := d.next()
	if err := d.asks(d.prepare(id, sessionNumber(0)), proto.StatePreparing, ""); err != nil {
		return err
	}
	return d.release(id)
}

// cycle finds the Executor at rest and leaves it so.
func (d *desk) cycle() error {
	id := d.next()
	if err := d.put(d.prepare(id, sessionNumber(0))); err != nil {
		return err
	}
	return d.release(id)
}

// release waits for ready and gives the admission back.
func (d *desk) release(id string) error {
	ready, err := d.status(proto.StateReady, "")
	if err != nil {
		return err
	}
	return d.asks(proto.New(id, &proto.ExecutionRelease{Handle: ready.Handle}), proto.StateReleased, "")
}

// asks sends a frame and takes the status that answers it.
func (d *desk) asks(frame proto.Frame, state, code string) error {
	if err := d.put(frame); err != nil {
		return err
	}
	_, err := d.status(state, code)
	return err
}

func (d *desk) put(frame proto.Frame) error {
	data, err := proto.Encode(frame)
	if err != nil {
		return err
	}
	return d.asker.Queue(context.Background(), data)
}

func (d *desk) status(state, code string) (*proto.PreparationStatus, error) {
	message, err := d.asker.Read()
	if err != nil {
		return nil, err
	}
	frame, err := proto.Decode(message.Data)
	if err != nil {
		return nil, err
	}
	status, ok := frame.Payload.(*proto.PreparationStatus)
	if !ok || status.State != state || status.ErrorCode != code {
		return nil, fmt.Errorf("wait for status: got %s, want %s %s", message.Data, state, code)
	}
	return status, nil
}
