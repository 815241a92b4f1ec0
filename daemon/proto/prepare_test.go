package proto_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

const secret = "s3cr3t-of-the-operator"

// prepared changes the configuration of an example and tells its prepare.
func prepared(t *testing.T, example string, edit func(*proto.Configuration)) *proto.ExecutionPrepare {
	t.Helper()
	prepare := validFrame(t, example).Payload.(*proto.ExecutionPrepare)
	edit(&prepare.Configuration)
	return prepare
}

// configured holds changed configurations to their first fault, and looks for secrets in every text. A path is below
// the prefix; " " stands for the prefix itself and "" for no fault.
func configured(t *testing.T, example, prefix, rule string, cases edits) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepare := prepared(t, example, test.edit)
			err := prepare.ConfigurationFault()
			path := ""
			if test.path != "" {
				path = prefix + strings.TrimSpace(test.path)
			}
			held(t, err, path, rule)
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, which shows a secret", err)
			}
			if binding := prepare.BindingFault(); binding != nil {
				t.Errorf("got binding fault %v, want none", binding)
			}
			if (proto.New("p", prepare).Validate() == nil) != (err == nil) {
				t.Errorf("got another verdict from Validate than %v", err)
			}
		})
	}
}

type edits = map[string]struct {
	edit func(*proto.Configuration)
	path string
}

// wire 3.6.2
func TestModelProvider(t *testing.T) {
	t.Parallel()
	with := func(edit func(*proto.ModelProvider)) func(*proto.Configuration) {
		return func(c *proto.Configuration) {
			c.AgentOptions.ModelProvider = &proto.ModelProvider{Protocol: "responses", BaseURL: "https://api.example.net/v1", APIKey: secret}
			edit(c.AgentOptions.ModelProvider)
		}
	}
	at := func(url string) func(*proto.Configuration) {
		return with(func(p *proto.ModelProvider) { p.BaseURL = url })
	}
	configured(t, "V18", "configuration.agent_options", "wire 3.6.2", edits{
		"sound":          {with(func(*proto.ModelProvider) {}), ""},
		"another option": {func(c *proto.Configuration) { c.AgentOptions.Others = []byte(`{"top_p":1}`) }, " "},
		"another key of the provider": {with(func(p *proto.ModelProvider) {
			p.Others = []byte(`{"region":"` + secret + `"}`)
		}), ".model_provider"},
		"protocol":                 {with(func(p *proto.ModelProvider) { p.Protocol = "grpc" }), ".model_provider.protocol"},
		"no key":                   {with(func(p *proto.ModelProvider) { p.APIKey = " " }), ".model_provider.api_key"},
		"longest key":              {with(func(p *proto.ModelProvider) { p.APIKey = long(16_384) }), ""},
		"key too long":             {with(func(p *proto.ModelProvider) { p.APIKey = secret + long(16_384) }), ".model_provider.api_key"},
		"line feed in the key":     {with(func(p *proto.ModelProvider) { p.APIKey = secret + "\n" }), ".model_provider.api_key"},
		"NUL in the key":           {with(func(p *proto.ModelProvider) { p.APIKey = secret + "\x00" }), ".model_provider.api_key"},
		"window below 0":           {with(func(p *proto.ModelProvider) { p.ContextWindow = -1 }), ".model_provider.context_window"},
		"output below 0":           {with(func(p *proto.ModelProvider) { p.MaxOutputTokens = -1 }), ".model_provider.max_output_tokens"},
		"output above the window":  {with(func(p *proto.ModelProvider) { p.ContextWindow, p.MaxOutputTokens = 8, 9 }), ".model_provider.max_output_tokens"},
		"output as large as it":    {with(func(p *proto.ModelProvider) { p.ContextWindow, p.MaxOutputTokens = 8, 8 }), ""},
		"output without a window":  {with(func(p *proto.ModelProvider) { p.MaxOutputTokens = 9 }), ""},
		"http to loopback":         {at("http://127.0.0.1:8080/v1"), ""},
		"http to loopback of IPv6": {at("http://[::1]:8080"), ""},
		"http elsewhere":           {at("http://10.0.0.1"), ".model_provider.base_url"},
		"http to a name":           {at("http://localhost:8080"), ".model_provider.base_url"},
		"another scheme":           {at("ftp://example.net"), ".model_provider.base_url"},
		"no scheme":                {at("example.net"), ".model_provider.base_url"},
		"no host":                  {at("https:///v1"), ".model_provider.base_url"},
		"port alone":               {at("https://:443"), ".model_provider.base_url"},
		"user":                     {at("https://u:" + secret + "@example.net"), ".model_provider.base_url"},
		"query":                    {at("https://example.net/?k=" + secret), ".model_provider.base_url"},
		"empty query":              {at("https://example.net/?"), ".model_provider.base_url"},
		"fragment":                 {at("https://example.net/#a"), ".model_provider.base_url"},
		"control character":        {at("https://example.net/\u0085"), ".model_provider.base_url"},
		"empty":                    {at(""), ".model_provider.base_url"},
	})
}

