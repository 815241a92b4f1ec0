package proto

// Heartbeat is liveness and declaration (wire 3.1).
type Heartbeat struct {
	TS                  int64       `json:"ts"` // Unix seconds
	ActiveRequests      int         `json:"active_requests"`
	DaemonVersion       string      `json:"daemon_version,omitempty"`
	SupportedAgentKinds []AgentKind `json:"supported_agent_kinds,omitempty"`
}

// AgentKind is what one harness of the Runtime can do.
type AgentKind struct {
	Kind         string       `json:"kind"`
	Available    bool         `json:"available"`
	Version      string       `json:"version,omitempty"`
	Capabilities Capabilities `json:"capabilities"`
}

func (*Heartbeat) Type() Type { return TypeHeartbeat }

func (h *Heartbeat) check(c *checker) {
	for i, kind := range h.SupportedAgentKinds {
		at := c.below(index("supported_agent_kinds", i))
		at.that(kind.Kind != "", "kind", "a name", kind.Kind)
		err := kind.Capabilities.Complete()
		at.by("wire 4.1").that(err == nil, "capabilities", "every field as a boolean", err)
	}
}

// Kind finds what a kind declares; false when it is not advertised.
func (h *Heartbeat) Kind(name string) (AgentKind, bool) {
	for _, kind := range h.SupportedAgentKinds {
		if kind.Kind == name {
			return kind, true
		}
	}
	return AgentKind{}, false
}
