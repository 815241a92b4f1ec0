package proto

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// check tells everything; a dispatcher asks the parts one by one, because each has its own code (wire 5.7).
func (p *ExecutionPrepare) check() Faults {
	c := checker{faults: p.binding()}
	if p.Configuration.WorkspaceReadOnly {
		c.under("", p.readOnly())
	} else {
		c.under("", p.Configuration.check())
	}
	return c.faults
}

// BindingFault tells what is wrong with the Session's identity: row 2 of wire 5.7, invalid_configuration. The error is
// nil or Faults.
func (p *ExecutionPrepare) BindingFault() error { return p.binding().orNil() }

// ConfigurationFault tells what is wrong with the configuration of an execution, whatever the kind declares: the part
// of row 6 of wire 5.7, unsupported_configuration, that needs no declaration. Needs tells the rest. The error is nil or
// Faults.
func (p *ExecutionPrepare) ConfigurationFault() error { return p.Configuration.check().orNil() }

// ReadOnlyFault tells what a read-only preparation lacks or must not have (wire 3.6.7), invalid_configuration. The
// error is nil or Faults.
func (p *ExecutionPrepare) ReadOnlyFault() error { return p.readOnly().orNil() }

func (p *ExecutionPrepare) binding() Faults {
	c := checker{rule: "wire 3.6"}
	c.text(!Blank(p.SessionID), "session_id", "an id that is not blank", p.SessionID)
	c.rule = "wire 3.6.1"
	c.text(p.Configuration.RunID == "", "configuration.run_id", "no Run", p.Configuration.RunID)
	c.absent(len(p.Configuration.Input) == 0, "configuration.input")
	key := p.Configuration.AgentStateKey
	session, prefixed := strings.CutPrefix(key, StateKeyPrefix)
	c.text(prefixed && session == p.SessionID, "configuration.agent_state_key", "agents-api- and the Session's id", key)
	return c.faults
}

func (p *ExecutionPrepare) readOnly() Faults {
	c := checker{rule: "wire 3.6.7"}
	it := &p.Configuration
	c.that(it.LocalEnvironment != nil, "configuration.local_environment", "the Environment to read", "none")
	if it.LocalEnvironment != nil {
		c.under("configuration.local_environment", it.LocalEnvironment.check())
	}
	c.present("configuration.agent_state_key", it.AgentStateKey)
	c.absent(it.RunID == "", "configuration.run_id")
	c.absent(len(it.Input) == 0, "configuration.input")
	c.absent(it.AgentSessionID == "", "configuration.agent_session_id")
	c.absent(it.AgentOptions == nil, "configuration.agent_options")
	c.absent(it.ExecutionControls == nil, "configuration.execution_controls")
	c.absent(it.MCPHTTPServers == nil, "configuration.mcp_http_servers")
	c.absent(len(it.FunctionTools) == 0, "configuration.function_tools")
	c.absent(!it.RequireExistingNativeSession, "configuration.require_existing_native_session")
	c.absent(!it.DisableExecutionEnvironment, "configuration.disable_execution_environment")
	c.absent(!it.ToolSearch, "configuration.tool_search")
	c.absent(!it.ObserveMessages, "configuration.observe_messages")
	c.absent(!it.ObserveSubagentIdentities, "configuration.observe_subagent_identities")
	return c.faults
}

// check applies the rules of an execution's configuration (wire 3.6.1 to 3.6.8).
func (it *Configuration) check() Faults {
	c := checker{rule: "wire 3.6.1"}
	c.that((it.LocalEnvironment != nil) != it.DisableExecutionEnvironment, "local_environment",
		"exactly one of local_environment and disable_execution_environment", "both or neither")
	if it.AgentOptions != nil {
		c.under("agent_options", it.AgentOptions.check())
	}
	if it.ExecutionControls != nil {
		c.under("execution_controls", it.ExecutionControls.check())
	}
	if it.MCPHTTPServers != nil {
		each(&c, "mcp_http_servers", *it.MCPHTTPServers, func(m *MCPHTTPServer) Faults { return m.check(it) })
	}
	if it.LocalEnvironment != nil {
		c.under("local_environment", it.LocalEnvironment.check())
	}
	it.checkFunctions(&c)
	var faults checker
	faults.under("configuration", c.faults)
	return faults.faults
}

// check wants the four options and no other (wire 3.6.2).
func (o *AgentOptions) check() Faults {
	c := checker{rule: "wire 3.6.2"}
	c.noOthers(o.Others)
	if o.ModelProvider != nil {
		c.under("model_provider", o.ModelProvider.check())
	}
	if o.HarnessConfig != nil {
		c.under("harness_config", checkHarnessConfig(o.HarnessConfig))
	}
	return c.faults
}

// noOthers wants a closed set of keys. Only the first other key is named: there may be very many.
func (c *checker) noOthers(others jsontext.Value) {
	if first, any := firstKey(others); any {
		c.add("", "no key beyond those of the contract", show(first))
	}
}

func (e *ExecutionControls) check() Faults {
	c := checker{rule: "wire 3.6.3"}
	c.oneOf("text_verbosity", e.TextVerbosity, "low", "medium", "high")
	mode := stringOf(e.WebSearch)
	c.that(objectOrMissing(e.WebSearch) || mode == "disabled", "web_search", "disabled or an object", "another value")
	if e.OutputFormat != nil {
		c.text(e.OutputFormat.Type == FormatJSONSchema, "output_format.type", FormatJSONSchema, e.OutputFormat.Type)
		c.that(e.OutputFormat.Schema.Kind() == '{', "output_format.schema", "an object", "another value or none")
	}
	return c.faults
}

func (l *LocalEnvironment) check() Faults {
	c := checker{rule: "wire 3.6.6"}
	c.present("id", l.ID)
	c.present("workspace_directory", l.WorkspaceDirectory)
	if l.CapabilitySources != nil {
		c.under("capability_sources", l.CapabilitySources.check())
	}
	c.that(objectOrMissing(l.ToolEnvironment), "tool_environment", "an object", "another value")
	return c.faults
}

// checkFunctions applies wire 3.6.8.
func (it *Configuration) checkFunctions(c *checker) {
	c.rule = "wire 3.6.8"
	if len(it.FunctionTools) > MaxFunctionTools {
		c.number(false, "function_tools", "at most 64", int64(len(it.FunctionTools)))
		return
	}
	each(c, "function_tools", it.FunctionTools, (*FunctionTool).check)
	deferred := false
	for i, tool := range it.FunctionTools {
		earlier := slices.ContainsFunc(it.FunctionTools[:i], func(other FunctionTool) bool { return other.Name == tool.Name })
		if earlier {
			c.add(index("function_tools", i)+".name", "every name once", show(tool.Name))
		}
		deferred = deferred || tool.DeferLoading
	}
	c.that(it.ToolSearch == deferred, "tool_search", "true when a function is loaded later, and only then", "the opposite")
}

func (f *FunctionTool) check() Faults {
	c := checker{rule: "wire 3.6.8"}
	c.text(bounded(f.Name, MaxToolName), "name", "1 to 512 bytes, not blank", f.Name)
	c.that(f.Parameters.Kind() == '{', "parameters", "an object", "another value or none")
	return c.faults
}
