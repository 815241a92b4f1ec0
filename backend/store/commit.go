package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// groupMost bounds the writes that share one transaction: enough that the sync of a commit costs each of them little
// (performance 2.3), and few enough that none waits long.
const groupMost = 64

// errSpoilt: the shared transaction is gone, by the fault of one write or of the commit. Nothing of it was kept.
var errSpoilt = errors.New("the shared transaction was rolled back")

// member is one write that waits for its turn. Its sender waits for the answer.
type member struct {
	ctx    context.Context // until the writer takes it; a write that has begun is not broken off
	do     func(*work) error
	work   *work
	answer chan error // holds one
}

// committer is the one goroutine that writes. It takes whatever is waiting, runs it in one transaction with a savepoint
// for each, commits once and only then answers. A lone write waits for nobody.
type committer struct {
	store *Store
	queue chan *member  // without room: a sender may still go away
	stop  chan struct{} // closed by Close
	ended chan struct{} // closed by run

	// of the goroutine
	ready map[string]*sql.Stmt // prepared statements by their text
}

func startCommitter(s *Store) *committer {
	c := &committer{store: s, queue: make(chan *member), stop: make(chan struct{}), ended: make(chan struct{}), ready: map[string]*sql.Stmt{}}
	go c.run()
	return c
}

// close ends the goroutine and waits for it.
func (c *committer) close() {
	close(c.stop)
	<-c.ended
}

func (c *committer) run() {
	defer close(c.ended)
	for {
		select {
		case <-c.stop:
			return
		case first := <-c.queue:
			c.commit(c.gather(first))
		}
	}
}

// gather takes what waits now, without waiting for more.
func (c *committer) gather(first *member) []*member {
	group := []*member{first}
	for len(group) < groupMost {
		select {
		case next := <-c.queue:
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// commit runs a group. Where the common transaction was spoilt each member gets one of its own, so that only the one
// that spoils it fails.
func (c *committer) commit(group []*member) {
	failures, err := c.try(group)
	if errors.Is(err, errSpoilt) && len(group) > 1 {
		for _, m := range group {
			c.commit([]*member{m})
		}
		return
	}
	for i, m := range group {
		failure := err
		if failure == nil {
			failure = failures[i]
		}
		if failure == nil {
			c.store.tell(m.work.events)
		}
		m.answer <- failure
	}
	c.prepare(group)
}

// try runs a group in one transaction: the failure of each member, or the error that kept all of them from the disk.
func (c *committer) try(group []*member) ([]error, error) {
	s := c.store
	if s.damaged.Load() {
		return nil, ErrDamaged
	}
	tx, err := s.write.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, s.note(err)
	}
	defer tx.Rollback() // reports an error after Commit, which is of no interest
	failures := make([]error, len(group))
	for i, m := range group {
		m.work = &work{tx: tx, ready: c.ready}
		failures[i] = s.note(m.run(len(group) > 1))
		switch {
		case failures[i] != nil && len(group) == 1:
			return failures, nil // rolled back
		case errors.Is(failures[i], errSpoilt), s.damaged.Load():
			return nil, fmt.Errorf("%w: %w", errSpoilt, failures[i])
		}
	}
	err = s.note(tx.Commit())
	if err != nil && len(group) > 1 {
		err = fmt.Errorf("%w: %w", errSpoilt, err)
	}
	return failures, err
}

// run does a member's work, beside others in a savepoint, so that its failure leaves theirs as they are.
func (m *member) run(beside bool) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if !beside {
		return m.do(m.work)
	}
	if _, err := m.work.exec("SAVEPOINT member"); err != nil {
		return fmt.Errorf("%w: %w", errSpoilt, err)
	}
	failure := m.do(m.work)
	if failure != nil {
		// Some errors, as of a full disk, roll the whole transaction back: then there is no savepoint any more.
		if _, err := m.work.exec("ROLLBACK TO member"); err != nil {
			return fmt.Errorf("%w: %w", errSpoilt, failure)
		}
	}
	if _, err := m.work.exec("RELEASE member"); err != nil {
		return fmt.Errorf("%w: %w", errSpoilt, err)
	}
	return failure
}

// prepare keeps statements that were used without being prepared, now that the connection is free. Their texts are
// constants of this package, so that there is an end to them.
func (c *committer) prepare(group []*member) {
	for _, m := range group {
		if m.work == nil {
			continue
		}
		for _, query := range m.work.unprepared {
			if c.ready[query] != nil {
				continue
			}
			statement, err := c.store.write.Prepare(query)
			if err != nil {
				return // it goes on unprepared
			}
			c.ready[query] = statement
		}
	}
}
