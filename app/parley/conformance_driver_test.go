package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// gatewayDriver makes our own gateway act. It shows how little a driver is.
type gatewayDriver struct {
	gateway *gateway.Gateway
	device  string
	ctx     context.Context // of everything that runs beside Do
	work    sync.WaitGroup
	mu      sync.Mutex
	seen    map[wiretest.Watch]chan wiretest.Observation
}

func newGatewayDriver(ctx context.Context, g *gateway.Gateway, device string) *gatewayDriver {
	return &gatewayDriver{gateway: g, device: device, ctx: ctx, seen: map[wiretest.Watch]chan wiretest.Observation{}}
}

// Connected waits for registration and the first heartbeat.
func (d *gatewayDriver) Connected(ctx context.Context, device string) error {
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for {
		c, err := d.gateway.WaitConnected(ctx, device)
		if err != nil {
			return err
		}
		if _, known := c.Kinds(); known && c.Device() == device {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Observe gives the next of what a watch collected.
func (d *gatewayDriver) Observe(ctx context.Context, of wiretest.Watch, wait time.Duration) (wiretest.Observation, error) {
	d.mu.Lock()
	seen, known := d.seen[of]
	d.mu.Unlock()
	if !known {
		return wiretest.Observation{}, fmt.Errorf("nothing watches %s %q", of.Of, of.ID)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case o := <-seen:
		return o, nil
	case <-timer.C:
		return wiretest.Observation{Pending: true}, nil
	case <-ctx.Done():
		return wiretest.Observation{}, context.Cause(ctx)
	}
}

// watch collects what collect gives, beside the caller.
func (d *gatewayDriver) watch(of, id string, collect func(chan<- wiretest.Observation)) {
	seen := make(chan wiretest.Observation, 2*proto.RunBuffer)
	d.mu.Lock()
	d.seen[wiretest.Watch{Of: of, ID: id}] = seen
	d.mu.Unlock()
	d.work.Go(func() { collect(seen) })
}

// Do begins an act.
func (d *gatewayDriver) Do(ctx context.Context, act wiretest.Act) error {
	c, online := d.gateway.Connection(d.device)
	if !online {
		return errors.New("the device is not connected")
	}
	frame, err := frameOf(act)
	if err != nil {
		return err
	}
	switch p := frame.Payload.(type) {
	case *proto.ExecutionPrepare:
		err = d.watchPreparation(c, act.ID)
	case *proto.ExecutionStart:
		err = d.watchRun(c, p.RunID)
	case *proto.PromptCancel:
		err = d.watchDecision(c, "cancel", p.DeliveryID)
	case *proto.FunctionResult:
		err = d.watchDecision(c, "function_result", p.DeliveryID)
	case *proto.PromptSteer:
		err = d.watchInput(c, act.ID, p.InputID)
	case *proto.ExecutionRelease:
	default:
		d.operate(c, act, frame.Payload)
		return nil
	}
	if err != nil {
		return err
	}
	return c.Send(ctx, frame)
}

func frameOf(act wiretest.Act) (proto.Frame, error) {
	types := map[string]proto.Type{"prepare": proto.TypeExecutionPrepare, "start": proto.TypeExecutionStart,
		"release": proto.TypeExecutionRelease, "cancel": proto.TypePromptCancel, "steer": proto.TypePromptSteer,
		"function_result": proto.TypeFunctionResult, "read": proto.TypeWorkspaceRead, "write": proto.TypeWorkspaceWrite,
		"export": proto.TypeWorkspaceExport, "runtime_prepare": proto.TypeRuntimePrepare,
		"quiesce": proto.TypeEnvironmentQuiesce, "resume": proto.TypeEnvironmentResume}
	message, err := json.Marshal(map[string]any{"type": types[act.Do], "id": act.ID, "payload": act.Payload})
	if err != nil {
		return proto.Frame{}, err
	}
	frame, err := proto.Decode(message)
	return frame, errors.Join(err, frame.Fault)
}

func (d *gatewayDriver) watchPreparation(c *gateway.Connection, id string) error {
	sub, err := c.SubscribePreparation(id)
	if err != nil {
		return err
	}
	d.watch("preparation", id, func(seen chan<- wiretest.Observation) {
		for status := range sub.Statuses() {
			seen <- wiretest.Observation{Frame: string(status.Type()), Payload: encoded(status)}
		}
		seen <- streamEnd(sub.Err())
	})
	return nil
}

func (d *gatewayDriver) watchRun(c *gateway.Connection, id string) error {
	sub, err := c.SubscribeDurable(id)
	if err != nil {
		return err
	}
	d.watch("run", id, func(seen chan<- wiretest.Observation) {
		for frame := range sub.Events() {
			seen <- wiretest.Observation{Frame: string(frame.Type), Payload: encoded(frame.Payload)}
		}
		seen <- streamEnd(sub.Err())
	})
	return nil
}

func (d *gatewayDriver) watchDecision(c *gateway.Connection, of, delivery string) error {
	if delivery == "" {
		return nil
	}
	waiter, err := c.AwaitDecision(delivery)
	if err != nil {
		return err
	}
	d.watch(of, delivery, func(seen chan<- wiretest.Observation) {
		ack, err := waiter.Wait(d.ctx)
		seen <- resulted(&ack, err)
	})
	return nil
}

func (d *gatewayDriver) watchInput(c *gateway.Connection, run, input string) error {
	waiter, err := c.AwaitInput(run, input)
	if err != nil {
		return err
	}
	d.watch("steer", input, func(seen chan<- wiretest.Observation) {
		defer waiter.Close()
		for {
			ack, err := waiter.Wait(d.ctx)
			seen <- resulted(&ack, err)
			if err != nil || ack.Accepted || ack.ErrorCode != "" {
				return
			}
		}
	})
	return nil
}

// operate runs a whole exchange beside the caller.
func (d *gatewayDriver) operate(c *gateway.Connection, act wiretest.Act, payload proto.Payload) {
	d.watch(act.Do, act.ID, func(seen chan<- wiretest.Observation) { seen <- d.exchange(c, act, payload) })
}

func (d *gatewayDriver) exchange(c *gateway.Connection, act wiretest.Act, payload proto.Payload) wiretest.Observation {
	var body io.ReadSeeker // none for a step without bytes
	if len(act.Body) > 0 {
		body = bytes.NewReader(act.Body)
	}
	switch p := payload.(type) {
	case *proto.WorkspaceRead:
		result, err := c.Read(d.ctx, act.ID, *p)
		return resulted(&result, err)
	case *proto.WorkspaceWrite:
		result, err := c.Write(d.ctx, act.ID, *p, body)
		return resulted(&result, err)
	case *proto.RuntimePrepare:
		result, err := c.RunPreparation(d.ctx, act.ID, *p, body)
		return resulted(&result, err)
	case *proto.EnvironmentQuiesce:
		err := c.Quiesce(d.ctx, act.ID, p.Suspension)
		return resulted(&proto.EnvironmentQuiesced{SuspensionReply: proto.SuspensionReply{EnvironmentID: p.EnvironmentID,
			SuspendID: p.SuspendID, Accepted: true}}, err)
	case *proto.EnvironmentResume:
		err := c.Resume(d.ctx, act.ID, p.Suspension)
		return resulted(&proto.EnvironmentResumed{SuspensionReply: proto.SuspensionReply{EnvironmentID: p.EnvironmentID,
			SuspendID: p.SuspendID, Accepted: true}}, err)
	case *proto.WorkspaceExport:
		return d.export(c, act.ID, p)
	}
	return wiretest.Observation{Failed: fmt.Sprintf("no act %q", act.Do)}
}

func (d *gatewayDriver) export(c *gateway.Connection, id string, begin *proto.WorkspaceExport) wiretest.Observation {
	archive, err := c.Export(d.ctx, id, begin.Handle, begin.EnvironmentID)
	if err != nil {
		return resulted(nil, err)
	}
	defer archive.Close()
	n, err := io.Copy(io.Discard, archive)
	if err != nil {
		return resulted(nil, err)
	}
	return wiretest.Observation{Result: json.RawMessage(fmt.Sprintf(`{"size_bytes":%d}`, n))}
}

func encoded(payload proto.Payload) json.RawMessage {
	data, err := proto.EncodePayload(payload)
	if err != nil {
		return json.RawMessage(`"cannot be encoded"`)
	}
	return data
}

// resulted tells a result, or what became of it.
func resulted(result proto.Payload, err error) wiretest.Observation {
	var refused *gateway.RefusedError
	switch {
	case err == nil:
		return wiretest.Observation{Result: encoded(result)}
	case errors.As(err, &refused):
		return wiretest.Observation{Refused: refused.Code}
	case errors.Is(err, gateway.ErrSessionClosed):
		return wiretest.Observation{Failed: wiretest.EndedLost}
	case errors.Is(err, gateway.ErrNoAnswer):
		return wiretest.Observation{Failed: wiretest.FailedTimeout}
	case errors.Is(err, gateway.ErrUnconfirmed):
		return wiretest.Observation{Failed: wiretest.FailedUnconfirmed}
	}
	return wiretest.Observation{Failed: err.Error()}
}

// streamEnd tells how a subscription closed.
func streamEnd(err error) wiretest.Observation {
	var fault *gateway.ObservationError
	switch {
	case err == nil:
		return wiretest.Observation{End: wiretest.EndedClosed}
	case errors.Is(err, gateway.ErrOverflow):
		return wiretest.Observation{End: wiretest.EndedOverflow}
	case errors.As(err, &fault):
		return wiretest.Observation{End: wiretest.EndedInvalid}
	}
	return wiretest.Observation{End: wiretest.EndedLost}
}