// wire 3.6.4
func TestHarnessConfig(t *testing.T) {
	t.Parallel()
	with := func(text string) func(*proto.Configuration) {
		return func(c *proto.Configuration) { c.AgentOptions.HarnessConfig = jsontext.Value(text) }
	}
	nested := func(levels int) string {
		return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
	}
	configured(t, "V18", "configuration.agent_options.harness_config", "wire 3.6.4", edits{
		"empty":                {with(`{}`), ""},
		"any key":              {with(`{"effort":"high","thinking":{"type":"adaptive"}}`), ""},
		"null":                 {with(`null`), " "},
		"array":                {with(`[]`), " "},
		"largest":              {with(`{"a":"` + long(16_384-8) + `"}`), ""},
		"too large":            {with(`{"a":"` + long(16_384-7) + `"}`), " "},
		"deepest":              {with(nested(32)), ""},
		"too deep":             {with(nested(33)), " "},
		"too deep in arrays":   {with(`{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`), " "},
		"member twice":         {with(`{"a":1,"a":1}`), " "},
		"member twice, deep":   {with(`{"a":[{"b":{"c":1,"c":2}}]}`), " "},
		"member twice, as \\u": {with(`{"a":1,"\u0061":2}`), " "},
		"same key elsewhere":   {with(`{"a":{"a":1},"b":[{"a":1},{"a":2}]}`), ""},
	})
}

// wire 3.6.3
func TestExecutionControls(t *testing.T) {
	t.Parallel()
	with := func(edit func(*proto.ExecutionControls)) func(*proto.Configuration) {
		return func(c *proto.Configuration) {
			c.ExecutionControls = &proto.ExecutionControls{TextVerbosity: "medium"}
			edit(c.ExecutionControls)
		}
	}
	format := func(kind, schema string) func(*proto.Configuration) {
		return with(func(e *proto.ExecutionControls) {
			e.OutputFormat = &proto.OutputFormat{Type: kind, Schema: []byte(schema)}
		})
	}
	search := func(value string) func(*proto.Configuration) {
		return with(func(e *proto.ExecutionControls) { e.WebSearch = []byte(value) })
	}
	configured(t, "V18", "configuration.execution_controls", "wire 3.6.3", edits{
		"sound":              {with(func(*proto.ExecutionControls) {}), ""},
		"no verbosity":       {with(func(e *proto.ExecutionControls) { e.TextVerbosity = "" }), ".text_verbosity"},
		"verbosity":          {with(func(e *proto.ExecutionControls) { e.TextVerbosity = "loud" }), ".text_verbosity"},
		"schema":             {format("json_schema", `{"type":"object"}`), ""},
		"another format":     {format("text", `{}`), ".output_format.type"},
		"schema true":        {format("json_schema", `true`), ".output_format.schema"},
		"no schema":          {format("json_schema", ``), ".output_format.schema"},
		"search disabled":    {search(`"disabled"`), ""},
		"search with a mode": {search(`{"mode":"live","allowed_domains":["example.net"]}`), ""},
		"search as a list":   {search(`[]`), ".web_search"},
		"search as a word":   {search(`"live"`), ".web_search"},
	})
}

