package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley/backend/store"
	"parley/runner"
)

// exportOf writes a record as one JSON document. Stored JSON goes in byte for byte; what is not JSON goes in as text or,
// where it is not even that, as base64. The digests are of the stored bytes.
func exportOf(r store.Record) ([]byte, error) {
	head, err := json.Marshal(struct {
		Kind    string `json:"kind"`
		Version int    `json:"version"`
		recordLine
	}{runner.RecordKind, 1, lineOf(r.Summary)})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(head, []byte("}")))
	for _, part := range []struct {
		name string
		data []byte
	}{{"request", r.Request}, {"answer", r.Answer}, {"receipt", r.Receipt}} {
		out.WriteString(`,"` + part.name + `":`)
		if err := writePart(&out, part.data); err != nil {
			return nil, err
		}
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}

func writePart(out *bytes.Buffer, data []byte) error {
	if data == nil {
		out.WriteString("null")
		return nil
	}
	sum := sha256.Sum256(data)
	form, text, err := embedded(data)
	if err != nil {
		return err
	}
	head, err := json.Marshal(struct {
		SHA256 string `json:"sha256"`
		Bytes  int    `json:"bytes"`
	}{hex.EncodeToString(sum[:]), len(data)})
	if err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(head, []byte("}")))
	out.WriteString(`,"` + form + `":`)
	out.Write(text)
	out.WriteString("}")
	return nil
}

// embedded chooses the form of a part: json, text or base64.
func embedded(data []byte) (form string, text []byte, err error) {
	if jsontext.Value(data).IsValid() {
		return "json", bytes.TrimSpace(data), nil
	}
	if utf8.Valid(data) {
		text, err = json.Marshal(string(data))
		return "text", text, err
	}
	text, err = json.Marshal(base64.StdEncoding.EncodeToString(data))
	return "base64", text, err
}
