package core

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
)

// Runtimes is what Core needs of the gateway.
type Runtimes interface {
	Connection(deviceID string) (*gateway.Connection, bool)
	Devices() []string // connected ones
}

// Config is what a Service is made of. All but Concurrency and Now are required.
type Config struct {
	Store       *store.Store
	Runtimes    Runtimes
	Log         *slog.Logger
	Concurrency int              // Turns executed at a time; 0: 4 (behaviour 8.4)
	Now         func() time.Time // nil: time.Now
}

// Service is the durable Core. Its methods may be called by many goroutines.
type Service struct {
	store    *store.Store
	runtimes Runtimes
	log      *slog.Logger
	now      func() time.Time
	hub      *hub
	usages   usages
	worker   *worker
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup
}

// New reconciles what an earlier process left (behaviour 8.5) and starts the worker. Close ends it.
func New(ctx context.Context, c Config) (*Service, error) {
	if c.Store == nil || c.Runtimes == nil || c.Log == nil {
		return nil, errors.New("make core: store, runtimes and log are required")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Service{store: c.Store, runtimes: c.Runtimes, log: c.Log, now: c.Now, hub: newHub(), usages: usages{sum: map[string]counted{}}}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	c.Store.Follow(s.hub.tell)
	if err := s.reconcile(ctx); err != nil {
		return nil, err
	}
	s.worker = newWorker(s, c.Concurrency)
	s.work.Go(s.worker.run)
	return s, nil
}

// Close stops taking Turns, leaves those that run as they are on the disk and waits for its goroutines. The next start
// finds them and tells the truth about them.
func (s *Service) Close() {
	s.end()
	s.work.Wait()
	s.hub.close()
}

// Wake makes the worker look at once: a Runtime has become available, or there is something new to do.
func (s *Service) Wake() { s.worker.wake() }

func (s *Service) reconcile(ctx context.Context) error {
	report, err := s.store.Reconcile(ctx, s.now(), describeInterrupted, describeEnvironment)
	if err != nil {
		return err
	}
	if len(report.Turns)+len(report.Environments)+report.Writes > 0 {
		s.log.Info("found unfinished work of an earlier start", "turns", len(report.Turns),
			"environments", len(report.Environments), "calls", report.Calls, "writes", report.Writes)
	}
	return nil
}
