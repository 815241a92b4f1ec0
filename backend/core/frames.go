package core

import (
	"context"
	"errors"

	"parley/daemon/proto"
)

// frame takes one frame of the Run. What it shows is journalled; what it asks for is done; done ends nothing by itself:
// the stream closes after it.
func (d *delivery) frame(ctx context.Context, frame proto.Frame) *ending {
	d.observed = true
	now := d.service.now()
	switch p := frame.Payload.(type) {
	case *proto.Delta:
		d.projection.delta(p, now)
	case *proto.Thinking:
		d.projection.thinking(p, now)
	case *proto.OutputMessage:
		d.projection.message(p, now)
	case *proto.ToolCall:
		d.projection.tool(p, now)
	case *proto.CommandOutput:
		d.projection.commandOutput(p, now)
	case *proto.Usage:
		d.measured(p)
	case *proto.Failure:
		d.failed(p)
	case *proto.Done:
		d.merge(*p)
	case *proto.FunctionCall:
		d.projection.function(p, now)
		if end := d.persist(ctx); end != nil {
			return end
		}
		return d.opened(ctx, p)
	case *proto.FunctionCallWithdrawn:
		d.projection.withdrawn(p, now)
		return d.withdrawn(ctx, p.CallID)
	case *proto.SubagentIdentity, *proto.SubagentLifecycle, *proto.SubagentTurn, *proto.SubagentItem, *proto.SubagentCoordination:
		if !d.agent.subagents() {
			return &ending{code: CodeNotSupported, cause: errors.New("the runtime told of a child that was not asked for")}
		}
		d.projection.subagent(frame, now)
	}
	if d.projection.full() {
		return d.persist(ctx)
	}
	return nil
}

// measured replaces the usage: snapshots are cumulative and never added (behaviour 6.2).
func (d *delivery) measured(usage *proto.Usage) {
	if d.usage == nil || !usage.Zero() {
		d.usage = usage
	}
}

// failed keeps an error of the engine. A later accepted classification replaces an earlier one; a frame without one
// leaves it (behaviour 6.3).
func (d *delivery) failed(failure *proto.Failure) {
	d.failure = failure
	if failure.Code != "" {
		d.engine.EngineErrorCode, d.engine.EngineHTTPStatus = failure.Code, failure.HTTPStatus
	}
}

// persist writes what the projection gathered. What cannot be kept ends the Turn: nothing is shown that is not stored.
func (d *delivery) persist(ctx context.Context) *ending {
	for {
		journal, more := d.projection.take()
		if len(journal.Events)+len(journal.Items) == 0 {
			return nil
		}
		if err := d.service.store.AppendJournal(ctx, d.session.ID, journal); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return &ending{code: CodePersistence, cause: err}
		}
		if !more {
			return nil
		}
	}
}
