package wiretest

import (
	"context"
	"encoding/base64"
	"fmt"

	"parley/daemon/proto"
)

// pull replays a whole export: begin, one chunk after the other, completed (wire 3.10.3). Its length is the Runtime's.
func (p *player) pull(ctx context.Context, s *Step) error {
	if p.plays == Runtime {
		return p.servePull(ctx, s)
	}
	request := map[string]any{"step": proto.StepBegin, "handle": s.Handle, "environment_id": "$environment"}
	for offset := int64(0); ; {
		if err := p.write(ctx, string(proto.TypeWorkspaceExport), s.ID, request); err != nil {
			return err
		}
		payload := map[string]any{"outcome": map[string]any{opOneOf: []any{proto.OutcomeChunk, proto.OutcomeCompleted}},
			"offset": offset, "data": "$optional"}
		reply := Step{Kind: StepFrame, From: Runtime, Type: string(proto.TypeWorkspaceExportResult), ID: s.ID, Payload: payload}
		got, err := p.nextOf(ctx, p.wait(s))
		if err != nil {
			return p.nothing(p.wanted(&reply), err)
		}
		if piece, isPiece := got.frame.Payload.(*proto.WorkspaceExportResult); isPiece && piece.Outcome == proto.OutcomeCompleted {
			payload["offset"] = "$optional" // the contract says nothing of it
		}
		if err := p.accept(&reply, got); err != nil {
			return err
		}
		piece := got.frame.Payload.(*proto.WorkspaceExportResult)
		offset += int64(len(piece.Data))
		if piece.Outcome == proto.OutcomeCompleted {
			return nil
		}
		if len(piece.Data) == 0 {
			return &difference{expected: "a chunk with data", seen: shown(got), text: "the export does not advance"}
		}
		request = map[string]any{"step": proto.StepNext, "offset": offset}
	}
}

// servePull sends two chunks and the end.
func (p *player) servePull(ctx context.Context, s *Step) error {
	chunk := []byte("conformance archive")
	ask := Step{Kind: StepFrame, From: Core, Type: string(proto.TypeWorkspaceExport), ID: s.ID,
		Payload: map[string]any{"step": proto.StepBegin, "handle": s.Handle, "environment_id": "$environment"}}
	for sent := 0; ; sent++ {
		offset := int64(sent * len(chunk))
		if sent > 0 {
			ask.Payload = map[string]any{"step": proto.StepNext, "offset": offset}
		}
		if err := p.expect(ctx, &ask); err != nil {
			return fmt.Errorf("request %d of the export: %w", sent+1, err)
		}
		piece := map[string]any{"outcome": proto.OutcomeChunk, "offset": offset, "data": base64.StdEncoding.EncodeToString(chunk)}
		if sent == 2 {
			piece = map[string]any{"outcome": proto.OutcomeCompleted, "offset": offset}
		}
		if err := p.write(ctx, string(proto.TypeWorkspaceExportResult), s.ID, piece); err != nil {
			return err
		}
		if sent == 2 {
			return nil
		}
	}
}
