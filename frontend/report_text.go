package frontend

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// reportText is what "Copy report" copies: who, what, how it ended and the ids to find it again. It is redacted by
// leaving out: no request text, no captured text, no output, no name of a machine or folder.
func reportText(v ReportView) string {
	lines := []string{
		"Parley " + orUnknown(v.Lab.Version) + ", " + orUnknown(v.Lab.Platform),
		"act: " + string(v.Record.Act),
		"at: " + stamp(v.Record.At),
		"verdict: " + v.Verdict.Line,
	}
	if v.Run != nil {
		lines = append(lines, "boundary: "+string(v.Run.Boundary), "validation: "+string(v.Run.Validation))
	}
	for _, d := range firstRows(v.Diagnostics) {
		lines = append(lines, "diagnostic: "+short(string(d.Code)))
	}
	if v.Record.ID != "" {
		lines = append(lines, "record: "+v.Record.ID)
	}
	if id := v.identity(); id != nil {
		lines = append(lines, "digest: "+id.Digest)
	}
	lines = append(lines, "request: sha256 "+digest(v.Record.Request), "answer: sha256 "+digest(v.Record.Answer))
	return strings.Join(lines, "\n") + "\n"
}

func (v ReportView) identity() *IdentityView {
	switch {
	case v.Unit != nil:
		return v.Unit.Identity
	case v.Run != nil:
		return v.Run.Identity
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
