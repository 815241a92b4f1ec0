package proto

// WorkspaceRead asks for bytes or one directory (wire 3.10.1).
type WorkspaceRead struct {
	Handle        string `json:"handle,omitempty"`
	RunID         string `json:"run_id,omitempty"`
	EnvironmentID string `json:"environment_id"`
	Path          string `json:"path"`
	MaxBytes      int    `json:"max_bytes"`
	Operation     string `json:"operation,omitempty"`
	MaxEntries    int    `json:"max_entries,omitempty"`
}

// OperationDirectory is the operation of a directory read.
const OperationDirectory = "directory"

// WorkspaceReadResult answers a read (wire 3.10.1).
type WorkspaceReadResult struct {
	Outcome           string     `json:"outcome"`
	Data              []byte     `json:"data,omitempty"`
	Truncated         bool       `json:"truncated,omitempty"`
	CloseAcknowledged bool       `json:"close_acknowledged,omitempty"`
	ErrorCode         string     `json:"error_code,omitempty"`
	Directory         *Directory `json:"directory,omitempty"`
}

// Directory is one bounded listing; its truncated must be present (wire 1.4).
type Directory struct {
	Entries   []Entry `json:"entries"`
	Truncated *bool   `json:"truncated"`
}

// Entry is one name of a directory.
type Entry struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	SizeBytes *int64 `json:"size_bytes"` // set for files only
}

// Kinds of an entry.
const (
	EntryFile      = "file"
	EntryDirectory = "directory"
	EntrySymlink   = "symlink"
	EntryOther     = "other"
)

func (*WorkspaceRead) Type() Type       { return TypeWorkspaceRead }
func (*WorkspaceReadResult) Type() Type { return TypeWorkspaceReadResult }
