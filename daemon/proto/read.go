package proto

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

func (r *WorkspaceRead) check() Faults {
	c := checker{rule: "wire 3.10.1"}
	c.that((r.Handle == "") != (r.RunID == ""), "handle", "exactly one of handle and run_id", "both or neither")
	c.present("environment_id", r.EnvironmentID)
	c.text(RelativePath(r.Path) || r.Path == "" && r.Operation == OperationDirectory, "path",
		"a cleaned path relative to the workspace", r.Path)
	switch r.Operation {
	case "":
		c.within("max_bytes", int64(r.MaxBytes), 1, MaxReadBytes)
		c.absent(r.MaxEntries == 0, "max_entries")
	case OperationDirectory:
		c.within("max_entries", int64(r.MaxEntries), 1, MaxEntries)
		c.absent(r.MaxBytes == 0, "max_bytes")
	default:
		c.text(false, "operation", "directory or no operation", r.Operation)
	}
	return c.faults
}

// atMost is the texts with their escapes, and room for the keys and numbers.
func (r *WorkspaceRead) atMost() int {
	const keysAndNumbers = 256
	return escaped(r.Handle, r.RunID, r.EnvironmentID, r.Path, r.Operation) + keysAndNumbers
}

func (r *WorkspaceReadResult) check() Faults {
	c := checker{rule: "wire 3.10.1"}
	c.oneOf("outcome", r.Outcome, OutcomeCompleted, OutcomeRejected, OutcomeUnknown)
	c.by("wire 5.8", func(c *checker) { c.code(TypeWorkspaceReadResult, r.Outcome, r.ErrorCode) })
	if r.Outcome != OutcomeCompleted {
		c.absent(len(r.Data) == 0, "data")
		c.absent(r.Directory == nil, "directory")
		c.absent(!r.Truncated, "truncated")
		return c.faults
	}
	c.that(r.CloseAcknowledged, "close_acknowledged", "true, as the read is completed", "false")
	c.number(len(r.Data) <= MaxReadBytes, "data", "at most 1048576 bytes", int64(len(r.Data)))
	if r.Directory != nil {
		c.absent(len(r.Data) == 0, "data")
		c.absent(!r.Truncated, "truncated")
		c.under("directory", r.Directory.check())
	}
	return c.faults
}

func (d *Directory) check() Faults {
	c := checker{rule: "wire 3.10.1"}
	c.that(d.Truncated != nil, "truncated", "true or false", "nothing")
	if len(d.Entries) > MaxEntries {
		c.number(false, "entries", "at most 1024 names", int64(len(d.Entries)))
		return c.faults
	}
	each(&c, "entries", d.Entries, (*Entry).check)
	seen := make(map[string]bool, len(d.Entries))
	for _, entry := range d.Entries {
		c.text(!seen[entry.Name], "entries", "every name once", entry.Name)
		seen[entry.Name] = true
	}
	return c.faults
}

func (e *Entry) check() Faults {
	c := checker{rule: "wire 3.10.1"}
	one := len(e.Name) <= MaxName && RelativePath(e.Name) && !strings.Contains(e.Name, "/")
	c.text(one, "name", "one path segment of 1 to 255 bytes", e.Name)
	c.oneOf("kind", e.Kind, EntryFile, EntryDirectory, EntrySymlink, EntryOther)
	if e.Kind == EntryFile {
		c.that(e.SizeBytes != nil && *e.SizeBytes >= 0, "size_bytes", "the size of the file", "none, or a negative one")
	} else {
		c.absent(e.SizeBytes == nil, "size_bytes")
	}
	return c.faults
}

// UnmarshalJSONFrom refuses a listing that does not say whether it is complete (wire 1.4).
func (d *Directory) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Directory
	var read plain
	if err := json.UnmarshalDecode(dec, &read); err != nil {
		return err
	}
	if read.Truncated == nil {
		return refusal{"truncated as true or false", "none"}
	}
	*d = Directory(read)
	return nil
}

// Answers checks a result against its request (wire 3.10.1).
func (r *WorkspaceReadResult) Answers(request *WorkspaceRead) error {
	c := checker{rule: "wire 3.10.1", faults: r.check()}
	if request.Operation == OperationDirectory {
		c.that(r.Outcome != OutcomeCompleted || r.Directory != nil, "directory", "the listing that was asked for", "none")
		if r.Directory != nil {
			c.number(len(r.Directory.Entries) <= request.MaxEntries, "directory.entries", "at most max_entries names", int64(len(r.Directory.Entries)))
		}
		return c.faults.orNil()
	}
	c.that(r.Directory == nil, "directory", "bytes, as they were asked for", "a listing")
	c.that(r.ErrorCode != CodeNotDirectory, "error_code", "a code of a byte read", r.ErrorCode)
	c.number(len(r.Data) <= request.MaxBytes, "data", "at most max_bytes bytes", int64(len(r.Data)))
	c.number(!r.Truncated || len(r.Data) == request.MaxBytes, "truncated", "max_bytes bytes before the cut", int64(len(r.Data)))
	return c.faults.orNil()
}
