package main

import (
	"os"
	"os/signal"
	"time"

	"parley/daemon/transport"
)

// waker brings a suspended Runtime back: on a signal, or some time after the suspension.
type waker struct {
	after     time.Duration  // 0: only on the signal
	suspended chan struct{}  // a suspension has begun
	signals   chan os.Signal // never filled where there is no such signal
}

func newWaker(after time.Duration) *waker {
	return &waker{after: after, suspended: make(chan struct{}, 1), signals: make(chan os.Signal, 1)}
}

// notice learns of a suspension; it returns at once.
func (w *waker) notice(s transport.State) {
	if s.Phase != transport.Suspended || w.after <= 0 {
		return
	}
	select {
	case w.suspended <- struct{}{}:
	default: // the one before is being waited out
	}
}

// attach calls wake whenever it is time, until detach is called.
func (w *waker) attach(wake func()) (detach func()) {
	notifyWake(w.signals)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.watch(wake, done)
	}()
	return func() {
		signal.Stop(w.signals)
		close(done)
		<-ended
	}
}

func (w *waker) watch(wake func(), done <-chan struct{}) {
	var due <-chan time.Time
	for {
		select {
		case <-done:
			return
		case <-w.suspended:
			due = time.After(w.after)
		case <-due:
			due = nil
			wake()
		case <-w.signals:
			due = nil
			wake()
		}
	}
}
