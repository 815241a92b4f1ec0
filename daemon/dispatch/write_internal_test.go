package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// wire 5.9: every end of a write has its words.
func TestWriteResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err                   error
		outcome, code, reason string
	}{
		{nil, proto.OutcomeCompleted, "", ""},
		{workspace.ErrUnconfirmed, proto.OutcomeUnknown, proto.CodeWriteUnconfirmed, ""},
		{fmt.Errorf("%w: %w", workspace.ErrUnconfirmed, workspace.ErrPermission), proto.OutcomeUnknown, proto.CodeWriteUnconfirmed, ""},
		{errStepsOver, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{errMalformed, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{workspace.ErrOffset, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{workspace.ErrTooLarge, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{workspace.ErrShort, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{workspace.ErrDigest, proto.OutcomeRejected, proto.CodeInvalidRequest, ""},
		{workspace.ErrDirectory, proto.OutcomeRejected, proto.CodeWriteRejected, proto.ReasonDirectory},
		{workspace.ErrUnsafe, proto.OutcomeRejected, proto.CodeWriteRejected, proto.ReasonUnsafe},
		{workspace.ErrNotDirectory, proto.OutcomeRejected, proto.CodeWriteRejected, ""},
		{workspace.ErrPermission, proto.OutcomeRejected, proto.CodeWriteRejected, ""},
		{workspace.ErrPath, proto.OutcomeRejected, proto.CodeWriteRejected, ""},
		{workspace.ErrNoSpace, proto.OutcomeRejected, proto.CodeWriteRejected, ""}, // F-2
		{context.Canceled, proto.OutcomeRejected, proto.CodeWriteRejected, ""},
		{errors.New("input/output error"), proto.OutcomeRejected, proto.CodeWriteRejected, ""},
		{fs.ErrInvalid, proto.OutcomeRejected, proto.CodeWriteRejected, ""},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("write %q: %w", "file", err)
		}
		got := writeResult(7, err)
		want := proto.WorkspaceWriteResult{Outcome: c.outcome, ErrorCode: c.code, Reason: c.reason}
		if err == nil {
			want.SizeBytes = 7
		}
		if *got != want {
			t.Errorf("%v: got %+v, want %+v", c.err, *got, want)
		}
		if err := proto.New("7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f", got).Validate(); err != nil {
			t.Errorf("%v: got a result that is not valid: %v", c.err, err)
		}
	}
}
