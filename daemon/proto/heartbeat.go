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

func (h *Heartbeat) check() Faults {
	c := checker{rule: "wire 3.1"}
	each(&c, "supported_agent_kinds", h.SupportedAgentKinds, (*AgentKind).check)
	return c.faults
}

func (k *AgentKind) check() Faults {
	c := checker{rule: "wire 3.1"}
	c.present("kind", k.Kind)
	if err := k.Capabilities.Complete(); err != nil {
		c.rule = "wire 4.1"
		c.add("capabilities", "every field as a boolean", err.Error())
	}
	return c.faults
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
