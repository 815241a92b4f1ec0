package proto_test

import (
	"slices"
	"testing"

	"parley/daemon/proto"
)

// wire 5.3 to 5.12: every code of every list is accepted where it stands, and nowhere else.
func TestCodesStandWhereTheyBelong(t *testing.T) {
	t.Parallel()
	every := map[string]bool{"strange": true, proto.CodeCancelUnconfirmed: true}
	for _, row := range proto.CodeRows() {
		for _, code := range row.Codes {
			every[code] = true
		}
	}
	for _, row := range proto.CodeRows() {
		for code := range every {
			payload := refusal(row, code)
			want := slices.Contains(row.Codes, code)
			if row.Type == proto.TypeDecisionAck { // it does not say which request it answers
				want = slices.ContainsFunc(proto.CodeRows(), func(other proto.CodeRow) bool {
					return other.Type == row.Type && slices.Contains(other.Codes, code)
				})
			}
			if row.Type == proto.TypeError {
				want = true // a code of no list was dropped on reading
			}
			if got := proto.New(idOf(row.Type), payload).Validate(); (got == nil) != want {
				t.Errorf("%s %s %q: got %v, want accepted %v", row.Type, row.When, code, got, want)
			}
		}
	}
}

// refusal is a result that is right but for its code.
func refusal(row proto.CodeRow, code string) proto.Payload {
	reply := proto.SuspensionReply{EnvironmentID: "e", SuspendID: "s", ErrorCode: code}
	switch row.Type {
	case proto.TypeError:
		return &proto.Failure{Error: "x", Code: code}
	case proto.TypeDecisionAck:
		return &proto.DecisionAck{DeliveryID: "d", ErrorCode: code}
	case proto.TypePromptSteerAck:
		return &proto.PromptSteerAck{InputID: "1", ErrorCode: code}
	case proto.TypePreparationStatus:
		if row.When == proto.StateFailed {
			return &proto.PreparationStatus{Handle: "h", Revision: 2, State: row.When, ErrorCode: code}
		}
		return &proto.PreparationStatus{State: proto.StateRejected, Operation: proto.Type(row.When), ErrorCode: code}
	case proto.TypeWorkspaceReadResult:
		return &proto.WorkspaceReadResult{Outcome: row.When, ErrorCode: code}
	case proto.TypeWorkspaceWriteResult:
		return &proto.WorkspaceWriteResult{Outcome: row.When, ErrorCode: code}
	case proto.TypeWorkspaceExportResult:
		return &proto.WorkspaceExportResult{Outcome: row.When, ErrorCode: code}
	case proto.TypeEnvironmentQuiesced:
		return &proto.EnvironmentQuiesced{SuspensionReply: reply}
	case proto.TypeEnvironmentResumed:
		return &proto.EnvironmentResumed{SuspensionReply: reply}
	}
	return &proto.RuntimePrepareResult{Outcome: row.When, ErrorCode: code}
}

func idOf(t proto.Type) string {
	kind, _ := proto.KindOf(t)
	if kind.ID == proto.TransferIdentity || kind.ID == proto.MutationIdentity {
		return "7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f"
	}
	return "r"
}

// wire 3.7: what follows nothing is terminal.
func TestTerminalStates(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{"preparing": false, "ready": false, "starting": false, "started": true,
		"released": true, "expired": true, "failed": true, "rejected": false} {
		if got := proto.Terminal(state); got != want {
			t.Errorf("%s: got terminal %v, want %v", state, got, want)
		}
	}
}

// wire 1.2: whose id is asked for, and how.
func TestIdentities(t *testing.T) {
	t.Parallel()
	for _, kind := range proto.Kinds() {
		for id, fits := range map[string]func(proto.Identity) bool{
			"":        func(i proto.Identity) bool { return i == proto.NoIdentity },
			" \u2028": func(i proto.Identity) bool { return i == proto.NoIdentity },
			long(128): func(i proto.Identity) bool { return i != proto.TransferIdentity && i != proto.MutationIdentity },
			long(129): func(i proto.Identity) bool {
				return i == proto.NoIdentity || i == proto.RunIdentity || i == proto.PreparationIdentity
			},
			"7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f": func(proto.Identity) bool { return true },
		} {
			got := proto.Frame{Type: kind.Type, ID: id}.Validate()
			if (got == nil) != fits(kind.ID) {
				t.Errorf("%s %.20q: got %v, want accepted %v", kind.Type, id, got, fits(kind.ID))
			}
		}
	}
}
