package scripted_test

import (
	"context"
	"testing"

	"parley/daemon/harness"
	"parley/daemon/harness/harnesstest"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

// suiteScript completes at once, unless its input is "run".
const suiteScript = `{
	"steps":[{"do":"message","text":"You said {{input}} after {{history}}"}],
	"on":{"run":[
		{"do":"message","text":"ready"},
		{"do":"wait_steer"},
		{"do":"message","text":"{{steer}} ","pace_ms":1,"forever":true}]}}`

// TestText holds the harness to the shared life of an adapter. behaviour 9.4
func TestText(t *testing.T) {
	t.Parallel()
	harnesstest.Text(t, fixture())
}

// TestContract holds it to the rules of any adapter. behaviour 9.1
func TestContract(t *testing.T) {
	t.Parallel()
	harnesstest.Contract(t, fixture())
}

func fixture() harnesstest.Fixture {
	declared, factory := scripted.New()
	return harnesstest.Fixture{
		Declared: declared.Capabilities,
		Open: func(ctx context.Context) (harness.Executor, error) {
			return factory(ctx, configuration(suiteScript))
		},
		Completing: proto.TextInput("complete"),
		Running:    proto.TextInput("run"),
		Steering:   proto.TextInput("more"),
		Ready: func(f proto.Frame) bool {
			delta, ok := f.Payload.(*proto.Delta)
			return ok && delta.Delta == "ready"
		},
		Owner: harness.Executor.NativeSession,
	}
}

// configuration is one that Core could send, with a harness_config.
func configuration(script string) proto.Configuration {
	return proto.Configuration{
		AgentKind:                   scripted.Kind,
		AgentStateKey:               proto.StateKeyPrefix + "session",
		AgentOptions:                &proto.AgentOptions{Model: "none", HarnessConfig: []byte(script)},
		ExecutionControls:           &proto.ExecutionControls{TextVerbosity: "medium"},
		ObserveSubagentIdentities:   true,
		DisableExecutionEnvironment: true,
	}
}
