package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/daemon/wiretest"
)

// driveValues are what names in a request stand for: what the Runtime chose and was observed, and what is new for each run
// of the command.
type driveValues map[string]string

// driveName is a name inside a request.
var driveName = regexp.MustCompile(`\$\{(handle|executor|call|session|nonce)\}`)

// newDriveValues makes what every run of the command has of its own.
func newDriveValues() driveValues {
	return driveValues{"session": wiretest.NewUUID(), "nonce": strings.ToLower(rand.Text()[:6])}
}

// fill replaces the names in a request. One that nothing was observed for is an error.
func (v driveValues) fill(line []byte) ([]byte, error) {
	var missing error
	filled := driveName.ReplaceAllFunc(line, func(found []byte) []byte {
		value, known := v[string(found[2:len(found)-1])]
		if !known {
			missing = fmt.Errorf("%s: nothing was observed yet that it stands for; observe the preparation or the function_call first", found)
		}
		return insideText(value)
	})
	return filled, missing
}

// insideText writes a text as it stands between the quotes of a JSON string.
func insideText(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil // a text can always be written
	}
	return quoted[1 : len(quoted)-1]
}

// note keeps what an answer tells.
func (v driveValues) note(answer []byte) {
	var told struct {
		Observation struct {
			Payload struct {
				Handle   string `json:"handle"`
				Executor string `json:"executor_id"`
				Call     string `json:"call_id"`
			} `json:"payload"`
		} `json:"observation"`
	}
	_ = json.Unmarshal(answer, &told) // what is not told is empty
	seen := told.Observation.Payload
	for name, value := range map[string]string{"handle": seen.Handle, "executor": seen.Executor, "call": seen.Call} {
		if value != "" {
			v[name] = value
		}
	}
}
