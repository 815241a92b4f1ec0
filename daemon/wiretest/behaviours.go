package wiretest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Behaviour says how one harness is brought to do what a scenario needs of the native side.
type Behaviour struct {
	Kind          string         `yaml:"kind"`
	HarnessConfig map[string]any `yaml:"harness_config"`
	AgentOptions  map[string]any `yaml:"agent_options"` // model and such
	Functions     []any          `yaml:"function_tools"`
	Input         string         `yaml:"input"` // what the user says; "hello" when empty
}

// messages is the input as it travels (wire 3.5.2).
func (b Behaviour) messages() any {
	text := b.Input
	if text == "" {
		text = "hello"
	}
	return []any{map[string]any{"content": []any{map[string]any{"type": "input_text", "text": text}}}}
}

// Behaviours maps names to how they are brought about.
type Behaviours map[string]Behaviour

// BehaviourNames are the behaviours that scenarios ask for, with what the native side has to do for each.
func BehaviourNames() map[string]string {
	return map[string]string{
		"hello":        "says one message, then ends the Turn as done",
		"long":         "streams until it is cancelled, and stops at once then; takes active input without ever consuming it",
		"steer":        "waits for one active input, answers with its text, then done",
		"function":     "calls the function lookup once, waits for its result, answers with it, then done",
		"hold-cancel":  "streams until it is cancelled; the cancel settles after one second, and nothing is sent meanwhile",
		"fail-prepare": "cannot be prepared: the native program does not come up",
		"slow-prepare": "is prepared after two seconds",
		"fail-settle":  "says one message, then reports that the Turn did not settle; the program can still be closed",
		"fail-close":   "says one message and settles as not reusable; the first close fails, the next works",
		"engine-error": "reports an error with the code rate_limit_exceeded, then done",
	}
}

// DefaultBehaviours chooses scripts of the harness kind "scripted" by the behaviour's name.
func DefaultBehaviours() Behaviours {
	all := Behaviours{}
	for name := range BehaviourNames() {
		all[name] = scriptedBehaviour("scripted", name)
	}
	return all
}

func scriptedBehaviour(kind, name string) Behaviour {
	b := Behaviour{Kind: kind, HarnessConfig: map[string]any{"script": name}}
	if name == "function" {
		b.Functions = []any{map[string]any{"name": "lookup", "description": "Looks a word up.",
			"parameters": map[string]any{"type": "object", "properties": map[string]any{}}}}
	}
	return b
}

// ReadBehaviours reads a YAML or JSON file that maps behaviours to kinds and configurations.
func ReadBehaviours(file string) (Behaviours, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read behaviours: %w", err)
	}
	var all Behaviours
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read behaviours of %s: %w", file, err)
	}
	for name, b := range all {
		if _, known := BehaviourNames()[name]; !known {
			return nil, fmt.Errorf("read behaviours of %s: behaviour %q: expected one of %s", file, name,
				strings.Join(slices.Sorted(maps.Keys(BehaviourNames())), ", "))
		}
		if b.Kind == "" {
			return nil, fmt.Errorf("read behaviours of %s: behaviour %q: expected a kind, found none", file, name)
		}
		all[name] = b
	}
	return all, nil
}

// of finds how a behaviour is brought about; scenarios without native work use any kind that is mapped.
func (b Behaviours) of(name string) (Behaviour, bool) {
	if name != "" {
		found, ok := b[name]
		return found, ok
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		return b[name], true
	}
	return Behaviour{}, false
}
