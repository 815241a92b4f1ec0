package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// duo is Core in this process and a bound Runtime in another, on one real connection, with bare sockets between the same
// two processes for the baselines.
type duo struct {
	core       *core
	side       *side
	connection *gateway.Connection
	bare       map[string]*websocket.Conn // by name
	same       *socket.Conn               // the product's own socket with the codec and nothing else behind it
}

const (
	sideRuntime = "runtime"
	deviceID    = "0c7f0f0e-52f6-4d4c-9c43-6e7f0a1b2c3d"
)

// Bare sockets of a duo: the same frame back, and the work of a transfer.
const (
	bareSocketPath = "/bare-socket"
	bareEcho       = "echo"
	bareTransfer   = "transfer"
	samePath       = "/same-socket"
)

// Buffers of the transfer's floor are those of the product's sockets, in bytes.
const (
	floorRead  = 2048
	floorWrite = 2 * proto.MaxChunk
)

// startTime bounds how long sides may take to find each other.
const startTime = 30 * time.Second

// newDuo starts both; the workspace is below dir.
func newDuo(dir string) (*duo, error) {
	c, err := newCore(proto.DefaultHeartbeat)
	if err != nil {
		return nil, err
	}
	d := &duo{core: c, bare: map[string]*websocket.Conn{}}
	if d.side, _, err = startSide(sideRuntime, c.address, filepath.Join(dir, "duo")); err != nil {
		c.close()
		return nil, err
	}
	if err := d.meet(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// meet waits for all that the side opens.
func (d *duo) meet() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if d.connection, err = d.core.gateway.WaitConnected(ctx, deviceID); err != nil {
		return fmt.Errorf("wait for the runtime: %w", err)
	}
	for range 3 {
		select {
		case p := <-d.core.bare:
			d.bare[p.name] = p.ws
		case d.same = <-d.core.same:
		case <-ctx.Done():
			return fmt.Errorf("wait for bare sockets: %w", ctx.Err())
		}
	}
	return nil
}

func (d *duo) close() error {
	for _, ws := range d.bare {
		_ = ws.Close()
	}
	err := d.side.stop()
	d.core.close()
	return err
}

// runtimeSide is the other process of a duo: address of Core, folder.
func runtimeSide(args []string) error {
	address, folder := args[0], args[1]
	kinds, err := scriptedKinds()
	if err != nil {
		return err
	}
	runtime, err := newRuntime(address, deviceID, folder, kinds)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runtime.Run(ctx) }()
	for name, serve := range map[string]func(*websocket.Conn) error{
		bareEcho: repeat, bareTransfer: takeChunks,
	} {
		ws, err := dialBare(address, name)
		if err != nil {
			cancel()
			return err
		}
		go func() { _ = serve(ws) }() // ends with the socket, at the latest with the process
	}
	same, err := (&socket.Establisher{}).Dial(ctx, "ws://"+address+samePath, nil)
	if err != nil {
		cancel()
		return err
	}
	go func() { _ = refuseReads(ctx, same) }() // ends with the socket, at the latest with the process
	err = answer("", func() error { return nil })
	cancel()
	return errors.Join(err, <-ended)
}

func dialBare(address, name string) (*websocket.Conn, error) {
	var dialer websocket.Dialer
	if name != bareEcho {
		dialer.ReadBufferSize, dialer.WriteBufferSize = floorRead, floorWrite
	}
	ws, response, err := dialer.Dial("ws://"+address+bareSocketPath+"?name="+name, nil)
	if err != nil {
		return nil, fmt.Errorf("dial bare socket: %w", err)
	}
	return ws, response.Body.Close()
}

// repeat sends every message back.
func repeat(ws *websocket.Conn) error {
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
			return err
		}
	}
}

// refuseReads decodes every request and encodes its refusal, and does nothing between.
func refuseReads(ctx context.Context, conn *socket.Conn) error {
	for {
		message, err := conn.Read()
		if err != nil {
			return err
		}
		request, err := proto.Decode(message.Data)
		if err != nil {
			return err
		}
		refusal := proto.New(request.ID, &proto.WorkspaceReadResult{Outcome: proto.OutcomeRejected, ErrorCode: proto.CodeResourceUnavailable})
		refusal.Trace = request.Trace
		data, err := proto.Encode(refusal)
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, data); err != nil {
			return err
		}
	}
}

// takeChunks decodes and hashes what follows the head of every message, and acknowledges each.
func takeChunks(ws *websocket.Conn) error {
	hash, chunk := sha256.New(), make([]byte, proto.MaxChunk+3)
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		n, err := base64.StdEncoding.Decode(chunk, data[chunkHead:])
		if err != nil {
			return err
		}
		hash.Write(chunk[:n])
		if err := ws.WriteMessage(websocket.TextMessage, make([]byte, ackSize)); err != nil {
			return err
		}
	}
}