// wire 3.6.5
func TestMCPServers(t *testing.T) {
	t.Parallel()
	with := func(edit func(*proto.MCPHTTPServer)) func(*proto.Configuration) {
		return func(c *proto.Configuration) { edit(&(*c.MCPHTTPServers)[0]) }
	}
	process := func(edit func(*proto.MCPHTTPServer)) func(*proto.Configuration) {
		return with(func(m *proto.MCPHTTPServer) {
			*m = proto.MCPHTTPServer{ConnectionOrigin: "environment", ServerLabel: "wiki", Stdio: &proto.MCPStdio{Command: "wiki"}}
			edit(m)
		})
	}
	configured(t, "V19", "configuration.mcp_http_servers[0]", "wire 3.6.5", edits{
		"sound":                     {with(func(*proto.MCPHTTPServer) {}), ""},
		"service in an Environment": {with(func(m *proto.MCPHTTPServer) { m.ConnectionOrigin = "service" }), ".connection_origin"},
		"origin":                    {with(func(m *proto.MCPHTTPServer) { m.ConnectionOrigin = "cloud" }), ".connection_origin"},
		"no label":                  {with(func(m *proto.MCPHTTPServer) { m.ServerLabel = "" }), ".server_label"},
		"no URL":                    {with(func(m *proto.MCPHTTPServer) { m.ServerURL, m.BearerToken = "", nil }), ".server_url"},
		"http without a token":      {with(func(m *proto.MCPHTTPServer) { m.ServerURL, m.BearerToken = "http://example.net", nil }), ""},
		"token over http": {with(func(m *proto.MCPHTTPServer) {
			m.ServerURL, m.BearerToken = "http://u:"+secret+"@example.net", ref(secret)
		}), ".server_url"},
		"token to no host":          {with(func(m *proto.MCPHTTPServer) { m.ServerURL, m.BearerToken = "https:///mcp", ref(secret) }), ".server_url"},
		"empty token over http":     {with(func(m *proto.MCPHTTPServer) { m.ServerURL, m.BearerToken = "http://example.net", ref("") }), ".server_url"},
		"headers":                   {with(func(m *proto.MCPHTTPServer) { m.Headers = map[string]string{"X-Team": secret} }), ""},
		"process":                   {process(func(*proto.MCPHTTPServer) {}), ""},
		"process without a command": {process(func(m *proto.MCPHTTPServer) { m.Stdio.Command = "" }), ".stdio.command"},
		"process and URL":           {process(func(m *proto.MCPHTTPServer) { m.ServerURL = "https://example.net" }), ".server_url"},
		"process and token":         {process(func(m *proto.MCPHTTPServer) { m.BearerToken = ref(secret) }), ".bearer_token"},
		"process and headers":       {process(func(m *proto.MCPHTTPServer) { m.Headers = map[string]string{"A": secret} }), ".headers"},
		"explicitly none":           {func(c *proto.Configuration) { c.MCPHTTPServers = &[]proto.MCPHTTPServer{} }, ""},
	})
	configured(t, "V18", "configuration.mcp_http_servers[0]", "wire 3.6.5", edits{
		"process of a service": {func(c *proto.Configuration) {
			c.MCPHTTPServers = &[]proto.MCPHTTPServer{{ConnectionOrigin: "service", ServerLabel: "w", Stdio: &proto.MCPStdio{Command: "w"}}}
		}, ".stdio"},
		"service": {func(c *proto.Configuration) {
			c.MCPHTTPServers = &[]proto.MCPHTTPServer{{ConnectionOrigin: "service", ServerLabel: "w", ServerURL: "https://example.net"}}
		}, ""},
	})
}

// wire 3.6.6, 3.6.8
func TestEnvironmentAndFunctions(t *testing.T) {
	t.Parallel()
	tools := func(search bool, all ...proto.FunctionTool) func(*proto.Configuration) {
		return func(c *proto.Configuration) { c.FunctionTools, c.ToolSearch = all, search }
	}
	tool := func(name string) proto.FunctionTool {
		return proto.FunctionTool{Name: name, Parameters: []byte(`{"type":"object"}`)}
	}
	later := tool("later")
	later.DeferLoading = true
	var most []proto.FunctionTool
	for i := range 65 {
		most = append(most, tool(fmt.Sprint("f", i)))
	}
	configured(t, "V19", "configuration", "wire 3.6.8", edits{
		"two functions":         {tools(false, tool("a"), tool("A")), ""},
		"most functions":        {tools(false, most[:64]...), ""},
		"too many functions":    {tools(false, most...), ".function_tools"},
		"blank name":            {tools(false, tool(" ")), ".function_tools[0].name"},
		"longest name":          {tools(false, tool(long(512))), ""},
		"name too long":         {tools(false, tool(long(513))), ".function_tools[0].name"},
		"name twice":            {tools(false, tool("a"), tool("b"), tool("a")), ".function_tools[2].name"},
		"parameters":            {tools(false, proto.FunctionTool{Name: "a", Parameters: []byte(`[]`)}), ".function_tools[0].parameters"},
		"no parameters":         {tools(false, proto.FunctionTool{Name: "a"}), ".function_tools[0].parameters"},
		"search":                {tools(true, tool("a"), later), ""},
		"search for nothing":    {tools(true, tool("a")), ".tool_search"},
		"later without search":  {tools(false, later), ".tool_search"},
		"search without a tool": {tools(true), ".tool_search"},
	})
	configured(t, "V19", "configuration.local_environment", "wire 3.6.6", edits{
		"no id":            {func(c *proto.Configuration) { c.LocalEnvironment.ID = "" }, ".id"},
		"no folder":        {func(c *proto.Configuration) { c.LocalEnvironment.WorkspaceDirectory = "" }, ".workspace_directory"},
		"tool environment": {func(c *proto.Configuration) { c.LocalEnvironment.ToolEnvironment = []byte(`[]`) }, ".tool_environment"},
	})
	configured(t, "V19", "configuration.local_environment.capability_sources", "wire 3.8.3", edits{
		"sources": {func(c *proto.Configuration) {
			c.LocalEnvironment.CapabilitySources = &proto.Sources{Directories: []string{"relative"}}
		}, ".directories[0]"},
	})
}

