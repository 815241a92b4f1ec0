package runner

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// requestDocument is the complete request as it is written (runner 2.3).
type requestDocument struct {
	SchemaVersion      string        `json:"schema_version"`
	Versions           []string      `json:"versions"`
	Required           []string      `json:"required_capabilities"`
	Optional           []string      `json:"optional_capabilities"`
	RunKey             string        `json:"run_key"`
	Selection          Selection     `json:"selection"`
	Input              inputDocument `json:"input"`
	TimeoutMS          int64         `json:"timeout_ms"`
	AllowPaidExecution bool          `json:"allow_paid_execution"`
}

type inputDocument struct {
	Shard string `json:"shard"`
	Eval  string `json:"eval"`
	Task  string `json:"task"`
}

// EncodeRequest writes a complete request, indented for people and closed by a newline. The captured texts must be
// valid UTF-8; reading the document gives back their exact bytes.
func EncodeRequest(r Request) []byte {
	text, err := json.Marshal(requestDocument{
		SchemaVersion: r.SchemaVersion, Versions: r.Versions, Required: r.Required, Optional: r.Optional,
		RunKey: r.RunKey, Selection: r.Selection, Input: inputDocument(r.Input),
		TimeoutMS: r.TimeoutMS, AllowPaidExecution: r.AllowPaidExecution,
	}, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("runner: encode request: " + err.Error()) // strings, integers and a boolean can be encoded
	}
	return append(text, '\n')
}
