package proto

// WorkspaceExport pulls one archive of the workspace (wire 3.10.3).
type WorkspaceExport struct {
	Step          string `json:"step"`
	Handle        string `json:"handle,omitempty"`
	EnvironmentID string `json:"environment_id,omitempty"`
	Offset        int64  `json:"offset,omitempty"`
}

// WorkspaceExportResult is one piece of it, or its end (wire 3.10.3).
type WorkspaceExportResult struct {
	Outcome   string `json:"outcome"`
	Offset    int64  `json:"offset"` // start of the piece; always present
	Data      []byte `json:"data,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
}

func (*WorkspaceExport) Type() Type       { return TypeWorkspaceExport }
func (*WorkspaceExportResult) Type() Type { return TypeWorkspaceExportResult }