// wire 3.6.7
func TestReadOnlyProfile(t *testing.T) {
	t.Parallel()
	for name, test := range (edits{
		"sound":              {func(*proto.Configuration) {}, ""},
		"no Environment":     {func(c *proto.Configuration) { c.LocalEnvironment = nil }, "local_environment"},
		"no folder":          {func(c *proto.Configuration) { c.LocalEnvironment.WorkspaceDirectory = "" }, "local_environment.workspace_directory"},
		"no state key":       {func(c *proto.Configuration) { c.AgentStateKey = "" }, "agent_state_key"},
		"native Session":     {func(c *proto.Configuration) { c.AgentSessionID = "n" }, "agent_session_id"},
		"options":            {func(c *proto.Configuration) { c.AgentOptions = &proto.AgentOptions{} }, "agent_options"},
		"controls":           {func(c *proto.Configuration) { c.ExecutionControls = &proto.ExecutionControls{} }, "execution_controls"},
		"no MCP, said aloud": {func(c *proto.Configuration) { c.MCPHTTPServers = &[]proto.MCPHTTPServer{} }, "mcp_http_servers"},
		"functions":          {func(c *proto.Configuration) { c.FunctionTools = make([]proto.FunctionTool, 1) }, "function_tools"},
		"existing Session":   {func(c *proto.Configuration) { c.RequireExistingNativeSession = true }, "require_existing_native_session"},
		"no environment":     {func(c *proto.Configuration) { c.DisableExecutionEnvironment = true }, "disable_execution_environment"},
		"tool search":        {func(c *proto.Configuration) { c.ToolSearch = true }, "tool_search"},
		"messages":           {func(c *proto.Configuration) { c.ObserveMessages = true }, "observe_messages"},
		"children":           {func(c *proto.Configuration) { c.ObserveSubagentIdentities = true }, "observe_subagent_identities"},
		"no children":        {func(c *proto.Configuration) { c.DisableSubagents = true }, ""},
		"bound of children":  {func(c *proto.Configuration) { c.MaxConcurrentSubagents = ref(3) }, ""},
		"Run":                {func(c *proto.Configuration) { c.RunID = "r" }, "run_id"},
		"input":              {func(c *proto.Configuration) { c.Input = proto.TextInput("a") }, "input"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := test.path
			if path != "" {
				path = "configuration." + path
			}
			rule := "wire 3.6.7"
			if strings.HasPrefix(test.path, "local_environment.") {
				rule = "wire 3.6.6"
			}
			prepare := prepared(t, "V20", test.edit)
			held(t, prepare.ReadOnlyFault(), path, rule)
			if (proto.New("p", prepare).Validate() == nil) != (path == "") {
				t.Errorf("got another verdict from Validate")
			}
		})
	}
}

