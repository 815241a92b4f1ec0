package proto

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Usage is a cumulative measurement of the current execution; each replaces the one before (wire 3.4).
type Usage struct {
	Tokens       *TokenUsage    `json:"tokens,omitempty"` // nil is unknown, not zero
	Provider     string         `json:"provider,omitempty"`
	Model        string         `json:"model,omitempty"`
	InputTokens  int32          `json:"input_tokens,omitempty"`
	OutputTokens int32          `json:"output_tokens,omitempty"`
	CostUSD      float64        `json:"cost_usd,omitempty"`
	Raw          jsontext.Value `json:"raw,omitempty"`
}

// TokenUsage is a complete measurement: all five counts, none negative (wire 1.4).
type TokenUsage struct {
	Input           int64 `json:"input_tokens"`
	CachedInput     int64 `json:"cached_input_tokens"`
	Output          int64 `json:"output_tokens"`
	ReasoningOutput int64 `json:"reasoning_output_tokens"`
	Total           int64 `json:"total_tokens"`
}

func (*Usage) Type() Type { return TypeUsage }

func (u *Usage) check() Faults {
	c := checker{rule: "wire 3.4"}
	c.that(objectOrMissing(u.Raw), "raw", "an object", "another value")
	return c.faults
}

// Zero reports a measurement that says nothing.
func (u Usage) Zero() bool {
	return u.Tokens == nil && u.Provider == "" && u.Model == "" && u.InputTokens == 0 && u.OutputTokens == 0 &&
		u.CostUSD == 0 && len(u.Raw) == 0
}

// UnmarshalJSONFrom refuses a count that is missing, null, negative or no integer.
func (t *TokenUsage) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var counts struct {
		Input           *int64 `json:"input_tokens"`
		CachedInput     *int64 `json:"cached_input_tokens"`
		Output          *int64 `json:"output_tokens"`
		ReasoningOutput *int64 `json:"reasoning_output_tokens"`
		Total           *int64 `json:"total_tokens"`
	}
	if dec.PeekKind() != '{' {
		return refusal{"an object of five counts", "another value"}
	}
	if err := json.UnmarshalDecode(dec, &counts); err != nil {
		return err
	}
	for _, count := range []struct {
		name string
		from *int64
		to   *int64
	}{
		{"input_tokens", counts.Input, &t.Input},
		{"cached_input_tokens", counts.CachedInput, &t.CachedInput},
		{"output_tokens", counts.Output, &t.Output},
		{"reasoning_output_tokens", counts.ReasoningOutput, &t.ReasoningOutput},
		{"total_tokens", counts.Total, &t.Total},
	} {
		if count.from == nil || *count.from < 0 {
			return refusal{count.name + " of at least 0", "none, or less"}
		}
		*count.to = *count.from
	}
	return nil
}
