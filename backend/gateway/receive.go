package gateway

import (
	"strings"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// loggedDrops bounds the lines that one connection's useless frames may cause; the rest is only counted.
const loggedDrops = 10

// receive takes one message. A message that is no frame, and a frame that nobody waits for, is dropped and the connection
// kept (wire 1.6).
func (c *Connection) receive(message socket.Message) {
	if !message.Text {
		c.drop("binary message", proto.Frame{})
		return
	}
	f, err := proto.Decode(message.Data)
	if err != nil {
		c.drop("no envelope", proto.Frame{})
		return
	}
	c.route(detached(f, message.Data))
}

// route hands a frame to whoever waits for it.
func (c *Connection) route(f proto.Frame) {
	switch f.Type {
	case proto.TypeHeartbeat:
		c.heartbeat(f)
	case proto.TypePreparationStatus:
		c.claimed(f, c.preparations.deliver(f))
	case proto.TypeDecisionAck:
		c.decided(f)
	case proto.TypePromptSteerAck:
		c.steered(f)
	case proto.TypeWorkspaceReadResult:
		c.answer(&c.reads, f.ID, f)
	case proto.TypeEnvironmentQuiesced, proto.TypeEnvironmentResumed:
		c.answer(&c.suspensions, f.ID, f)
	case proto.TypeWorkspaceWriteResult:
		c.answer(&c.writes, f.ID, f)
	case proto.TypeRuntimePrepareResult:
		c.answer(&c.initializations, f.ID, f)
	case proto.TypeWorkspaceExportResult:
		c.exported(f)
	default:
		c.observed(f)
	}
}

// observed is a frame of a Run, or of a type that this program does not know.
func (c *Connection) observed(f proto.Frame) {
	kind, known := proto.KindOf(f.Type)
	if known && kind.To != proto.ToCore {
		c.drop("a type that Core does not take", f)
		return
	}
	c.claimed(f, c.runs.deliver(f, known))
}

// decided is a receipt of a cancellation or function result. One that does not decode has no delivery id: it proves
// nothing (wire 1.2).
func (c *Connection) decided(f proto.Frame) {
	ack, ok := f.Payload.(*proto.DecisionAck)
	if !ok {
		c.drop("a receipt that does not decode", f)
		return
	}
	c.answer(&c.decisions, strings.TrimSpace(ack.DeliveryID), f)
}

func (c *Connection) steered(f proto.Frame) {
	ack, ok := f.Payload.(*proto.PromptSteerAck)
	if !ok {
		c.drop("a receipt that does not decode", f)
		return
	}
	c.answer(&c.inputs, inputKey(f.ID, ack.InputID), f)
}

// exported is a piece of an export. One that was not asked for ends the connection (behaviour 4.2): the pieces after it
// could not be told apart.
func (c *Connection) exported(f proto.Frame) {
	if c.answer(&c.exports, f.ID, f) == extra {
		c.shut(proto.CloseProtocol, "a piece of an export that was not asked for")
	}
}

func (c *Connection) answer(family *pending, key string, f proto.Frame) delivery {
	result := family.deliver(key, f)
	c.claimed(f, result != unclaimed)
	return result
}

func (c *Connection) claimed(f proto.Frame, claimed bool) {
	if !claimed {
		c.drop("nobody waits for it", f)
	}
}

// drop says that a frame is useless, never what is in it: a peer chooses its id and may choose its type.
func (c *Connection) drop(why string, f proto.Frame) {
	if c.counts.dropped.Add(1) > loggedDrops {
		return
	}
	name := "unknown"
	if _, known := proto.KindOf(f.Type); known {
		name = string(f.Type)
	}
	c.log.Warn("frame dropped", "why", why, "type", name)
}

// shown bounds the words of a cause.
func shown(text string) string {
	const most = 64
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
