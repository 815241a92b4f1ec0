package scripted

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

// script is what a native program does, read and checked.
type script struct {
	document
	steps []step            // that a Turn plays
	on    map[string][]step // that it plays instead, by the text of its input
}

// document is the script as it is written.
type document struct {
	Title       string         `json:"title" about:"name for people"`
	Description string         `json:"description" about:"what it shows"`
	Steps       jsontext.Value `json:"steps" about:"what a Turn plays" need:"yes" value:"list of steps"`
	On          jsontext.Value `json:"on" about:"lists of steps by input: the list is played instead when its key is exactly the text of the input" value:"object"`
	Prepare     preparation    `json:"prepare" about:"how the factory behaves"`
	Start       start          `json:"start" about:"how a Turn starts"`
	Steer       steering       `json:"steer" about:"how active input is taken"`
	Cancel      cancellation   `json:"cancel" about:"how a Turn is cancelled"`
	Settle      settlement     `json:"settle" about:"how a Turn settles"`
	Close       closing        `json:"close" about:"how the Executor closes"`
}

type preparation struct {
	DelayMS milliseconds `json:"delay_ms" about:"time it takes"`
	Fail    string       `json:"fail" about:"text of the error with which it fails"`
	Holding bool         `json:"fail_with_executor" about:"with fail: an Executor comes along, which the Runtime has to close"`
}

type start struct {
	DelayMS  milliseconds `json:"delay_ms" about:"time it takes"`
	Fail     string       `json:"fail" about:"text of the error with which it fails; nothing was submitted"`
	WithTurn bool         `json:"fail_with_turn" about:"with fail: a Turn comes along, so that input counts as submitted"`
}

type steering struct {
	WriteMS milliseconds `json:"write_ms" about:"time the native write takes"`
	Refuse  string       `json:"refuse" about:"refuses all active input" of:"not_ready,rejected"`
}

type cancellation struct {
	HoldMS    milliseconds `json:"hold_ms" about:"time until the native work has stopped"`
	Fail      string       `json:"fail" about:"text of the error with which it fails; the Turn goes on"`
	Done      bool         `json:"done" about:"the output ends with done instead of without"`
	NoOutcome bool         `json:"no_outcome" about:"there is no snapshot of what came so far"`
}

type settlement struct {
	DelayMS milliseconds `json:"delay_ms" about:"time from the end of output until nothing goes on any more"`
	Fail    string       `json:"fail" about:"text of the error with which it is not confirmed"`
	Spent   bool         `json:"spent" about:"the Executor cannot serve another Turn"`
}

type closing struct {
	FailTimes int `json:"fail_times" about:"so many closes fail, and stop nothing, before one works; at most 100"`
}

// maxFailTimes bounds how long a script can keep its Executor.
const maxFailTimes = 100

// choice is the whole of harness_config when a shipped script is meant.
type choice struct {
	Script string `json:"script" about:"name of a shipped script" need:"yes"`
}

// defaultScript is played when a configuration says nothing.
const defaultScript = "hello"

// Check reads a harness_config as the factory will, and says what is wrong with it; nil when nothing is.
func Check(config []byte) error {
	_, err := chosen(config)
	return err
}

// chosen reads a harness_config: {"script":"NAME"}, or a script written there. Nothing chooses the default.
func chosen(config jsontext.Value) (*script, error) {
	if len(config) > proto.MaxHarnessConfig {
		return nil, fmt.Errorf("read harness_config: %d bytes are over the limit of %d", len(config), proto.MaxHarnessConfig)
	}
	var members map[string]jsontext.Value
	if len(config) > 0 {
		if config.Kind() != '{' {
			return nil, fmt.Errorf("read harness_config: expected an object, found %s", found(config))
		}
		if err := json.Unmarshal(config, &members); err != nil {
			return nil, fmt.Errorf("read harness_config: %w", err)
		}
	}
	if len(members) == 0 {
		return shipped(defaultScript)
	}
	if _, named := members["script"]; named {
		var chosen choice
		if err := fill("harness_config", &chosen, config); err != nil {
			return nil, err
		}
		return shipped(chosen.Script)
	}
	return parse("harness_config", config)
}

// parse reads a script and checks what its parts say of each other.
func parse(where string, data jsontext.Value) (*script, error) {
	if err := checkPlaceholders(string(data)); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	s := &script{}
	if err := fill(where, &s.document, data); err != nil {
		return nil, err
	}
	if err := s.checkSections(); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	steps, err := parseSteps(where, s.Steps)
	if err != nil {
		return nil, err
	}
	s.steps = steps
	s.on, err = parseOn(where, s.On)
	return s, err
}

// parseOn reads the lists that stand for single inputs.
func parseOn(where string, data jsontext.Value) (map[string][]step, error) {
	if data == nil {
		return nil, nil
	}
	var lists map[string]jsontext.Value
	if data.Kind() != '{' || json.Unmarshal(data, &lists) != nil {
		return nil, fmt.Errorf("%s: key \"on\": expected an object of lists of steps, found %s", where, found(data))
	}
	on := make(map[string][]step, len(lists))
	for input, list := range lists {
		steps, err := parseSteps(fmt.Sprintf("%s: on %q", where, cut(input, maxShown)), list)
		if err != nil {
			return nil, err
		}
		on[input] = steps
	}
	return on, nil
}

// checkSections refuses a key that would have no effect.
func (s *script) checkSections() error {
	switch {
	case s.Prepare.Holding && s.Prepare.Fail == "":
		return errors.New("prepare: fail_with_executor needs fail")
	case s.Start.WithTurn && s.Start.Fail == "":
		return errors.New("start: fail_with_turn needs fail")
	case s.Close.FailTimes < 0 || s.Close.FailTimes > maxFailTimes:
		return fmt.Errorf("close: key \"fail_times\": expected 0 to %d, found %d", maxFailTimes, s.Close.FailTimes)
	}
	return nil
}

// stepsFor are those of a Turn with this input.
func (s *script) stepsFor(input string) []step {
	if steps, found := s.on[input]; found {
		return steps
	}
	return s.steps
}
