package proto

import "github.com/go-json-experiment/json/jsontext"

// ExecutionPrepare asks for a one-Turn admission (wire 3.6).
type ExecutionPrepare struct {
	SessionID     string        `json:"session_id"`
	Configuration Configuration `json:"configuration"`
}

// Configuration is what a Session's Executor is made from (wire 3.6.1).
type Configuration struct {
	MaxConcurrentSubagents       *int               `json:"max_concurrent_subagents,omitempty"`
	AgentKind                    string             `json:"agent_kind"`
	RunID                        string             `json:"run_id"` // must be ""
	Input                        MessageInput       `json:"input,omitempty"`
	AgentOptions                 *AgentOptions      `json:"agent_options,omitempty"`
	ExecutionControls            *ExecutionControls `json:"execution_controls,omitempty"`
	MCPHTTPServers               *[]MCPHTTPServer   `json:"mcp_http_servers,omitempty"` // nil: no statement; empty: none
	LocalEnvironment             *LocalEnvironment  `json:"local_environment,omitempty"`
	AgentSessionID               string             `json:"agent_session_id,omitempty"`
	WorkspaceReadOnly            bool               `json:"workspace_read_only,omitempty"`
	AgentStateKey                string             `json:"agent_state_key,omitempty"`
	RequireExistingNativeSession bool               `json:"require_existing_native_session,omitempty"`
	ObserveMessages              bool               `json:"observe_messages,omitempty"`
	ObserveSubagentIdentities    bool               `json:"observe_subagent_identities,omitempty"`
	FunctionTools                []FunctionTool     `json:"function_tools,omitempty"`
	ToolSearch                   bool               `json:"tool_search,omitempty"`
	DisableExecutionEnvironment  bool               `json:"disable_execution_environment,omitempty"`
	DisableSubagents             bool               `json:"disable_subagents,omitempty"`
}

// StateKeyPrefix and the Session's id make the only accepted agent_state_key (wire 3.6.1).
const StateKeyPrefix = "agents-api-"

// AgentOptions are the four options of an agent (wire 3.6.2). Keys beyond them are kept in one object, so that they
// can be refused as unsupported and not as undecodable.
type AgentOptions struct {
	Model         string         `json:"model,omitempty"`
	SystemPrompt  string         `json:"system_prompt,omitempty"`
	ModelProvider *ModelProvider `json:"model_provider,omitempty"`
	HarnessConfig jsontext.Value `json:"harness_config,omitempty"`
	Others        jsontext.Value `json:",embed"`
}

// ModelProvider is the endpoint that a Session froze; a closed set of keys (wire 3.6.2).
type ModelProvider struct {
	Protocol        string         `json:"protocol"`
	BaseURL         string         `json:"base_url"`
	APIKey          string         `json:"api_key"` // secret: never in a log, error or event
	ContextWindow   int32          `json:"context_window,omitempty"`
	MaxOutputTokens int32          `json:"max_output_tokens,omitempty"`
	Others          jsontext.Value `json:",embed"`
}

// ExecutionControls are the resolved controls of a Run (wire 3.6.3). Names beyond text_verbosity, output_format and
// disable_programmatic_tool_calling are this program's choice.
type ExecutionControls struct {
	DisableProgrammaticToolCalling bool           `json:"disable_programmatic_tool_calling,omitempty"`
	WebSearch                      jsontext.Value `json:"web_search,omitempty"` // "disabled", or an object
	TextVerbosity                  string         `json:"text_verbosity"`
	ReasoningEffort                string         `json:"reasoning_effort,omitempty"`
	ReasoningSummary               string         `json:"reasoning_summary,omitempty"`
	ServiceTier                    string         `json:"service_tier,omitempty"`
	OutputFormat                   *OutputFormat  `json:"output_format,omitempty"`
}

// FormatJSONSchema is the one type of an OutputFormat.
const FormatJSONSchema = "json_schema"

// OutputFormat asks for output by a JSON schema; the schema passes through unchanged.
type OutputFormat struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

// MCPHTTPServer is one MCP server, by URL or as a process of the Environment (wire 3.6.5).
type MCPHTTPServer struct {
	ConnectionOrigin string            `json:"connection_origin"`
	ServerLabel      string            `json:"server_label"`
	ServerURL        string            `json:"server_url,omitempty"`
	AllowedTools     []string          `json:"allowed_tools"` // nil: all; empty: none
	Required         bool              `json:"required,omitempty"`
	BearerToken      *string           `json:"bearer_token,omitempty"` // secret
	Headers          map[string]string `json:"headers,omitempty"`
	Stdio            *MCPStdio         `json:"stdio,omitempty"`
}

// MCPStdio declares a process instead of a URL.
type MCPStdio struct {
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Cwd     string   `json:"cwd,omitempty"`
	EnvVars []string `json:"env_vars,omitempty"` // names; never values
}

// LocalEnvironment names the bound Environment (wire 3.6.6).
type LocalEnvironment struct {
	ID                 string         `json:"id"`
	WorkspaceDirectory string         `json:"workspace_directory"`
	CapabilitySources  *Sources       `json:"capability_sources"`
	ToolEnvironment    jsontext.Value `json:"tool_environment,omitempty"`
}

// FunctionTool is one function that the agent may call (wire 3.6.8).
type FunctionTool struct {
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	Parameters   jsontext.Value `json:"parameters"`
	DeferLoading bool           `json:"defer_loading,omitempty"`
}

func (*ExecutionPrepare) Type() Type { return TypeExecutionPrepare }
