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

func (e *WorkspaceExport) check() Faults {
	c := checker{rule: "wire 3.10.3"}
	c.oneOf("step", e.Step, StepBegin, StepNext, StepCancel)
	if e.Step == StepBegin {
		c.text(filled(e.Handle, MaxCorrelation), "handle", "1 to 128 bytes", e.Handle)
		c.text(filled(e.EnvironmentID, MaxCorrelation), "environment_id", "1 to 128 bytes", e.EnvironmentID)
	} else {
		c.absent(e.Handle == "", "handle")
		c.absent(e.EnvironmentID == "", "environment_id")
	}
	if e.Step == StepNext {
		c.within("offset", e.Offset, 0, MaxExport)
	} else {
		c.absent(e.Offset == 0, "offset")
	}
	return c.faults
}

func (r *WorkspaceExportResult) check() Faults {
	c := checker{rule: "wire 3.10.3"}
	c.oneOf("outcome", r.Outcome, OutcomeChunk, OutcomeCompleted, OutcomeFailed, OutcomeRejected)
	c.within("offset", r.Offset, 0, MaxExport)
	if r.Outcome == OutcomeChunk {
		size := int64(len(r.Data))
		c.number(size > 0 && size <= MaxChunk, "data", "1 to 65536 bytes", size)
		c.number(r.Offset <= MaxExport-size, "offset", "a piece that ends within 553648128 bytes", r.Offset)
	} else {
		c.absent(len(r.Data) == 0, "data")
	}
	c.by("wire 5.10", func(c *checker) { c.code(TypeWorkspaceExportResult, r.Outcome, r.ErrorCode) })
	return c.faults
}

// Answers checks a piece or the end against the offset that was asked for (wire 3.10.3).
func (r *WorkspaceExportResult) Answers(offset int64) error {
	c := checker{rule: "wire 3.10.3", faults: r.check()}
	if r.Outcome == OutcomeChunk || r.Outcome == OutcomeCompleted {
		c.number(r.Offset == offset, "offset", "the offset that was asked for", r.Offset)
	}
	return c.faults.orNil()
}
