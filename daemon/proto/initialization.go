package proto

// RuntimePrepare is one step of an initialization transfer (wire 3.8.1).
type RuntimePrepare struct {
	BudgetMS       int64           `json:"budget_ms,omitempty"`
	Step           string          `json:"step"`
	EnvironmentID  string          `json:"environment_id,omitempty"`
	SessionID      string          `json:"session_id,omitempty"`
	Action         string          `json:"action,omitempty"`
	Slot           int             `json:"slot,omitempty"`
	Skill          *Capsule        `json:"skill,omitempty"`
	Plugin         *Capsule        `json:"plugin,omitempty"`
	File           *FileTarget     `json:"file,omitempty"`
	Initialization *Initialization `json:"initialization,omitempty"`
	Sources        *Sources        `json:"sources,omitempty"`
	SizeBytes      int64           `json:"size_bytes,omitempty"`
	SHA256         string          `json:"sha256,omitempty"`
	Offset         int64           `json:"offset,omitempty"`
	Data           []byte          `json:"data,omitempty"`
}

// Capsule is an installed skill or plugin (wire 3.8.3).
type Capsule struct {
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// FileTarget is a logical path below /workspace.
type FileTarget struct {
	Path string `json:"path"`
}

// Initialization is one step without bytes (wire 3.8.3).
type Initialization struct {
	Action   string            `json:"action"`
	Env      map[string]string `json:"env,omitempty"`
	Packages []string          `json:"packages,omitempty"`
	Command  string            `json:"command,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
}

// Sources is the set of capabilities that an Environment offers (wire 3.8.3).
type Sources struct {
	Skills      []Capsule `json:"skills"`
	Plugins     []Capsule `json:"plugins"`
	Directories []string  `json:"directories"`
}

// RuntimePrepareResult answers one step (wire 3.8.4).
type RuntimePrepareResult struct {
	ExitCode  int    `json:"exit_code,omitempty"`
	Outcome   string `json:"outcome"`
	Offset    int64  `json:"offset,omitempty"`
	SizeBytes int64  `json:"size_bytes,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
}

func (*RuntimePrepare) Type() Type       { return TypeRuntimePrepare }
func (*RuntimePrepareResult) Type() Type { return TypeRuntimePrepareResult }

// Steps of a transfer (wire 3.8.1, 3.10.2, 3.10.3).
const (
	StepBegin  = "begin"
	StepChunk  = "chunk"
	StepCommit = "commit"
	StepNext   = "next"
	StepCancel = "cancel"
)

// Outcomes of transfers and workspace operations.
const (
	OutcomeReady     = "ready"
	OutcomeReceived  = "received"
	OutcomeCompleted = "completed"
	OutcomeRejected  = "rejected"
	OutcomeFailed    = "failed"
	OutcomeUnknown   = "unknown"
	OutcomeChunk     = "chunk"
)

// Actions of a begin (wire 3.8.2) and of an initialization (wire 3.8.3).
const (
	ActionSkill      = "skill"
	ActionPlugin     = "plugin"
	ActionFile       = "file"
	ActionInitialize = "initialize"
	ActionFinalize   = "finalize"

	InitConfigure = "configure"
	InitNpm       = "npm"
	InitPython    = "python"
	InitSetup     = "setup"
)
