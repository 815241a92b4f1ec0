package drive

import (
	"bytes"
	"context"
	"errors"
	"io"

	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// begin is how one act is begun: by the frame that it sends.
type begin struct {
	sends proto.Type
	do    func(d *Driver, ctx context.Context, c *gateway.Connection, frame proto.Frame, body []byte) error
}

// acts is the table of what a driver does.
func acts() map[string]begin {
	return map[string]begin{
		"prepare":         {proto.TypeExecutionPrepare, (*Driver).prepare},
		"start":           {proto.TypeExecutionStart, (*Driver).start},
		"release":         {proto.TypeExecutionRelease, (*Driver).release},
		"cancel":          {proto.TypePromptCancel, (*Driver).cancel},
		"function_result": {proto.TypeFunctionResult, (*Driver).functionResult},
		"steer":           {proto.TypePromptSteer, (*Driver).steer},
		"read":            {proto.TypeWorkspaceRead, (*Driver).read},
		"write":           {proto.TypeWorkspaceWrite, (*Driver).write},
		"runtime_prepare": {proto.TypeRuntimePrepare, (*Driver).runtimePrepare},
		"export":          {proto.TypeWorkspaceExport, (*Driver).export},
		"quiesce":         {proto.TypeEnvironmentQuiesce, (*Driver).quiesce},
		"resume":          {proto.TypeEnvironmentResume, (*Driver).resume},
	}
}

func (d *Driver) prepare(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	sub, err := c.SubscribePreparation(frame.ID)
	if err != nil {
		return err
	}
	d.observe(wiretest.Watch{Of: "preparation", ID: frame.ID}, func(ctx context.Context, tell func(wiretest.Observation)) {
		defer sub.Unsubscribe()
		for {
			select {
			case status, open := <-sub.Statuses():
				if !open {
					tell(wiretest.Observation{End: ended(sub.Err())})
					return
				}
				tell(wiretest.Observation{Frame: string(proto.TypePreparationStatus), Payload: encoded(status)})
			case <-ctx.Done():
				return
			}
		}
	})
	return c.Send(ctx, frame)
}

func (d *Driver) start(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	request := frame.Payload.(*proto.ExecutionStart)
	sub, err := c.SubscribeDurable(request.RunID)
	if err != nil {
		return err
	}
	d.observe(wiretest.Watch{Of: "run", ID: request.RunID}, func(ctx context.Context, tell func(wiretest.Observation)) {
		defer sub.Unsubscribe()
		for {
			select {
			case output, open := <-sub.Events():
				if !open {
					tell(wiretest.Observation{End: ended(sub.Err())})
					return
				}
				tell(seen(output))
			case <-ctx.Done():
				return
			}
		}
	})
	return c.Send(ctx, frame)
}

// seen is a frame of a Run as it was received, with a body of its own: the frame's keeps the whole message.
func seen(frame proto.Frame) wiretest.Observation {
	o := wiretest.Observation{Frame: string(frame.Type), Payload: bytes.Clone(frame.Raw)}
	if len(frame.Raw) == 0 {
		o.Payload = []byte("{}")
	}
	return o
}

// ended names how a subscription ended.
func ended(err error) string {
	switch {
	case err == nil:
		return wiretest.EndedClosed
	case errors.Is(err, gateway.ErrOverflow):
		return wiretest.EndedOverflow
	case errors.Is(err, gateway.ErrSessionClosed):
		return wiretest.EndedLost
	}
	return wiretest.EndedInvalid
}

func (d *Driver) release(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	return c.Send(ctx, frame)
}

func (d *Driver) cancel(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	delivery := frame.Payload.(*proto.PromptCancel).DeliveryID
	return d.decide(ctx, c, frame, wiretest.Watch{Of: "cancel", ID: delivery})
}

func (d *Driver) functionResult(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	delivery := frame.Payload.(*proto.FunctionResult).DeliveryID
	return d.decide(ctx, c, frame, wiretest.Watch{Of: "function_result", ID: delivery})
}

// decide waits for a receipt by delivery id, if there is one, and sends.
func (d *Driver) decide(ctx context.Context, c *gateway.Connection, frame proto.Frame, of wiretest.Watch) error {
	if of.ID == "" {
		return c.Send(ctx, frame)
	}
	waiter, err := c.AwaitDecision(of.ID)
	if err != nil {
		return err
	}
	d.observe(of, func(ctx context.Context, tell func(wiretest.Observation)) {
		defer waiter.Close()
		ack, err := waiter.Wait(ctx)
		tell(result(&ack, err))
	})
	return c.Send(ctx, frame)
}

func (d *Driver) steer(ctx context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	inputID := frame.Payload.(*proto.PromptSteer).InputID
	waiter, err := c.AwaitInput(frame.ID, inputID)
	if err != nil {
		return err
	}
	d.observe(wiretest.Watch{Of: "steer", ID: inputID}, func(ctx context.Context, tell func(wiretest.Observation)) {
		defer waiter.Close()
		for {
			ack, err := waiter.Wait(ctx)
			tell(result(&ack, err))
			if err != nil || !ack.Written {
				return
			}
		}
	})
	return c.Send(ctx, frame)
}

// operate runs a whole exchange and tells its end.
func (d *Driver) operate(of wiretest.Watch, exchange func(ctx context.Context) (any, error)) error {
	d.observe(of, func(ctx context.Context, tell func(wiretest.Observation)) {
		payload, err := exchange(ctx)
		tell(result(payload, err))
	})
	return nil
}

func (d *Driver) read(_ context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	return d.operate(wiretest.Watch{Of: "read", ID: frame.ID}, func(ctx context.Context) (any, error) {
		result, err := c.Read(ctx, frame.ID, *frame.Payload.(*proto.WorkspaceRead))
		return &result, err
	})
}

func (d *Driver) write(_ context.Context, c *gateway.Connection, frame proto.Frame, body []byte) error {
	return d.operate(wiretest.Watch{Of: "write", ID: frame.ID}, func(ctx context.Context) (any, error) {
		result, err := c.Write(ctx, frame.ID, *frame.Payload.(*proto.WorkspaceWrite), bytes.NewReader(body))
		return &result, err
	})
}

func (d *Driver) runtimePrepare(_ context.Context, c *gateway.Connection, frame proto.Frame, body []byte) error {
	begin := frame.Payload.(*proto.RuntimePrepare)
	var content io.ReadSeeker // nil for an action without bytes
	if begin.Action != proto.ActionInitialize && begin.Action != proto.ActionFinalize {
		content = bytes.NewReader(body)
	}
	return d.operate(wiretest.Watch{Of: "runtime_prepare", ID: frame.ID}, func(ctx context.Context) (any, error) {
		result, err := c.RunPreparation(ctx, frame.ID, *begin, content)
		return &result, err
	})
}

func (d *Driver) export(_ context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	request := frame.Payload.(*proto.WorkspaceExport)
	return d.operate(wiretest.Watch{Of: "export", ID: frame.ID}, func(ctx context.Context) (any, error) {
		archive, err := c.Export(ctx, frame.ID, request.Handle, request.EnvironmentID)
		if err != nil {
			return nil, err
		}
		size, err := io.Copy(io.Discard, archive)
		return map[string]int64{"size_bytes": size}, errors.Join(err, archive.Close())
	})
}

func (d *Driver) quiesce(_ context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	asked := frame.Payload.(*proto.EnvironmentQuiesce).Suspension
	return d.operate(wiretest.Watch{Of: "quiesce", ID: frame.ID}, func(ctx context.Context) (any, error) {
		return accepted(asked), c.Quiesce(ctx, frame.ID, asked)
	})
}

func (d *Driver) resume(_ context.Context, c *gateway.Connection, frame proto.Frame, _ []byte) error {
	asked := frame.Payload.(*proto.EnvironmentResume).Suspension
	return d.operate(wiretest.Watch{Of: "resume", ID: frame.ID}, func(ctx context.Context) (any, error) {
		return accepted(asked), c.Resume(ctx, frame.ID, asked)
	})
}

// accepted is the reply that nil stands for.
func accepted(asked proto.Suspension) proto.SuspensionReply {
	return proto.SuspensionReply{EnvironmentID: asked.EnvironmentID, SuspendID: asked.SuspendID, Accepted: true}
}
