package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// Limits of the listener (hostile-inputs H-4). A body has its own deadline, and a run may take a day: there is no write
// timeout.
const (
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	maxConnections = 1024
)

// Limited bounds the connections that a listener gives out; more wait in the kernel's queue.
func Limited(l net.Listener) net.Listener { return netutil.LimitListener(l, maxConnections) }

// HTTP makes the http.Server of a handler. Ending ctx ends the context of every request, and so every run.
func HTTP(ctx context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
