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

// Stages of a tool_call.
const (
	StageBefore = "before"
	StageAfter  = "after"
)

// Kinds of an observation.
const (
	ToolCommand   = "command"
	ToolMCP       = "mcp"
	ToolFunction  = "function"
	ToolWebSearch = "web_search"
)

// Statuses of what an agent does: tools, messages and calls between agents.
const (
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusFailed     = "failed"
	StatusIncomplete = "incomplete"
)

func (t *ToolCall) check() Faults {
	c := checker{rule: "wire 3.3"}
	c.present("id", t.ID)
	c.oneOf("stage", t.Stage, StageBefore, StageAfter)
	c.that(objectOrMissing(t.Args), "args", "an object", "another value")
	c.that(objectOrMissing(t.Result), "result", "an object", "another value")
	if t.Observation == nil {
		return c.faults
	}
	c.under("observation", t.Observation.check(t.Stage))
	running := t.Observation.Status == StatusInProgress
	c.text(running == (t.Stage == StageBefore), "observation.status", "in_progress before the tool's work, and only then", t.Observation.Status)
	return c.faults
}

func (o *Observation) check(stage string) Faults {
	c := checker{rule: "wire 3.3"}
	c.oneOf("kind", o.Kind, ToolCommand, ToolMCP, ToolFunction, ToolWebSearch)
	c.oneOf("status", o.Status, StatusInProgress, StatusCompleted, StatusFailed, StatusIncomplete)
	switch o.Kind {
	case ToolCommand:
		c.present("command", o.Command)
		c.that(missing(o.Output) || o.Output.Kind() == '"', "output", "text or null", "another value")
	case ToolMCP:
		c.present("name", o.Name)
		c.present("server", o.Server)
	case ToolFunction:
		c.present("name", o.Name)
	}
	if o.Content != nil && stage == StageAfter {
		each(&c, "content", *o.Content, (*InputContent).check)
	}
	if o.Action != nil {
		c.oneOf("action.type", o.Action.Type, "search", "open_page", "find_in_page", "other")
	}
	return c.faults
}
