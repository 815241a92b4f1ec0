package app

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"

	"parley/backend/gateway"
	"parley/backend/store"
)

// core is Core's side of the machine connection: the registry of connected Runtimes and the routes that lead to it.
type core struct {
	gateway *gateway.Gateway
	machine *gateway.Machine
}

// newCore makes it over the lab's devices. The address is the one the lab listens on.
func newCore(records *store.Store, addr net.Addr, log *slog.Logger) (*core, error) {
	runtimes, err := gateway.New(gateway.Config{Authority: records, Seen: records.TouchDevice, Log: log})
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
	return &core{gateway: runtimes, machine: machine}, nil
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
