package runner

import (
	"github.com/go-json-experiment/json/jsontext"
)

// encodeNegotiation writes what encode writes, without reflection: a scheduler may ask before every unit, and writing the
// answer would be the largest part of the work. A test holds the two together.
func encodeNegotiation(n Negotiation) []byte {
	out := make([]byte, 0, usualSize)
	out = appendMember(out, `{"kind":`, n.Kind)
	out = appendMember(out, `,"schema_version":`, n.SchemaVersion)
	out = appendMember(out, `,"status":`, string(n.Status))
	out = append(out, `,"negotiation":{`...)
	if n.Negotiation.Version != "" {
		out = append(appendMember(out, `"version":`, n.Negotiation.Version), ',')
	}
	out = appendList(out, `"requested_versions":`, n.Negotiation.RequestedVersions)
	out = appendList(out, `,"required_capabilities":`, n.Negotiation.Required)
	out = appendList(out, `,"optional_capabilities":`, n.Negotiation.Optional)
	out = appendList(out, `,"available_capabilities":`, n.Negotiation.Available)
	out = appendList(out, `,"selected_capabilities":`, n.Negotiation.Selected)
	out = appendList(out, `,"unavailable_optional_capabilities":`, n.Negotiation.UnavailableOptional)
	out = append(out, `},"diagnostics":[`...)
	for i, d := range n.Diagnostics {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendMember(out, `{"code":`, string(d.Code))
		out = append(appendMember(out, `,"message":`, d.Message), '}')
	}
	return append(out, "]}\n"...)
}

func appendMember(out []byte, name, value string) []byte {
	return appendText(append(out, name...), value)
}

func appendList(out []byte, name string, values []string) []byte {
	out = append(append(out, name...), '[')
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(out, value)
	}
	return append(out, ']')
}

// appendText quotes a text. Bytes that are no UTF-8 become U+FFFD, as encode has them.
func appendText(out []byte, value string) []byte {
	quoted, _ := jsontext.AppendQuote(out, value) // the error names such bytes and nothing else
	return quoted
}
