package core

import (
	"errors"
	"sync"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
)

// Numbers of the worker (behaviour 8.4).
const (
	defaultConcurrency = 4
	workerTick         = 250 * time.Millisecond
	capacityPause      = time.Second // before a Session is tried again after preparation_capacity; ours
)

// worker gives queued Turns to connected Runtimes: one unit of work a Session at a time, at most so many at once.
type worker struct {
	service *Service
	slots   chan struct{}
	woken   chan struct{}

	mu   sync.Mutex
	busy map[string]time.Time // Sessions that are taken; a time says until when they rest, zero while they are worked on
}

func newWorker(s *Service, concurrency int) *worker {
	if concurrency <= 0 {
		concurrency = defaultConcurrency
	}
	return &worker{service: s, slots: make(chan struct{}, concurrency), woken: make(chan struct{}, 1), busy: map[string]time.Time{}}
}

func (w *worker) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it is about to look
	}
}

// run looks for work on every tick and wake until the Service ends.
func (w *worker) run() {
	tick := time.NewTicker(workerTick)
	defer tick.Stop()
	for {
		select {
		case <-w.service.life.Done():
			return
		case <-tick.C:
		case <-w.woken:
		}
		w.look()
	}
}

// look takes as many queued Turns as there are slots.
func (w *worker) look() {
	s := w.service
	free := cap(w.slots) - len(w.slots)
	devices := s.runtimes.Devices()
	if free == 0 || len(devices) == 0 {
		return
	}
	turns, err := s.store.NextQueued(s.life, store.Candidates{Devices: devices, Except: w.taken(), Limit: free})
	if err != nil {
		if s.life.Err() == nil {
			s.log.Error("look for queued turns", "error", err)
		}
		return
	}
	for _, turn := range turns {
		if !w.take(turn.SessionID) {
			continue
		}
		w.slots <- struct{}{} // has room: only this goroutine fills it
		s.work.Go(func() { w.execute(turn) })
	}
}

// taken lists Sessions that are being worked on or rest.
func (w *worker) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.service.now()
	var ids []string
	for id, until := range w.busy {
		if !until.IsZero() && now.After(until) {
			delete(w.busy, id)
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

func (w *worker) take(session string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, taken := w.busy[session]; taken {
		return false
	}
	w.busy[session] = time.Time{}
	return true
}

// give ends the work on a Session; with a rest it is left alone for so long.
func (w *worker) give(session string, rest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, session)
	if rest > 0 {
		w.busy[session] = w.service.now().Add(rest)
	}
}

// execute runs one Turn on a Runtime that can.
func (w *worker) execute(turn store.Turn) {
	defer func() { <-w.slots; w.wake() }()
	rest, err := w.attempt(turn)
	if err != nil && w.service.life.Err() == nil {
		w.service.log.Error("execute turn", "turn", turn.ID, "error", err)
		rest = capacityPause
	}
	w.give(turn.SessionID, rest)
}

// attempt selects the device, and executes. A rest is asked for when the Turn stays queued.
func (w *worker) attempt(turn store.Turn) (rest time.Duration, err error) {
	s := w.service
	job, err := s.jobOf(s.life, turn)
	if err != nil {
		return 0, err
	}
	peer, declared := s.selectDevice(job)
	if peer == nil {
		return capacityPause, nil // nobody suitable is connected: the Turn waits
	}
	job.peer, job.declared = peer, declared
	err = job.execute(s.life)
	if errors.Is(err, errStaysQueued) {
		return capacityPause, nil
	}
	return 0, err
}

// selectDevice picks a connected device whose declaration admits the job: the bound one for an Environment, otherwise the
// one that had the Session before, otherwise any.
func (s *Service) selectDevice(j *job) (*gateway.Connection, *declaration) {
	candidates := s.runtimes.Devices()
	if j.environment != nil {
		candidates = []string{j.environment.DeviceID}
	} else if j.session.DeviceID != "" {
		candidates = append([]string{j.session.DeviceID}, candidates...)
	}
	for _, device := range candidates {
		peer, connected := s.runtimes.Connection(device)
		if !connected {
			continue
		}
		if declared := j.admittedBy(peer); declared != nil {
			return peer, declared
		}
	}
	return nil, nil
}
