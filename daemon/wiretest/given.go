package wiretest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"parley/daemon/proto"
)

// Profile is what a Runtime is given to reach a Core. Its JSON is the file that daemons read.
type Profile struct {
	ServerURL          string `json:"server_url"` // origin and /api/v1
	RuntimeID          string `json:"runtime_id"`
	RunnerCredential   string `json:"runner_credential"` // secret
	DeviceName         string `json:"device_name"`
	EnvironmentID      string `json:"environment_id,omitempty"`
	SessionID          string `json:"session_id,omitempty"`
	WorkspaceDirectory string `json:"workspace_directory,omitempty"`
}

// withDefaults makes the ids that a person did not choose.
func (p Profile) withDefaults() Profile {
	for _, d := range []struct {
		field *string
		value string
	}{
		{&p.RuntimeID, "runtime"}, {&p.RunnerCredential, "synthetic-contract-credential"}, {&p.DeviceName, "conformance"},
		{&p.EnvironmentID, NewUUID()}, {&p.SessionID, NewUUID()}, {&p.WorkspaceDirectory, "/workspace"},
	} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	return p
}

// NewUUID makes a canonical UUID of the random sort, as the ids of Sessions and transfers are (wire 1.2).
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// otherSessions is how many Sessions beside the bound one a scenario may name.
const otherSessions = 5

// givenNames are the names that given fills.
func givenNames() []string {
	return slices.Sorted(maps.Keys(given(Profile{}, Behaviour{})))
}

// given are the values of one replay that are known before it begins.
func given(profile Profile, behaviour Behaviour) map[string]any {
	values := map[string]any{
		"device": profile.RuntimeID, "credential": profile.RunnerCredential, "session": profile.SessionID,
		"environment": profile.EnvironmentID, "workspace": profile.WorkspaceDirectory,
		"kind": behaviour.Kind, "state_key": proto.StateKeyPrefix + profile.SessionID, "input": behaviour.messages(),
		"transfer": NewUUID(), "transfer_2": NewUUID(), "nonce": rand.Text()[:10],
		"version": proto.Version, "version_older": "0.1.0", "version_patch": proto.Version + "1",
		"version_truncated":  proto.Version[:len(proto.Version)-1],
		"version_prerelease": proto.Version + "-dev", "version_build": proto.Version + "+build",
		"capabilities": allCapabilities(),
		"now":          int64(1_790_000_000),
	}
	for i := range otherSessions {
		values[fmt.Sprintf("other_%d", i+1)] = NewUUID()
	}
	values["configuration"] = configuration(profile, behaviour, map[string]any{"disable_execution_environment": true})
	local := map[string]any{"id": profile.EnvironmentID, "workspace_directory": profile.WorkspaceDirectory, "capability_sources": nil}
	values["configuration_local"] = configuration(profile, behaviour, map[string]any{"local_environment": local})
	values["configuration_read"] = map[string]any{"agent_kind": behaviour.Kind, "run_id": "", "workspace_read_only": true,
		"agent_state_key": proto.StateKeyPrefix + profile.SessionID, "local_environment": local}
	for name, value := range values {
		values[name] = normal(value)
	}
	return values
}

// normal brings a value into the form in which frames are compared: what came of it through JSON.
func normal(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		return value // stays as it is and equals nothing that was received
	}
	result, err := plain(data)
	if err != nil {
		return value
	}
	return result
}

// configuration is what Core asks for: the behaviour's agent at one place of execution (wire 3.6.1).
func configuration(profile Profile, behaviour Behaviour, place map[string]any) map[string]any {
	options := map[string]any{"model": "contract", "system_prompt": "Follow the contract."}
	maps.Copy(options, behaviour.AgentOptions)
	if behaviour.HarnessConfig != nil {
		options["harness_config"] = behaviour.HarnessConfig
	}
	config := map[string]any{"agent_kind": behaviour.Kind, "run_id": "", "agent_options": options,
		"agent_state_key":    proto.StateKeyPrefix + profile.SessionID,
		"execution_controls": map[string]any{"web_search": "disabled", "text_verbosity": "medium"}}
	if behaviour.Functions != nil {
		config["function_tools"] = behaviour.Functions
	}
	maps.Copy(config, place)
	return config
}

// allCapabilities is the declaration of the scripted Runtime: it plays every side of every scenario.
func allCapabilities() map[string]any {
	all := map[string]any{}
	for c := range proto.CapabilityCount {
		all[c.String()] = true
	}
	return all
}
