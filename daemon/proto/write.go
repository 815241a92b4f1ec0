package proto

import (
	"fmt"
	"strconv"
)

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

func (w *WorkspaceWrite) check() Faults {
	c := checker{rule: "wire 3.10.2"}
	c.oneOf("step", w.Step, StepBegin, StepChunk, StepCommit)
	switch w.Step {
	case StepBegin:
		c.present("environment_id", w.EnvironmentID)
		c.present("session_id", w.SessionID)
		c.text(RelativePath(w.Path), "path", "a cleaned path relative to the workspace", w.Path)
		c.within("size_bytes", w.SizeBytes, 0, MaxTransfer)
		c.text(Digest(w.SHA256), "sha256", "64 lower-case hex digits", w.SHA256)
	default:
		c.absent(w.EnvironmentID == "", "environment_id")
		c.absent(w.SessionID == "", "session_id")
		c.absent(w.Path == "", "path")
		c.absent(w.SizeBytes == 0, "size_bytes")
		c.absent(w.SHA256 == "", "sha256")
	}
	c.piece(w.Step, w.Offset, w.Data)
	return c.faults
}

// piece checks where and what a step of a transfer carries: bytes in a chunk, nothing elsewhere.
func (c *checker) piece(step string, offset int64, data []byte) {
	if step != StepChunk {
		c.absent(offset == 0, "offset")
		c.absent(len(data) == 0, "data")
		return
	}
	c.within("offset", offset, 0, MaxTransfer)
	c.number(len(data) > 0 && len(data) <= MaxChunk, "data", "1 to 65536 bytes", int64(len(data)))
	c.number(offset <= MaxTransfer-int64(len(data)), "offset", "a piece that ends within 52428800 bytes", offset)
}

func (r *WorkspaceWriteResult) check() Faults {
	c := checker{rule: "wire 3.10.2"}
	c.oneOf("outcome", r.Outcome, OutcomeReady, OutcomeReceived, OutcomeCompleted, OutcomeRejected, OutcomeUnknown)
	c.receipt(r.Outcome, r.Offset, r.SizeBytes)
	c.by("wire 5.9", func(c *checker) {
		c.code(TypeWorkspaceWriteResult, r.Outcome, r.ErrorCode)
		if r.Reason != "" {
			c.oneOf("reason", r.Reason, ReasonDirectory, ReasonUnsafe)
			c.that(r.ErrorCode == CodeWriteRejected, "reason", "no reason but with write_rejected", show(r.Reason))
		}
	})
	return c.faults
}

// receipt checks the counts of a step's result: an offset in received, a size in completed (wire 3.8.4).
func (c *checker) receipt(outcome string, offset, size int64) {
	if outcome == OutcomeReceived {
		c.within("offset", offset, 1, MaxTransfer)
	} else {
		c.absent(offset == 0, "offset")
	}
	if outcome == OutcomeCompleted {
		c.within("size_bytes", size, 0, MaxTransfer)
	} else {
		c.absent(size == 0, "size_bytes")
	}
}

// Answers checks a result against what its request expects (wire 3.10.2). Step is the step it answers and staged the
// bytes staged after that step.
func (r *WorkspaceWriteResult) Answers(begin *WorkspaceWrite, step string, staged int64) error {
	c := checker{rule: "wire 3.10.2", faults: r.check()}
	c.answer(step, r.Outcome, r.Offset, staged, r.SizeBytes, begin.SizeBytes)
	return c.faults.orNil()
}

// answer checks that an outcome is one of its step, with the counts of the transfer (wire 3.8.4).
func (c *checker) answer(step, outcome string, offset, staged, size, whole int64) {
	switch step {
	case StepBegin:
		c.oneOf("outcome", outcome, OutcomeReady, OutcomeRejected)
	case StepChunk:
		c.oneOf("outcome", outcome, OutcomeReceived, OutcomeRejected)
	default:
		c.oneOf("outcome", outcome, OutcomeCompleted, OutcomeRejected, OutcomeFailed, OutcomeUnknown)
	}
	if outcome == OutcomeReceived && offset != staged {
		c.add("offset", fmt.Sprintf("%d, the bytes staged so far", staged), strconv.FormatInt(offset, 10))
	}
	if outcome == OutcomeCompleted && size != whole {
		c.add("size_bytes", fmt.Sprintf("%d, the size of the begin", whole), strconv.FormatInt(size, 10))
	}
}
