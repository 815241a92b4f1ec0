package core

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxShownPath bounds what an error repeats of a path in a document, in bytes.
const maxShownPath = 200

// Read reads a document of the API (behaviour 8.6): a member that is not known, stands twice or has the name of a known
// one in another case is refused, so that a misspelled option is not silently without effect. Errors are *InvalidError.
func Read(data []byte, into any) error {
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return &InvalidError{Param: pathOf(semantic.JSONPointer), Why: "no such member here", Unknown: true}
	case errors.As(err, &semantic):
		return invalid(pathOf(semantic.JSONPointer), "a value of another type than "+kindWord(semantic.JSONKind)+" belongs here")
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		return invalid(pathOf(syntactic.JSONPointer), "the name stands twice")
	case errors.As(err, &syntactic):
		return invalid(pathOf(syntactic.JSONPointer), fmt.Sprintf("no JSON at byte %d", syntactic.ByteOffset))
	}
	return invalid("", "cannot be read")
}

// pathOf writes a JSON pointer as the API names parameters: tools[0].name.
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		switch _, err := strconv.ParseUint(token, 10, 31); {
		case err == nil:
			path.WriteString("[" + token + "]")
		case path.Len() > 0:
			path.WriteString("." + token)
		default:
			path.WriteString(token)
		}
		if path.Len() > maxShownPath {
			return strings.ToValidUTF8(path.String()[:maxShownPath], "") + "…"
		}
	}
	return strings.ToValidUTF8(path.String(), string(utf8.RuneError))
}

func kindWord(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "text"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "this"
}

// under puts the place of a part before the path of what is wrong in it. Other errors stay as they are.
func under(place string, err error) error {
	var wrong *InvalidError
	if errors.As(err, &wrong) {
		return wrong.Under(place)
	}
	return err
}
