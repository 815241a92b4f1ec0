package proto

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Failure is the payload of an error frame: part of a Run's outcome, never its end (wire 3.4).
type Failure struct {
	Error      string `json:"error"`
	Code       string `json:"code,omitempty"`        // one of EngineCodes, or ""
	HTTPStatus *int   `json:"http_status,omitempty"` // 100 to 599, only with connection_failed
}

func (*Failure) Type() Type { return TypeError }

// UnmarshalJSONFrom takes error as text and drops a code or status that is not acceptable, whatever its JSON type
// (wire 3.4): a bad classification never costs the frame.
func (f *Failure) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var loose struct {
		Error      string         `json:"error"`
		Code       jsontext.Value `json:"code"`
		HTTPStatus jsontext.Value `json:"http_status"`
	}
	if err := json.UnmarshalDecode(dec, &loose); err != nil {
		return err
	}
	*f = Failure{Error: loose.Error}
	var code string
	if loose.Code.Kind() == '"' && json.Unmarshal(loose.Code, &code, lenient()) == nil && slices.Contains(codesOf(TypeError, ""), code) {
		f.Code = code
	}
	if status, err := strconv.Atoi(string(loose.HTTPStatus)); err == nil && f.Code == ConnectionFailed &&
		status >= 100 && status <= 599 {
		f.HTTPStatus = &status
	}
	return nil
}

// check says nothing: what is wrong with a classification was dropped on reading.
func (f *Failure) check() Faults { return nil }
