package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// kept holds the allocations of one round trip in both processes together, as they were when somebody last looked at
// them. Write a new number down only with a reason.
//
//go:embed allocations.json
var kept []byte

// trace is a traceparent, as long as every one is.
const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// benchRoundTrip is B2: a read with a handle that the Runtime does not know and its rejection, through the gateway's
// connection, both sockets, the transport and the router, against the same frame echoed by the library alone (raw) and
// against the same frames over the same sockets with the codec on both ends (floor).
func benchRoundTrip(r *report, dir string) error {
	d, err := newDuo(dir)
	if err != nil {
		return err
	}
	raw, err := d.raw()
	if err != nil {
		return errors.Join(err, d.close())
	}
	err = errors.Join(d.timeRoundTrips(r, raw), d.countAllocations(r))
	return errors.Join(err, d.close())
}

func (d *duo) timeRoundTrips(r *report, raw func() error) error {
	bare := percentiles(raw, 50, 99)
	product := percentiles(d.refusedRead(), 50, 99)
	all, err := pairsOf(together(percentiles(d.floor(), 50), bare), func() ([]float64, error) {
		x, err := product()
		if err != nil {
			return nil, err
		}
		return []float64{x[0], x[0], x[1]}, nil
	})
	if err != nil {
		return err
	}
	r.add("B2 floor p50", all[0], goal{Must: 1.3, Good: atMost})
	r.add("B2 raw p50", all[1], goal{Must: 3.0, Aim: 2.2, Good: atMost})
	r.add("B2 raw p99", all[2], goal{})
	return nil
}

// refusedRequest is a request that the Runtime answers at once.
func refusedRequest() proto.WorkspaceRead {
	return proto.WorkspaceRead{Handle: "hnd-000000000000000000000000", EnvironmentID: environment, Path: "notes/a.txt", MaxBytes: 4096}
}

// ids gives ids of one length, each once.
func ids(prefix string) func() string {
	n := 1_000_000_000
	return func() string {
		n++
		return prefix + strconv.Itoa(n)
	}
}

// refusedRead is one round trip of the product.
func (d *duo) refusedRead() func() error {
	next := ids("read-")
	return func() error {
		_, err := d.connection.Read(context.Background(), next(), refusedRequest())
		if _, refused := errors.AsType[*gateway.RefusedError](err); !refused {
			return fmt.Errorf("read with an unknown handle: got %w, want a refusal", err)
		}
		return nil
	}
}

// floor is the same frames over the product's socket, with its queue and its writer, and the codec on both ends.
func (d *duo) floor() func() error {
	next := ids("read-")
	return func() error {
		request := refusedRequest()
		f := proto.New(next(), &request)
		f.Trace = trace
		data, err := proto.Encode(f)
		if err != nil {
			return err
		}
		if err := d.same.Queue(context.Background(), data); err != nil {
			return err
		}
		message, err := d.same.Read()
		if err != nil {
			return err
		}
		_, err = proto.Decode(message.Data)
		return err
	}
}

// raw is the request's bytes and their echo.
func (d *duo) raw() (func() error, error) {
	request := refusedRequest()
	f := proto.New("read-1000000001", &request)
	f.Trace = trace
	data, err := proto.Encode(f)
	return func() error { return exchange(d.bare[bareEcho], data) }, err
}

// exchange writes a message and takes one.
func exchange(ws *websocket.Conn, data []byte) error {
	if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
		return err
	}
	_, _, err := ws.ReadMessage()
	return err
}

// countAllocations gates the allocations of a round trip at a tenth over the kept number.
func (d *duo) countAllocations(r *report) error {
	var numbers struct {
		RoundTrip float64 `json:"round_trip"`
	}
	if err := json.Unmarshal(kept, &numbers); err != nil {
		return fmt.Errorf("read allocations.json: %w", err)
	}
	const times = 5000
	before, err := d.mallocs()
	if err != nil {
		return err
	}
	work := d.refusedRead()
	for range times {
		if err := work(); err != nil {
			return err
		}
	}
	after, err := d.mallocs()
	if err != nil {
		return err
	}
	r.count("B2 allocations", float64(after-before)/times, numbers.RoundTrip, "a round trip", goal{Must: 1.1, Good: atMost, Hard: true})
	return nil
}

// mallocs are those of both processes since their start.
func (d *duo) mallocs() (uint64, error) {
	theirs, err := d.side.query(askGauge)
	if err != nil {
		return 0, err
	}
	ours, err := (&meter{}).read()
	return theirs.Mallocs + ours.Mallocs, err
}
