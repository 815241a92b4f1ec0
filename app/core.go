package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"parley/app/drive"
	durable "parley/backend/core"
	"parley/backend/gateway"
	"parley/backend/server"
	"parley/backend/store"
	"parley/daemon/proto"
	"parley/daemon/transport"
	"parley/daemon/wiretest"
)

// core is Core's side of the machine connection: the registry of connected Runtimes and the routes that lead to it.
type core struct {
	records *store.Store
	gateway *gateway.Gateway
	machine *gateway.Machine
	driver  *drive.Driver
	turns   *durable.Service
	worker  atomic.Pointer[durable.Service] // the same, for heartbeats
	own     atomic.Pointer[embedded]        // nil while the lab has no Runtime of its own
}

var _ server.Core = (*core)(nil)

// newCore makes it over the lab's devices. The address is the one the lab listens on.
func newCore(ctx context.Context, records *store.Store, addr net.Addr, log *slog.Logger) (*core, error) {
	c := &core{records: records}
	runtimes, err := gateway.New(gateway.Config{Authority: records, Seen: records.TouchDevice, Log: log,
		OnHeartbeat: func(string) { c.wakeWorker() }})
	if err != nil {
		return nil, err
	}
	machine, err := gateway.NewMachine(gateway.MachineConfig{
		Devices:   records,
		PublicURL: func() string { return socketOrigin(addr) },
		Accept:    runtimes.Accept,
		Online:    runtimes.Online,
		Log:       log,
	})
	if err != nil {
		return nil, fmt.Errorf("make the machine connection: %w", err)
	}
	c.gateway, c.machine = runtimes, machine
	turns, err := durable.New(ctx, durable.Config{Store: records, Runtimes: runtimes, Log: log})
	if err != nil {
		return nil, err
	}
	c.turns = turns
	c.worker.Store(turns)
	c.driver = drive.New(runtimes, drive.Devices{Own: c.ownDevice, Known: c.knownDevice})
	return c, nil
}

// wakeWorker has the worker look for Turns; a heartbeat may come before there is one.
func (c *core) wakeWorker() {
	if turns := c.worker.Load(); turns != nil {
		turns.Wake()
	}
}

// close ends every connection and everything that observes one.
func (c *core) close() {
	c.gateway.Close()
	c.driver.Close()
}

// Runtimes lists the devices that are not revoked.
func (c *core) Runtimes(ctx context.Context) (server.Runtimes, error) {
	all := server.Runtimes{List: []server.Runtime{}}
	devices, err := c.records.Devices(ctx)
	if err != nil {
		return all, err
	}
	for _, device := range devices {
		if device.Revoked.IsZero() {
			all.List = append(all.List, c.runtime(device))
		} else {
			all.Revoked++
		}
	}
	return all, nil
}

func (c *core) runtime(device store.Device) server.Runtime {
	r := server.Runtime{DeviceID: device.ID, Name: device.Name, LastSeen: device.LastSeen, Kinds: []server.RuntimeKind{}}
	if own := c.own.Load(); own != nil && own.device == device.ID {
		tellOwn(&r, own.runtime.State())
	}
	if end, known := c.gateway.LastEnd(device.ID); known {
		r.LastEnd = &server.RuntimeEnd{At: end.At, ByCore: end.ByCore, Code: end.Code, Why: end.Why}
	}
	if connection, online := c.gateway.Connection(device.ID); online {
		tellConnection(&r, connection)
	}
	return r
}

// tellOwn adds what the lab's own Runtime says of itself.
func tellOwn(r *server.Runtime, state transport.State) {
	r.Own, r.State, r.StateSince, r.Failures, r.NextAttempt = true, string(state.Phase), state.Since, state.Failures, state.Next
	if state.Err != nil {
		r.LastError = state.Err.Error()
	}
}

// tellConnection adds what Core sees of an open connection.
func tellConnection(r *server.Runtime, connection *gateway.Connection) {
	stats := connection.Stats()
	r.Online = true
	r.Connection = &server.RuntimeConnection{Since: stats.Since, Build: stats.Build, Active: stats.Active,
		In: stats.In, Out: stats.Out, Dropped: stats.Dropped}
	if !stats.Heartbeat.IsZero() {
		r.LastSeen = stats.Heartbeat
	}
	var kinds []proto.AgentKind
	kinds, r.Declared = connection.Kinds()
	for _, kind := range kinds {
		r.Kinds = append(r.Kinds, server.RuntimeKind{Kind: kind.Kind, Available: kind.Available, Version: kind.Version,
			Capabilities: supported(kind.Capabilities)})
	}
}

func supported(declared proto.Capabilities) []string {
	names := []string{}
	for capability := range proto.CapabilityCount {
		if declared.Has(capability) {
			names = append(names, capability.String())
		}
	}
	return names
}

// ownDevice is the id of the lab's own Runtime, "" while there is none.
func (c *core) ownDevice() string {
	if own := c.own.Load(); own != nil {
		return own.device
	}
	return ""
}

// knownDevice says why a device cannot connect; nil when it can.
func (c *core) knownDevice(ctx context.Context, id string) error {
	device, err := c.records.Device(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("no device has the id %q; parley core device list shows the ids", id)
	case err != nil:
		return err
	case !device.Revoked.IsZero():
		return fmt.Errorf("device %q is revoked and connects no more; parley core device create makes another", id)
	}
	return nil
}

// Wake brings the lab's own Runtime back from a suspension.
func (c *core) Wake() bool {
	own := c.own.Load()
	if own != nil {
		own.runtime.Wake()
	}
	return own != nil
}

// longestDrive bounds one line of the driver: a device that never connects keeps no request for ever.
const longestDrive = time.Minute

// Drive does one line of the driver's protocol, within a minute.
func (c *core) Drive(ctx context.Context, line []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longestDrive)
	defer cancel()
	var answer bytes.Buffer
	err := wiretest.DriveLoop(ctx, bytes.NewReader(line), &answer, c.driver)
	return answer.Bytes(), err
}

// socketOrigin is where Runtimes reach the lab: the address it listens on. An address that means every interface names
// none that a Runtime could dial, so there is no answer then.
func socketOrigin(addr net.Addr) string {
	place, err := netip.ParseAddrPort(addr.String())
	if err != nil || place.Addr().IsUnspecified() {
		return ""
	}
	return "ws://" + place.String()
}
