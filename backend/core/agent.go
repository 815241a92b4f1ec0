package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/daemon/proto"
)

// AgentConfig is an agent as the API takes and gives it, without id and times (behaviour 8.6). Unknown members are
// refused, so that a misspelled option is not silently without effect.
type AgentConfig struct {
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	Model        string            `json:"model"`
	Instructions string            `json:"instructions,omitempty"`
	Tools        []Tool            `json:"tools,omitempty"`
	Text         *TextOptions      `json:"text,omitempty"`
	Reasoning    *ReasoningOptions `json:"reasoning,omitempty"`
	ServiceTier  string            `json:"service_tier,omitempty"`
	MultiAgent   *MultiAgent       `json:"multi_agent,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Core         AgentCore         `json:"x_agents_core"`
}

// Tool is a function that the agent may call; type is function.
type Tool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	DeferLoading bool            `json:"defer_loading,omitempty"`
}

// TextOptions are the options of output text.
type TextOptions struct {
	Verbosity string          `json:"verbosity,omitempty"` // low, medium, high; medium unless chosen
	Format    json.RawMessage `json:"format,omitempty"`    // {"type":"json_schema","schema":{…}}
}

// ReasoningOptions are the options of reasoning.
type ReasoningOptions struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// MultiAgent allows or forbids children.
type MultiAgent struct {
	Enabled bool `json:"enabled"`
}

// AgentCore is what belongs to this program: the harness and its own configuration.
type AgentCore struct {
	Harness       string          `json:"harness"`
	HarnessConfig json.RawMessage `json:"harness_config,omitempty"`
}

// Bounds of an agent that the wire does not give; they are ours.
const (
	maxAgentName    = 256
	maxInstructions = 256 << 10
	maxMetadata     = 16 // pairs; keys at most 64 bytes, values at most 512
)

// ParseAgent reads and checks an agent's configuration. Errors are *InvalidError.
func ParseAgent(data []byte) (AgentConfig, error) {
	var config AgentConfig
	if err := Read(data, &config); err != nil {
		return config, err
	}
	return config, config.check()
}

func (c AgentConfig) check() error {
	switch {
	case strings.TrimSpace(c.Name) == "" || len(c.Name) > maxAgentName:
		return invalid("name", fmt.Sprintf("expected 1 to %d bytes", maxAgentName))
	case strings.TrimSpace(c.Model) == "" || len(c.Model) > maxAgentName:
		return invalid("model", fmt.Sprintf("expected 1 to %d bytes", maxAgentName))
	case len(c.Instructions) > maxInstructions:
		return invalid("instructions", fmt.Sprintf("expected at most %d bytes", maxInstructions))
	case strings.TrimSpace(c.Core.Harness) == "":
		return invalid("x_agents_core.harness", "expected the kind of a harness, such as scripted")
	case len(c.Tools) > proto.MaxFunctionTools:
		return invalid("tools", fmt.Sprintf("expected at most %d", proto.MaxFunctionTools))
	case c.Text != nil && c.Text.Verbosity != "" && !slices.Contains([]string{"low", "medium", "high"}, c.Text.Verbosity):
		return invalid("text.verbosity", "expected low, medium or high")
	}
	for i, tool := range c.Tools {
		if tool.Type != "function" {
			return invalid(fmt.Sprintf("tools[%d].type", i), "expected function")
		}
	}
	return checkMetadata(c.Metadata)
}

// checkMetadata holds metadata to its bounds.
func checkMetadata(metadata map[string]string) error {
	if len(metadata) > maxMetadata {
		return invalid("metadata", fmt.Sprintf("expected at most %d pairs", maxMetadata))
	}
	for key, value := range metadata {
		if len(key) > 64 || len(value) > 512 {
			return invalid("metadata", "expected keys of at most 64 and values of at most 512 bytes")
		}
	}
	return nil
}

func (c AgentConfig) subagents() bool { return c.MultiAgent != nil && c.MultiAgent.Enabled }

func (c AgentConfig) verbosity() string {
	if c.Text == nil || c.Text.Verbosity == "" {
		return "medium"
	}
	return c.Text.Verbosity
}
