package runner

// Attempt statuses (runner 4.6).
const (
	StatusPassed = "passed"
	StatusFailed = "failed"
	StatusError  = "error"
)

// RunResult is one attempt as a unit receipt carries it (runner 5.2). The workspace path is never exposed.
type RunResult struct {
	RunNumber     int                    `json:"run_number"`
	Attempts      int                    `json:"attempts"`
	Prompt        string                 `json:"prompt,omitzero"`
	Status        string                 `json:"status"`
	DurationMS    int64                  `json:"duration_ms"`
	Validations   map[string]GradeResult `json:"validations"`
	SessionDigest SessionDigest          `json:"session_digest"`
	FinalOutput   string                 `json:"final_output"`
	ErrorMsg      string                 `json:"error_msg,omitzero"`
}

// SessionDigest summarises what the engine's session did.
type SessionDigest struct {
	SessionID     string   `json:"session_id"`
	ToolCallCount int      `json:"tool_call_count"`
	ToolsUsed     []string `json:"tools_used"`
	Errors        []string `json:"errors"`
}

// GradeResult is one check of one attempt (runner 5.2).
type GradeResult struct {
	Identifier string        `json:"identifier"`
	Type       string        `json:"type"` // "text", or "" for an expectation
	Score      float64       `json:"score"`
	Weight     float64       `json:"weight"`
	Passed     bool          `json:"passed"`
	Feedback   string        `json:"feedback"`
	Details    *GradeDetails `json:"details,omitzero"` // text graders only
	DurationMS int64         `json:"duration_ms"`
}

// GradeDetails repeats a text grader's lists and says which items failed.
type GradeDetails struct {
	Contains      []string `json:"contains"`
	NotContains   []string `json:"not_contains"`
	ContainsCS    []string `json:"contains_cs"`
	NotContainsCS []string `json:"not_contains_cs"`
	RegexMatch    []string `json:"regex_match"`
	RegexNotMatch []string `json:"regex_not_match"`
	Failures      []string `json:"failures"`
}

// Observation is the bounded summary that a terminal carries (runner 2.6).
type Observation struct {
	ExecutionMode string  `json:"execution_mode"`
	Status        string  `json:"status"`
	DurationMS    int64   `json:"duration_ms"`
	Validations   []Check `json:"validations"` // sorted by identifier
}

// Check is one check in a terminal.
type Check struct {
	Identifier string  `json:"identifier"`
	Type       string  `json:"type"`
	Passed     bool    `json:"passed"`
	Score      float64 `json:"score"`
	Weight     float64 `json:"weight"`
	Feedback   string  `json:"feedback"`
}
