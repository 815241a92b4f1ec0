package gateway

import "time"

// shut ends the connection by Core's own decision.
func (c *Connection) shut(code int, reason string) {
	c.finish(End{ByCore: true, Code: code, Why: reason}, code, reason)
}

// finish ends the connection with a closing code, once; whoever calls it returns when that is done.
func (c *Connection) finish(end End, code int, reason string) {
	if c.ending.Swap(true) {
		<-c.done
		return
	}
	end.At = time.Now()
	c.gateway.noteEnd(c.device.ID, end)
	for _, step := range c.closing(code, reason) {
		step.do()
	}
	c.log.Info("runtime disconnected", "cause", end.cause(), "code", end.Code, "dropped", c.counts.dropped.Load())
	close(c.done)
}

// cause says for the log why a connection ended. What Core did not decide has no words but those of the socket.
func (e End) cause() string {
	switch {
	case e.Why != "":
		return e.Why
	case e.ByCore:
		return "closed by Core"
	}
	return "closed by the Runtime"
}

// closingStep is one step of closing a connection.
type closingStep struct {
	name string
	do   func()
}

// closing is the order of behaviour 4.3. Receipts end with the Runs they belong to. What is added to a family before its
// turn ends with it; after its turn nothing is taken.
func (c *Connection) closing(code int, reason string) []closingStep {
	return []closingStep{
		{"mark", c.cancel},
		{"socket", func() { c.conn.Close(code, reason) }},
		{"runs", func() { c.runs.close(); c.decisions.close(); c.inputs.close() }},
		{"registration", func() { c.gateway.deregister(c) }},
		{"preparations", c.preparations.close},
		{"reads", c.reads.close},
		{"suspensions", c.suspensions.close},
		{"writes", c.writes.close},
		{"initializations", c.initializations.close},
		{"exports", c.exports.close},
	}
}
