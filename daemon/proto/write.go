package proto

// WorkspaceWrite is one step of a write (wire 3.10.2).
type WorkspaceWrite struct {
	Step          string `json:"step"`
	EnvironmentID string `json:"environment_id,omitempty"`
	SessionID     string `json:"session_id,omitempty"`
	Path          string `json:"path,omitempty"`
	SizeBytes     int64  `json:"size_bytes,omitempty"`
	SHA256        string `json:"sha256,omitempty"`
	Offset        int64  `json:"offset,omitempty"`
	Data          []byte `json:"data,omitempty"`
}

// WorkspaceWriteResult answers one step (wire 3.10.2).
type WorkspaceWriteResult struct {
	Outcome   string `json:"outcome"`
	Offset    int64  `json:"offset,omitempty"`
	SizeBytes int64  `json:"size_bytes,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

func (*WorkspaceWrite) Type() Type       { return TypeWorkspaceWrite }
func (*WorkspaceWriteResult) Type() Type { return TypeWorkspaceWriteResult }
