package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A peer can cause most lines of a Router as often as it likes, and a connection may last for weeks: each message gets so
// many lines a minute.
const (
	rationLines = 10
	rationTime  = time.Minute
)

// ration passes on what a message may log; the next line after a pause says how many were left out.
type ration struct {
	slog.Handler
	spent *spending
}

// spending is what the messages have had. Messages are constants, so there are few.
type spending struct {
	mu     sync.Mutex
	byText map[string]*allowance
}

type allowance struct {
	since   time.Time
	lines   int
	leftOut int
}

// rationed gives a logger on rations; without a log it is silent.
func rationed(log *slog.Logger) (*slog.Logger, *spending) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	spent := &spending{byText: map[string]*allowance{}}
	return slog.New(ration{log.Handler(), spent}), spent
}

// Handle writes the record or counts it.
func (h ration) Handle(ctx context.Context, record slog.Record) error {
	leftOut, ok := h.spent.take(record.Message, record.Time)
	if !ok {
		return nil
	}
	if leftOut > 0 {
		record = record.Clone()
		record.AddAttrs(slog.Int("left_out", leftOut))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the ration.
func (h ration) WithAttrs(attrs []slog.Attr) slog.Handler {
	return ration{h.Handler.WithAttrs(attrs), h.spent}
}

// WithGroup keeps the ration.
func (h ration) WithGroup(name string) slog.Handler {
	return ration{h.Handler.WithGroup(name), h.spent}
}

// take gives the number of lines that were left out before this one, or refuses it.
func (s *spending) take(text string, at time.Time) (leftOut int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.byText[text]
	if a == nil {
		a = &allowance{since: at}
		s.byText[text] = a
	}
	if at.Sub(a.since) >= rationTime {
		a.since, a.lines = at, 0
	}
	if a.lines >= rationLines {
		a.leftOut++
		return 0, false
	}
	a.lines++
	leftOut, a.leftOut = a.leftOut, 0
	return leftOut, true
}

// unsaid is the number of lines that were left out and of which no line told; they count as told from now on.
func (s *spending) unsaid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, a := range s.byText {
		n += a.leftOut
		a.leftOut = 0
	}
	return n
}
