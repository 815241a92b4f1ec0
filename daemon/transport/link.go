package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Config is what a Link needs. The functions are called from its goroutines and must return soon.
type Config struct {
	ServerURL  string // of the profile, ends in /api/v1
	DeviceID   string
	Credential string
	Build      string // version of this program, for heartbeats; "" says nothing

	Kinds     func() []proto.AgentKind          // what is offered now; asked for every heartbeat
	NewRouter func(send Send, post Post) Router // for every connection but the one that ends a suspension

	// Wake gives a value when a suspended Runtime is to come back. One that is waiting when a suspension begins is dropped.
	// From nil nothing comes: it stays away until Run ends.
	Wake <-chan struct{}

	Client      *http.Client        // for bootstrap; nil: one of its own
	Establisher *socket.Establisher // for the WebSocket; nil: one of its own
	Log         *slog.Logger        // nil: silent
	Notice      func(State)         // told of every change of state; nil: nobody
}

// Link is a Runtime's standing connection to Core.
type Link struct {
	config   Config
	board    board
	replaced int // ends in a row by a newer connection; Run's goroutine owns it
}

// New checks the configuration; nothing is connected yet.
func New(config Config) (*Link, error) {
	switch {
	case config.DeviceID == "" || config.Credential == "":
		return nil, errors.New("make link: expected a device id and a credential; take both from the device's profile")
	case config.Kinds == nil || config.NewRouter == nil:
		return nil, errors.New("make link: expected Kinds and NewRouter")
	}
	if _, err := parseServer(config.ServerURL, "bootstrap"); err != nil {
		return nil, fmt.Errorf("make link: %w", err)
	}
	if config.Establisher == nil {
		config.Establisher = &socket.Establisher{}
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return &Link{
		config: config,
		board:  board{state: State{Phase: Starting, Since: time.Now()}, notice: config.Notice},
	}, nil
}

// client makes bootstrap's own client, unless there is one. It keeps no connection open after its one request, and nobody
// keeps it.
func (l *Link) client() *http.Client {
	if l.config.Client != nil {
		return l.config.Client
	}
	return NewClient()
}

// NewClient makes an HTTP client for Bootstrap or Enroll that keeps no connection open after an answer.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
}

// State is what the Link is doing now; any goroutine may ask.
func (l *Link) State() State { return l.board.read() }

// Run keeps the Runtime connected until ctx ends, which gives nil, or until bootstrap fails or a refusal is permanent
// (*PermanentError). It returns only after the last router has confirmed its end, however long that takes
// (behaviour 3.3). It is called once.
func (l *Link) Run(ctx context.Context) error {
	err := l.run(ctx)
	if ctx.Err() != nil {
		err = nil // asked to stop; what broke off because of that is no failure
	}
	l.board.show(State{Phase: Stopped, Err: err})
	return err
}

func (l *Link) run(ctx context.Context) error {
	target, err := aside(func() (target, error) { return l.bootstrap(ctx) })
	if err != nil {
		return err
	}
	var held *tenant // a router that a suspension keeps across sockets
	defer func() { l.clear(held) }()
	for {
		held, err = l.cycle(ctx, target, held)
		if err != nil {
			return err
		}
	}
}

// target is what bootstrap tells and connecting needs.
type target struct {
	address   string // of the WebSocket
	heartbeat time.Duration
}

func (l *Link) bootstrap(ctx context.Context) (target, error) {
	details, err := Bootstrap(ctx, l.client(), l.config.ServerURL, l.config.DeviceID, l.config.Credential)
	if err != nil {
		return target{}, err
	}
	address, err := l.address(details)
	return target{address, details.Heartbeat}, err
}

// cycle is one connection with all that comes before and after it. The tenant that it gives back is the caller's; an
// error ends the loop.
func (l *Link) cycle(ctx context.Context, to target, held *tenant) (*tenant, error) {
	if err := l.awaitWake(ctx, held); err != nil {
		return held, err
	}
	conn, err := aside(func() (*socket.Conn, error) { return l.connect(ctx, to.address) })
	if err != nil {
		return held, err
	}
	held, end := l.serve(ctx, conn, to.heartbeat, held)
	if ctx.Err() != nil {
		return held, context.Cause(ctx)
	}
	if _, permanent := errors.AsType[*PermanentError](end); permanent {
		return held, end
	}
	wait := l.note(end)
	if held.resume == nil {
		l.clear(held)
		held = nil
	}
	l.board.show(State{Phase: Waiting, Next: time.Now().Add(wait), Err: end})
	return held, pause(ctx, wait)
}

// note logs the end of a connection and says how long to rest. Two Runtimes with one profile would replace each other
// for ever, and only their operator can end that.
func (l *Link) note(end error) time.Duration {
	if !errors.Is(end, ErrReplaced) {
		l.replaced = 0
		l.config.Log.Info("connection to Core ended", "reason", end)
		return afterEnd
	}
	l.replaced++
	l.config.Log.Warn(ErrReplaced.Error(), "device", l.config.DeviceID, "times_in_a_row", l.replaced)
	return rest(l.replaced)
}

// aside runs f on a stack of its own. Dialing takes a deep one, which must not stay for the life of the connection.
func aside[T any](f func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = f()
	}()
	<-done
	return result, err
}

// address is the WebSocket's URL with the parameters of wire 6.2.
func (l *Link) address(details Details) (string, error) {
	address, err := url.Parse(details.WSURL)
	if err != nil {
		return "", errors.New("ws_url: expected a URL")
	}
	withoutToken(address)
	address.Fragment = ""
	query := address.Query()
	query.Set("device_id", l.config.DeviceID)
	query.Set("version", proto.Version)
	address.RawQuery = query.Encode()
	return address.String(), nil
}

// connect dials until a connection stands, a refusal is permanent or ctx ends.
func (l *Link) connect(ctx context.Context, address string) (*socket.Conn, error) {
	header := http.Header{"Authorization": {"Bearer " + l.config.Credential}}
	var last error
	for failures := 0; ; failures++ {
		if wait := nextDelay(failures); wait > 0 {
			l.board.show(State{Phase: Waiting, Failures: failures, Next: time.Now().Add(wait), Err: last})
			if err := pause(ctx, wait); err != nil {
				return nil, err
			}
		}
		l.board.show(State{Phase: Connecting, Failures: failures, Err: last})
		conn, err := l.config.Establisher.Dial(ctx, address, header)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		last = judgeDial(err, l.config.Credential)
		if _, permanent := errors.AsType[*PermanentError](last); permanent {
			return nil, last
		}
		l.config.Log.Warn("connecting to Core did not work", "failures", failures+1, "reason", last)
	}
}
