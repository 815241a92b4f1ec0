package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// Numbers of delivery (behaviour 8.5).
const (
	statePoll   = 250 * time.Millisecond
	sendTime    = 3 * time.Second
	finishTime  = 10 * time.Second
	prepareTime = proto.AdmissionLife // an admission is over after that, so nothing comes any more
)

// ready is an admission that waits for its start.
type ready struct {
	request  string
	sub      *gateway.PreparationSubscription
	executor string
	handle   string
}

// execute takes the Turn through preparation, claim and Run (behaviour 8.4). errStaysQueued leaves it for another time.
func (j *job) execute(ctx context.Context) error {
	admission, err := j.prepare(ctx, j.turn.ID)
	if err != nil {
		return j.unprepared(err)
	}
	if err := j.claim(ctx, admission); err != nil {
		return err
	}
	again, err := j.run(ctx, admission, j.turn.ID)
	if !again {
		return err
	}
	return j.recover(ctx)
}

// recover prepares and starts once more after executor_unavailable, on the same peer (behaviour 8.4).
func (j *job) recover(ctx context.Context) error {
	run := j.turn.ID + "-2"
	admission, err := j.prepare(ctx, run)
	if err != nil {
		return j.fail(CodeRecoveryFailed, err)
	}
	again, err := j.run(ctx, admission, run)
	if again {
		return j.fail(CodeRecoveryFailed, errExecutorUnavailable)
	}
	return err
}

// refusedError is a preparation or start that the Runtime refused.
type refusedError struct{ code string }

func (e *refusedError) Error() string { return "refused by the runtime: " + e.code }

var (
	errExecutorUnavailable = errors.New("the executor is not available")
	errAbandoned           = errors.New("turn is no longer queued")
	errStreamEnded         = errors.New("statuses of the preparation ended")
)

// prepare asks for an admission; the Turn is still queued. The subscription comes before the send (behaviour 4.1).
func (j *job) prepare(ctx context.Context, request string) (*ready, error) {
	sub, err := j.peer.SubscribePreparation("prepare-" + request)
	if err != nil {
		return nil, err
	}
	a := &ready{request: "prepare-" + request, sub: sub}
	frame := proto.New(a.request, &proto.ExecutionPrepare{SessionID: j.session.ID,
		Configuration: configurationOf(j.session, j.agent, j.environment)})
	if err := j.send(ctx, frame); err != nil {
		sub.Unsubscribe()
		return nil, err
	}
	if err := j.awaitReady(ctx, a); err != nil {
		sub.Unsubscribe()
		return nil, err
	}
	return a, nil
}

// awaitReady follows the statuses up to ready. A cancel of the queued Turn releases the admission quietly.
func (j *job) awaitReady(ctx context.Context, a *ready) error {
	limit := time.NewTimer(prepareTime)
	defer limit.Stop()
	poll := time.NewTicker(statePoll)
	defer poll.Stop()
	for {
		select {
		case status, open := <-a.sub.Statuses():
			if !open {
				return errors.Join(errStreamEnded, a.sub.Err())
			}
			a.executor, a.handle = status.ExecutorID, status.Handle
			switch status.State {
			case proto.StateReady:
				return nil
			case proto.StatePreparing:
			default:
				return &refusedError{code: status.ErrorCode}
			}
		case <-poll.C:
			if !j.stillQueued(ctx) {
				j.release(ctx, a)
				return errAbandoned
			}
		case <-limit.C:
			j.release(ctx, a)
			return errStreamEnded
		case <-ctx.Done():
			j.release(context.WithoutCancel(ctx), a)
			return context.Cause(ctx)
		}
	}
}

func (j *job) stillQueued(ctx context.Context) bool {
	if j.turn.Status != store.TurnQueued {
		return true // claimed already: this is the second attempt
	}
	turn, err := j.service.store.Turn(ctx, j.turn.ID)
	return err != nil || turn.Status == store.TurnQueued
}

// release gives up an admission that is not started; best effort, as it expires by itself.
func (j *job) release(ctx context.Context, a *ready) {
	if a.handle == "" {
		return
	}
	if err := j.send(ctx, proto.New(a.request, &proto.ExecutionRelease{Handle: a.handle})); err != nil {
		j.service.log.Debug("release admission", "turn", j.turn.ID, "error", err)
	}
}

// unprepared decides about a Turn that got no admission: preparation_capacity leaves it queued and nothing else does.
func (j *job) unprepared(err error) error {
	var refused *refusedError
	switch {
	case errors.Is(err, errAbandoned):
		return nil // it was cancelled meanwhile
	case j.service.life.Err() != nil, errors.Is(err, gateway.ErrBusy):
		return errStaysQueued // nothing was sent, or this process ends and the admission with it
	case errors.As(err, &refused) && refused.code == proto.CodePreparationCapacity:
		return errStaysQueued
	case errors.As(err, &refused):
		return j.fail(CodeUnavailable, err)
	case errors.Is(err, errStreamEnded):
		return j.fail(CodePreparationEnded, err)
	case errors.Is(err, gateway.ErrSessionClosed):
		return j.fail(CodeDisconnected, err)
	}
	return j.fail(CodeDeliveryUnknown, err)
}

// claim takes the Turn out of the queue, after one more look at the declaration (behaviour 8.4).
func (j *job) claim(ctx context.Context, a *ready) error {
	s := j.service
	declared := j.admittedBy(j.peer)
	if declared == nil {
		j.release(ctx, a)
		a.sub.Unsubscribe()
		return errStaysQueued
	}
	j.declared = declared
	turn, err := s.store.ClaimTurn(ctx, j.turn.ID, store.Attempt{RunID: j.turn.ID, DeviceID: j.peer.Device(),
		Declaration: declared.text, At: s.now()}, describeClaimed)
	if err != nil {
		j.release(ctx, a)
		a.sub.Unsubscribe()
		if errors.Is(err, store.ErrChanged) {
			return nil
		}
		return fmt.Errorf("claim turn %q: %w", j.turn.ID, err)
	}
	j.turn = turn
	return nil
}

// send queues one frame within the limit of a send.
func (j *job) send(ctx context.Context, frame proto.Frame) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return j.peer.Send(ctx, frame)
}

// run subscribes to the Run, starts it and follows it to its end. Again says that no Turn came out of the start and
// nothing was observed, so that one more attempt is allowed.
func (j *job) run(ctx context.Context, a *ready, run string) (again bool, err error) {
	defer a.sub.Unsubscribe()
	sub, err := j.peer.SubscribeDurable(run)
	if err != nil {
		return false, j.fail(CodeDisconnected, err)
	}
	defer sub.Unsubscribe()
	start := proto.New(a.request, &proto.ExecutionStart{ExecutorID: a.executor, Handle: a.handle, RunID: run, Input: j.messages})
	d := newDelivery(j, a, sub, run)
	defer d.close()
	if err := j.send(ctx, start); err != nil {
		return false, d.fail(CodeDeliveryUnknown, err)
	}
	return d.follow(ctx)
}

// contentOfCall reads the answer that a call holds.
func contentOfCall(call store.Call) (toolResult, error) {
	var result toolResult
	if err := json.Unmarshal(call.Result, &result); err != nil {
		return result, fmt.Errorf("read answer of call %q: %w", call.CallID, err)
	}
	if result.Content == nil {
		result.Content = []proto.InputContent{}
	}
	return result, nil
}
