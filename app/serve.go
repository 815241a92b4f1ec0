package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"parley/app/data"
	"parley/backend/server"
	"parley/backend/store"
	"parley/frontend"
	"parley/runner"
	"parley/runner/attempt"
)

// stopTime bounds the clean stop: an engine has five seconds of its own to shut down (runner 1.4), the rest is for
// answers under way.
const stopTime = runner.ShutdownBudget + time.Second

// Serve runs a lab until ctx ends or, with StopWithStdin, standard input does. It returns nil after a clean stop, and a
// *server.UnfinishedError after one that had to cut requests off: database and lock are in order then too, but the
// goroutines of those requests may still run. Errors with a remedy: *RunningError, *AddressError, and those of the store.
func Serve(ctx context.Context, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	outliveReaders()
	log := c.logger()
	place, err := data.Place(c.Data, c.Getenv)
	if err != nil {
		return err
	}
	folder, err := data.Enter(place, log)
	if err != nil {
		return err
	}
	lock, err := hold(ctx, folder)
	if err != nil {
		return refuseSecond(ctx, c, folder, err)
	}
	return errors.Join(serveFolder(ctx, c, log, folder, lock), lock.Release())
}

// refuseSecond opens the lab that runs where a person asked for one more: that is what was wanted, most likely. It stays
// a refusal (design 4).
func refuseSecond(ctx context.Context, c Config, folder data.Folder, err error) error {
	var running *RunningError
	if !errors.As(err, &running) || running.OpenURL == "" || c.NoOpen || c.JSON {
		return err
	}
	running.Visit = visit(ctx, folder, running.Held.Holder, c.Getenv)
	return err
}

// serveFolder opens what the lab needs, from the ground up, and closes it in the other order.
func serveFolder(ctx context.Context, c Config, log *slog.Logger, folder data.Folder, lock *data.Lock) error {
	credentials, err := folder.Credentials()
	if err != nil {
		return err
	}
	records, err := store.Open(ctx, folder.Database())
	if err != nil {
		return err
	}
	listener, exposed, err := listen(ctx, c.Addr, c.DangerouslyListen)
	if err != nil {
		return errors.Join(err, records.Close())
	}
	lab := &lab{config: c, log: log, folder: folder, lock: lock, credentials: credentials, records: records, exposed: exposed}
	return errors.Join(lab.serve(ctx, listener), records.Close())
}

// lab is a running lab; it belongs to the goroutine of Serve.
type lab struct {
	config      Config
	log         *slog.Logger
	folder      data.Folder
	lock        *data.Lock
	credentials data.Credentials
	records     *store.Store
	exposed     bool
}

func (l *lab) serve(ctx context.Context, listener net.Listener) error {
	core, err := newCore(ctx, l.records, listener.Addr(), l.log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := makeScenes(ctx, core.turns); err != nil {
		l.log.Warn("agents of the shipped scripts are not complete", "error", err) // the lab works without
	}
	handler, err := l.handler(listener.Addr(), core)
	if err != nil {
		core.turns.Close()
		core.close()
		return errors.Join(err, listener.Close())
	}
	// Requests outlive the wish to stop by the time it takes to stop in order; Stop ends them.
	face := server.NewFace(context.WithoutCancel(ctx), handler, l.log)
	failed := make(chan error, 1)
	go func() { failed <- face.Serve(listener) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go returnMemory(ctx)
	if l.config.StopWithStdin {
		go l.watchStdin(cancel)
	}
	url := "http://" + listener.Addr().String()
	own, err := l.startRuntime(ctx, url)
	if err == nil {
		core.own.Store(own)
		err = l.announce(ctx, url)
	}
	if err == nil {
		select {
		case <-ctx.Done():
		case broken := <-failed:
			failed <- nil // it has ended; what was started is still to be ended below
			err = fmt.Errorf("serve: %w", broken)
		}
	}
	l.log.Info("stopping")
	core.turns.Close() // first: what runs stays as it is on the disk, and the next start tells the truth about it
	own.end()          // before the gateway, so that it can still tell what it ends
	core.close()
	stop, cancelStop := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancelStop()
	err = errors.Join(err, l.lock.Announce(""), face.Stop(stop))
	<-failed
	if err == nil {
		l.log.Info("stopped")
	}
	return err
}

// startRuntime starts the lab's own Runtime, unless it is not wanted or the lab listens where its port is not reached
// from here.
func (l *lab) startRuntime(ctx context.Context, url string) (*embedded, error) {
	if l.config.NoDaemon || l.exposed {
		return nil, nil
	}
	return startEmbedded(ctx, l.folder, l.records, url, l.log)
}

func (l *lab) handler(addr net.Addr, core *core) (*server.Server, error) {
	service, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now, Log: l.log})
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, fmt.Errorf("read the listener's address: %w", err)
	}
	public, err := l.publicAPI(core)
	if err != nil {
		return nil, err
	}
	return server.New(server.Options{
		Runner: service, Store: l.records, Machine: core.machine, Core: core, Sessions: core.turns, API: public, Port: port,
		SessionKey: l.credentials.SessionKey, Start: l.lock.StartID(), APIKey: l.credentials.APIKey,
		Lab:  frontend.Lab{Version: Version(), Platform: Platform(), Address: addr.String()},
		Data: l.folder.Path(), Now: time.Now, Log: l.log, Exposed: l.exposed,
	})
}

// announce tells the lock file, the caller and the browser where the lab is. The port is bound by now.
func (l *lab) announce(ctx context.Context, url string) error {
	ready := Ready{URL: url, Data: l.folder.Path(), PID: os.Getpid(), APIKeyFile: l.credentials.APIKeyFile}
	if !l.exposed {
		if err := l.lock.Announce(url); err != nil {
			return err
		}
		ready.OpenURL = server.OpenLink(url, l.credentials.SessionKey, l.lock.StartID(), time.Now())
	}
	write := ready.writeText
	if l.config.JSON {
		write = ready.writeJSON
	}
	if err := write(l.config.Stdout); err != nil {
		return fmt.Errorf("say that the lab is ready: %w", err)
	}
	l.log.Info("ready", "url", url, "data", ready.Data, "pid", ready.PID, "exposed", l.exposed)
	if !l.config.NoOpen && ready.OpenURL != "" {
		l.openBrowser(ctx)
	}
	return nil
}

// watchStdin ends the lab when its standard input closes. It ends with the process, as reading cannot be interrupted.
func (l *lab) watchStdin(stop func()) {
	_, _ = io.Copy(io.Discard, l.config.Stdin) // an error ends it as well
	stop()
}
