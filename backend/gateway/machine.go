// Package gateway is Core's end of the machine connection: the HTTP routes under /api/v1/agent-daemon (Machine) and the
// socket behind them.
//
// The HTTP side promises the checks, statuses and bodies of behaviour 2 in their order, that no credential is logged,
// repeated or read from an address, and that nothing is registered for a request that was refused. It stores digests
// only and trusts no header but the bearer. The caller mounts the handlers; they have no other guard in front.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"parley/backend/store"
	"parley/daemon/proto"
)

// Devices is what the machine connection needs of the store.
type Devices interface {
	Device(ctx context.Context, id string) (store.Device, error)
	TouchDevice(ctx context.Context, id string, at time.Time) error
	Enroll(ctx context.Context, digest, environment string, at time.Time) (store.Device, error)
	Enrolled(ctx context.Context, digest, environment string) (store.Device, error)
}

var _ Devices = (*store.Store)(nil)

// MachineConfig is what the machine connection is made of.
type MachineConfig struct {
	Devices Devices
	// PublicURL is the configured origin of the WebSocket, such as ws://127.0.0.1:7007, or "" where none is known. It is
	// never taken from a request.
	PublicURL func() string
	// Accept upgrades the request of an authenticated device and sees to it that the socket is served until it ends.
	Accept func(w http.ResponseWriter, r *http.Request, device Device)
	// Online tells whether a device has a connection.
	Online func(deviceID string) bool
	Log    *slog.Logger

	Heartbeat time.Duration    // whole seconds; 0: proto.DefaultHeartbeat
	Now       func() time.Time // nil: time.Now
}

// Machine is the HTTP side of the machine connection: bootstrap, status, upgrade and enrollment (behaviour 2). Its
// handlers may be used by many requests at the same time, and answer no request of a browser: that cannot send a bearer
// on an upgrade. They have no other guard; the credential is never logged, repeated or taken from an address.
type Machine struct {
	devices   Devices
	publicURL func() string
	accept    func(http.ResponseWriter, *http.Request, Device)
	online    func(string) bool
	log       *slog.Logger
	heartbeat time.Duration
	now       func() time.Time
	refusals  ration // of lines about refused requests
}

// NewMachine makes it. All but Heartbeat and Now are required.
func NewMachine(c MachineConfig) (*Machine, error) {
	if c.Devices == nil || c.PublicURL == nil || c.Accept == nil || c.Online == nil || c.Log == nil {
		return nil, errors.New("make machine connection: devices, public URL, accept, online and log are required")
	}
	m := &Machine{devices: c.Devices, publicURL: c.PublicURL, accept: c.Accept, online: c.Online, log: c.Log,
		heartbeat: c.Heartbeat, now: c.Now}
	if m.heartbeat == 0 {
		m.heartbeat = proto.DefaultHeartbeat
	}
	if m.now == nil {
		m.now = time.Now
	}
	return m, nil
}

// authenticate finds the device that a credential speaks for, in the order of behaviour 2.2: record, type, digest.
func (m *Machine) authenticate(ctx context.Context, id, token string) (Device, error) {
	device, err := m.devices.Device(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Device{}, refuse(codeUnknownDevice, "no device has this id; create one with parley core device create")
	case err != nil:
		return Device{}, &refused{code: codeInternal, detail: "the device could not be looked up", cause: err}
	case device.RuntimeType != store.AgentDaemon:
		return Device{}, refuse(codeRuntimeType, "expected a device of type "+store.AgentDaemon)
	case !device.Admits(Digest(token)):
		return Device{}, refuse(codeBadCredential, "the credential is not the device's, or was revoked; create a new device")
	}
	return device, nil
}
