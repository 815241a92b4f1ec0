package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// AddressError is a fault of the address given with --addr.
type AddressError struct {
	Addr  string
	Why   string // expected, found, what to do
	Usage bool   // the address itself is wrong, whatever runs on this machine
}

func (e *AddressError) Error() string { return fmt.Sprintf("listen on %q: %s", e.Addr, e.Why) }

// listen binds the address and tells whether other machines can reach it.
func listen(ctx context.Context, addr string, dangerous bool) (l net.Listener, exposed bool, err error) {
	if addr == "" {
		addr = DefaultAddr
	}
	bind, err := parseAddr(addr)
	if err != nil {
		return nil, false, err
	}
	exposed = !bind.Addr().Unmap().IsLoopback()
	if exposed && !dangerous {
		return nil, false, &AddressError{addr, "other machines could reach it; keep to 127.0.0.1 or [::1], " +
			"or add --dangerously-listen, and then only the offline runner routes and the machine connection answer", true}
	}
	var config net.ListenConfig
	l, err = config.Listen(ctx, "tcp", bind.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, false, &AddressError{addr, taken(ctx, bind), false}
	}
	if err != nil {
		return nil, false, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return l, exposed, nil
}

// taken says who has the port and what to do.
func taken(ctx context.Context, bind netip.AddrPort) string {
	holder := "another program; stop it,"
	if isLab(ctx, bind) {
		holder = "a Parley lab on another data folder; stop it, open it with parley serve on its folder,"
	}
	return fmt.Sprintf("port %d is in use by %s or choose another port: --addr %s picks a free one",
		bind.Port(), holder, netip.AddrPortFrom(bind.Addr(), 0))
}

// parseAddr resolves no name: what is bound must be what is written. localhost means 127.0.0.1.
func parseAddr(addr string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(addr)
	if err == nil && host == "localhost" {
		host = "127.0.0.1"
	}
	bind, parseErr := netip.ParseAddrPort(net.JoinHostPort(host, port))
	if err != nil || parseErr != nil {
		return netip.AddrPort{}, &AddressError{addr, "expected a literal address and a port, such as " + DefaultAddr + " or [::1]:0", true}
	}
	return bind, nil
}
