package proto

import "github.com/go-json-experiment/json/jsontext"

// ToolCall is one tool before or after its work; read strictly (wire 3.3).
type ToolCall struct {
	Observation *Observation   `json:"observation,omitempty"`
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Stage       string         `json:"stage"`
	Args        jsontext.Value `json:"args,omitempty"`
	Result      jsontext.Value `json:"result,omitempty"`
}

// Observation describes a native tool neutrally (wire 3.3).
type Observation struct {
	Kind       string          `json:"kind"`
	Status     string          `json:"status"`
	Name       string          `json:"name,omitempty"`
	Command    string          `json:"command,omitempty"`
	Cwd        *string         `json:"cwd,omitempty"`
	ExitCode   *int64          `json:"exit_code,omitempty"`
	DurationMS *int64          `json:"duration_ms,omitempty"`
	Server     string          `json:"server,omitempty"`
	Arguments  jsontext.Value  `json:"arguments,omitempty"`
	Output     jsontext.Value  `json:"output,omitempty"`
	Error      jsontext.Value  `json:"error,omitempty"`
	Content    *[]InputContent `json:"content,omitempty"`
	Action     *SearchAction   `json:"action,omitempty"`
}

// SearchAction is what a web search did.
type SearchAction struct {
	Type    string   `json:"type"`
	Query   *string  `json:"query,omitempty"`
	Queries []string `json:"queries,omitempty"`
	URL     *string  `json:"url,omitempty"`
	Pattern *string  `json:"pattern,omitempty"`
}

func (*ToolCall) Type() Type { return TypeToolCall }