// wire 4.3
func TestNeeds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		example string
		edit    func(*proto.Configuration)
		want    []proto.Capability
	}{
		"no environment": {"V18", func(*proto.Configuration) {}, []proto.Capability{proto.EnvironmentNone}},
		"local":          {"V19", func(*proto.Configuration) {}, []proto.Capability{proto.LocalEnvironmentSupport, proto.SubagentControl, proto.MCPHTTPTools, proto.MCPHTTPRequired, proto.MCPHTTPBearerAuth}},
		"read only":      {"V20", func(*proto.Configuration) {}, []proto.Capability{proto.LocalEnvironmentSupport, proto.WorkspaceReadPreparation}},
		"schema": {"V18", func(c *proto.Configuration) {
			c.ExecutionControls = &proto.ExecutionControls{OutputFormat: &proto.OutputFormat{}}
		}, []proto.Capability{proto.MessageItems, proto.EnvironmentNone, proto.ExecutionControlsSupport, proto.StructuredOutput}},
		"later functions": {"V18", func(c *proto.Configuration) { c.FunctionTools = []proto.FunctionTool{{DeferLoading: true}} }, []proto.Capability{proto.EnvironmentNone, proto.ToolSearch, proto.FunctionTools}},
		"children":        {"V18", func(c *proto.Configuration) { c.ObserveSubagentIdentities = true }, []proto.Capability{proto.SubagentObservations, proto.EnvironmentNone}},
		"lost Session":    {"V18", func(c *proto.Configuration) { c.RequireExistingNativeSession = true }, []proto.Capability{proto.NativeSessionRecovery, proto.EnvironmentNone}},
		"known Session": {"V18", func(c *proto.Configuration) {
			c.RequireExistingNativeSession, c.AgentSessionID = true, "nat-9"
		}, []proto.Capability{proto.EnvironmentNone}},
		"MCP explicitly none": {"V18", func(c *proto.Configuration) { c.MCPHTTPServers = &[]proto.MCPHTTPServer{} }, []proto.Capability{proto.EnvironmentNone}},
	} {
		got := prepared(t, test.example, test.edit).Configuration.Needs()
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	var declared proto.Capabilities
	declared[proto.Streaming] = proto.Supported
	if lack, lacks := declared.Lacks(proto.AlwaysRequired()); !lacks || lack != proto.DurableTurns {
		t.Errorf("got %v, %v, want durable_turns", lack, lacks)
	}
}

// behaviour 5.4: what the fingerprint counts, and what it leaves out.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := proto.Fingerprint(prepared(t, "V19", func(*proto.Configuration) {}).Configuration)
	if base == ([32]byte{}) {
		t.Error("got the zero fingerprint for a configuration")
	}
	for name, test := range map[string]struct {
		edit func(*proto.Configuration)
		same bool
	}{
		"Run":              {func(c *proto.Configuration) { c.RunID = "r" }, true},
		"input":            {func(c *proto.Configuration) { c.Input = proto.TextInput("a") }, true},
		"native Session":   {func(c *proto.Configuration) { c.AgentSessionID = "n" }, true},
		"existing Session": {func(c *proto.Configuration) { c.RequireExistingNativeSession = true }, true},
		"prompt":           {func(c *proto.Configuration) { c.AgentOptions.SystemPrompt = "Be long." }, false},
		"token":            {func(c *proto.Configuration) { (*c.MCPHTTPServers)[0].BearerToken = ref("other") }, false},
		"no MCP":           {func(c *proto.Configuration) { c.MCPHTTPServers = nil }, false},
		"kind":             {func(c *proto.Configuration) { c.AgentKind = "other" }, false},
		"Environment":      {func(c *proto.Configuration) { c.LocalEnvironment.ID = "other" }, false},
	} {
		configuration := prepared(t, "V19", test.edit).Configuration
		if got := proto.Fingerprint(configuration) == base; got != test.same {
			t.Errorf("%s: got the same fingerprint %v, want %v", name, got, test.same)
		}
		if name == "Run" && configuration.RunID != "r" {
			t.Error("the fingerprint changed the configuration")
		}
	}
}

// wire 3.6.1: equal requests are equal however they were spelled.
func TestDigestPayload(t *testing.T) {
	t.Parallel()
	one := decode(t, `{"type":"execution_release","id":"a","payload":{"handle":"h","x":1}}`)
	other := decode(t, `{"id":"b","type":"execution_release","payload":{ "Handle" : "\u0068" }}`)
	third := decode(t, `{"type":"execution_release","id":"a","payload":{"handle":"i"}}`)
	if proto.DigestPayload(one.Payload) != proto.DigestPayload(other.Payload) {
		t.Error("got two digests for equal requests, want one")
	}
	if proto.DigestPayload(one.Payload) == proto.DigestPayload(third.Payload) {
		t.Error("got one digest for different requests, want two")
	}
}
