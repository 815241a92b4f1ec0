package proto_test

import (
	"errors"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// wire 0.3: every row, with what an encoder then writes.
func TestDecodeVerdicts(t *testing.T) {
	t.Parallel()
	const fails = "payload does not decode"
	tests := map[string]struct{ frame, want string }{
		"unknown member of the envelope": {
			`{"type":"delta","id":"r","seq":1,"payload":{"delta":"x","sequence":1}}`,
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1}}`},
		"unknown member of the payload": {
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1,"native":{"a":[1]}}}`,
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1}}`},
		"unknown member of a strict payload": {`{"type":"tool_call","id":"r","payload":{"id":"t","name":"n","stage":"after","extra":1}}`, fails},
		"key in another case": {
			`{"TYPE":"delta","Id":"r","PayLoad":{"DELTA":"x","Sequence":7}}`,
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":7}}`},
		"escaped key": {
			`{"\u0074ype":"delta","i\u0064":"r","payload":{"d\u0065lta":"x","sequence":7}}`,
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":7}}`},
		"member twice in the envelope": {
			`{"type":"done","id":"a","type":"delta","id":"b","payload":{"delta":"1"},"payload":{"sequence":2}}`,
			`{"type":"delta","id":"b","payload":{"delta":"","sequence":2}}`},
		"member twice in the payload": {
			`{"type":"delta","id":"r","payload":{"delta":"x","delta":"y","sequence":1,"sequence":2}}`,
			`{"type":"delta","id":"r","payload":{"delta":"y","sequence":2}}`},
		"null for a string, a number and an array": {
			`{"type":"function_result","id":null,"payload":{"delivery_id":null,"call_id":null,"success":null,"content":null}}`,
			`{"type":"function_result","payload":{"delivery_id":"","call_id":"","success":false,"content":null}}`},
		"null for an object": {
			`{"type":"done","id":"r","payload":{"content":"","usage":null,"metadata":null}}`,
			`{"type":"done","id":"r","payload":{"content":""}}`},
		"null for the payload": {`{"type":"prompt_cancel","id":"r","payload":null}`, `{"type":"prompt_cancel","id":"r"}`},
		"integer as 1.0":       {`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1.0}}`, fails},
		"integer as 1e3":       {`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1e3}}`, fails},
		"integer as a string":  {`{"type":"delta","id":"r","payload":{"delta":"x","sequence":"1"}}`, fails},
		"integer below range":  {`{"type":"delta","id":"r","payload":{"delta":"x","sequence":-1}}`, fails},
		"integer above range":  {`{"type":"usage","id":"r","payload":{"input_tokens":2147483648}}`, fails},
		"fraction":             {`{"type":"heartbeat","payload":{"ts":0.5,"active_requests":0}}`, fails},
		"CR and LF in base64": {
			`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"QU\r\nJD\n"}}`,
			`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"QUJD"}}`},
		"alphabet of base64":        {`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"QU-_"}}`, fails},
		"missing padding of base64": {`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"eA"}}`, fails},
		"space in base64":           {`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"QU JD"}}`, fails},
		"unused bits of base64": {
			`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"eB=="}}`,
			`{"type":"workspace_write","id":"m","payload":{"step":"chunk","data":"eA=="}}`},
		"broken UTF-8": {
			"{\"type\":\"delta\",\"id\":\"r\xff\",\"payload\":{\"delta\":\"a\xc3(\",\"sequence\":1}}",
			"{\"type\":\"delta\",\"id\":\"r\ufffd\",\"payload\":{\"delta\":\"a\ufffd(\",\"sequence\":1}}"},
		"lone surrogate": {
			`{"type":"delta","id":"r","payload":{"delta":"\ud800","sequence":1}}`,
			"{\"type\":\"delta\",\"id\":\"r\",\"payload\":{\"delta\":\"\ufffd\",\"sequence\":1}}"},
		"escapes of the encoder": {
			"{\"type\":\"delta\",\"id\":\"r\",\"payload\":{\"delta\":\"<a>&\u2028\u2029\",\"sequence\":1}}",
			`{"type":"delta","id":"r","payload":{"delta":"\u003ca\u003e\u0026\u2028\u2029","sequence":1}}`},
		"order of the keys of a map": {
			`{"type":"done","id":"r","payload":{"metadata":{"z":1,"a":{"b":2}},"content":""}}`,
			`{"type":"done","id":"r","payload":{"content":"","metadata":{"a":{"b":2},"z":1}}}`},
		"white space around and in the message": {
			"\n {\t\"type\" : \"delta\" , \"id\":\"r\", \"payload\" :\r\n {\"delta\":\"x\", \"sequence\":1 } } \n",
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1}}`},
		"payload before type": {
			`{"payload":{"delta":"x","sequence":1},"id":"r","type":"delta"}`,
			`{"type":"delta","id":"r","payload":{"delta":"x","sequence":1}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frame := decode(t, test.frame)
			if test.want == fails {
				if frame.Fault == nil || frame.Payload != nil {
					t.Errorf("got payload %+v and fault %v, want a fault alone", frame.Payload, frame.Fault)
				}
				return
			}
			if frame.Fault != nil {
				t.Fatalf("got fault %v, want none", frame.Fault)
			}
			got, err := proto.Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// wire 1.4: a tool_call is closed at every level, but for the free values in it.
func TestToolCallIsClosed(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","id":"r","payload":{"id":"t","name":"n","stage":"after",%}}`
	for body, closed := range map[string]bool{
		`"x":1`:                                    true,
		`"observation":{"kind":"mcp","x":null}`:    true,
		`"observation":{"action":{"x":[]}}`:        true,
		`"observation":{"content":[{"x":1}]}`:      true,
		`"args":{"x":1},"result":{"x":{"y":1}}`:    false,
		`"observation":{"arguments":{"x":1}}`:      false,
		`"observation":{"output":[{"x":1}]}`:       false,
		`"observation":{"error":{"x":1}}`:          false,
		`"Observation":{"KIND":"mcp"},"STAGE":"a"`: false,
	} {
		if got := decode(t, strings.Replace(call, "%", body, 1)).Fault; (got != nil) != closed {
			t.Errorf("%s: got %v, want refused %v", body, got, closed)
		}
	}
}

// wire 1.6: what is no envelope gives no frame, and says so.
func TestDecodeNoEnvelope(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"white space":              " \n",
		"null":                     "null",
		"array":                    `[{"type":"delta"}]`,
		"string":                   `"delta"`,
		"cut":                      `{"type":"delta","id":"r"`,
		"type of another kind":     `{"type":1,"id":"r"}`,
		"id of another kind":       `{"type":"delta","id":{}}`,
		"bytes after the value":    `{"type":"delta","id":"r","payload":{"delta":"x","sequence":1}} x`,
		"second value":             `{"type":"heartbeat"}{"type":"heartbeat"}`,
		"comma at the end":         `{"type":"delta","id":"r",}`,
		"byte order mark":          "\ufeff{\"type\":\"heartbeat\"}",
		"NUL after the value":      "{\"type\":\"heartbeat\"}\x00",
		"broken inside the body":   `{"type":"delta","id":"r","payload":{"delta":}}`,
		"cut inside unknown types": `{"type":"nobody","id":"r","payload":{`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frame, err := proto.Decode([]byte(text))
			if !errors.Is(err, proto.ErrEnvelope) {
				t.Errorf("got %v and frame %+v, want ErrEnvelope", err, frame)
			}
		})
	}
}

// wire 7.2: accepted although unusual.
func TestDecodeUnusual(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"trace that is none":       `{"type":"delta","id":"r","payload":{"delta":"x","sequence":1},"trace":"garbage"}`,
		"trace that is no string":  `{"type":"delta","id":"r","payload":{"delta":"x","sequence":1},"trace":{"parent":1}}`,
		"trace of 257 bytes":       `{"type":"workspace_read","id":"op-1","payload":{"handle":"h","environment_id":"e","path":"a","max_bytes":10},"trace":"` + strings.Repeat("t", 257) + `"}`,
		"payload null on a cancel": `{"type":"prompt_cancel","id":"r","payload":null}`,
		"status as a string":       `{"type":"error","id":"r","payload":{"error":"x","code":"connection_failed","http_status":"503"}}`,
		"code of no list":          `{"type":"error","id":"r","payload":{"error":"x","code":"strange"}}`,
		"text of white space":      `{"type":"prompt_steer","id":"r","payload":{"input_id":"1","input":[{"content":[{"type":"input_text","text":" \n"}]}]}}`,
		"content without parts":    `{"type":"function_result","id":"r","payload":{"delivery_id":"d","call_id":"c","success":true,"content":[]}}`,
		"completion without text":  `{"type":"output_message","id":"r","payload":{"id":"m","status":"completed","text":""}}`,
		"phase of no list":         `{"type":"output_message","id":"r","payload":{"id":"m","status":"completed","phase":"musing"}}`,
		"unknown member":           `{"type":"execution_release","id":"p","payload":{"handle":"h","why":"because"}}`,
		"tool without observation": `{"type":"tool_call","id":"r","payload":{"id":"t","name":"n","stage":"before"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := decode(t, text).Validate(); err != nil {
				t.Errorf("got %v, want no fault", err)
			}
		})
	}
}

// wire 3.4: a bad classification costs itself, never the frame.
func TestFailureClassification(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"error":"x","code":"connection_failed","http_status":503}`:       `{"error":"x","code":"connection_failed","http_status":503}`,
		`{"error":"x","code":"connection_failed","http_status":100}`:       `{"error":"x","code":"connection_failed","http_status":100}`,
		`{"error":"x","code":"connection_failed","http_status":599}`:       `{"error":"x","code":"connection_failed","http_status":599}`,
		`{"error":"x","code":"connection_failed","http_status":99}`:        `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"connection_failed","http_status":600}`:       `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"connection_failed","http_status":"503"}`:     `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"connection_failed","http_status":503.0}`:     `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"connection_failed","http_status":null}`:      `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"connection_failed","http_status":[503]}`:     `{"error":"x","code":"connection_failed"}`,
		`{"error":"x","code":"server_error","http_status":503}`:            `{"error":"x","code":"server_error"}`,
		`{"error":"x","http_status":503}`:                                  `{"error":"x"}`,
		`{"error":"x","code":"cancelled"}`:                                 `{"error":"x"}`,
		`{"error":"x","code":7}`:                                           `{"error":"x"}`,
		`{"error":"x","code":{"a":[]}}`:                                    `{"error":"x"}`,
		`{"error":"x","code":"server_error","code":"invalid_request"}`:     `{"error":"x","code":"invalid_request"}`,
		`{"error":null,"code":"\u0073erver_error"}`:                        `{"error":"","code":"server_error"}`,
		`{"error":"x","code":"server_error","http_status":1e2,"extra":{}}`: `{"error":"x","code":"server_error"}`,
	} {
		frame := decode(t, `{"type":"error","id":"r","payload":`+payload+`}`)
		if frame.Fault != nil {
			t.Errorf("%s: got fault %v, want none", payload, frame.Fault)
			continue
		}
		got, err := proto.EncodePayload(frame.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", payload, got, want)
		}
	}
}

// wire 1.1: the body as received is kept to the byte, whichever way the frame was read.
func TestDecodeRaw(t *testing.T) {
	t.Parallel()
	const body = "{ \"delta\" : \"a\\u0062\",\n \"other\":[1 , 2], \"sequence\": 1 }"
	for name, text := range map[string]string{
		"usual order":      `{"type":"delta","id":"r","payload": ` + body + ` ,"trace":"t"}`,
		"body first":       `{"payload":` + body + `,"type":"delta","id":"r"}`,
		"unknown key":      `{"type":"delta","id":"r","x":1,"payload":` + body + `}`,
		"undecodable":      `{"type":"heartbeat","id":"r","payload":` + strings.Replace(body, `"sequence"`, `"ts":"x","sequence"`, 1) + `}`,
		"unknown type":     `{"type":"nobody","id":"r","payload":` + body + `}`,
		"another spelling": `{"type":"delta","id":"r","Payload":` + body + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := body
			if name == "undecodable" {
				want = strings.Replace(body, `"sequence"`, `"ts":"x","sequence"`, 1)
			}
			if got := string(decode(t, text).Raw); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if raw := decode(t, `{"type":"prompt_cancel","id":"r"}`).Raw; raw != nil {
		t.Errorf("got %q for no body, want nil", raw)
	}
}

// wire 1.4, 4.1: the declaration is complete and closed, whichever field is looked at.
func TestCapabilitiesFieldByField(t *testing.T) {
	t.Parallel()
	heartbeat := validFrame(t, "V01").Payload.(*proto.Heartbeat)
	for capability := range proto.CapabilityCount {
		name := capability.String()
		if found, ok := proto.CapabilityNamed(name); !ok || found != capability {
			t.Errorf("%s: got %v, %v by its name, want itself", name, found, ok)
		}
		if _, ok := proto.CapabilityNamed(strings.ToUpper(name)); ok {
			t.Errorf("%s: found by a name in capitals", name)
		}
		text := declaration(t, heartbeat)
		value := `"` + name + `":` + truth(heartbeat.SupportedAgentKinds[0].Capabilities[capability])
		for _, bad := range []string{"null", "0", "1", `"true"`, `[]`, `{}`} {
			refused(t, strings.Replace(text, value, `"`+name+`":`+bad, 1))
		}
		refused(t, strings.Replace(text, value, `"`+name+`_":true`, 1))
		refused(t, strings.Replace(text, value, value+`,"`+strings.ToUpper(name)+`":true`, 1))
		missing := *heartbeat
		missing.SupportedAgentKinds = []proto.AgentKind{heartbeat.SupportedAgentKinds[0]}
		missing.SupportedAgentKinds[0].Capabilities[capability] = proto.Unspecified
		if _, err := proto.Encode(proto.New("", &missing)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s unspecified: got %v, want an error of the encoder that names it", name, err)
		}
		if err := proto.New("", &missing).Validate(); err == nil {
			t.Errorf("%s unspecified: got no fault, want one", name)
		}
	}
}

func declaration(t *testing.T, heartbeat *proto.Heartbeat) string {
	t.Helper()
	text, err := proto.Encode(proto.New("", heartbeat))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func truth(support proto.Support) string {
	if support == proto.Supported {
		return "true"
	}
	return "false"
}

// refused wants a heartbeat that does not decode.
func refused(t *testing.T, text string) {
	t.Helper()
	frame := decode(t, text)
	if frame.Fault == nil {
		t.Errorf("%s: got no fault, want one", text)
	}
	if frame.Validate() == nil {
		t.Errorf("%s: got valid, want a fault", text)
	}
}

// wire 3.6.2, 3.8.3: what did not decode is told by place and kind; a value may be a secret.
func TestUndecodableShowsNoValue(t *testing.T) {
	t.Parallel()
	const prepare = `{"type":"execution_prepare","id":"p","payload":{"session_id":"s","configuration":{%}}}`
	for text, want := range map[string]string{
		strings.Replace(prepare, "%", `"agent_options":{"model_provider":{"api_key":4242}}`, 1):     "payload.configuration.agent_options.model_provider.api_key: expected a string, found a number (wire 3.6)",
		strings.Replace(prepare, "%", `"agent_options":{"model_provider":{"api_key":["4242"]}}`, 1): "payload.configuration.agent_options.model_provider.api_key: expected a string, found an array (wire 3.6)",
		strings.Replace(prepare, "%", `"max_concurrent_subagents":42424242424242424242`, 1):         "payload.configuration.max_concurrent_subagents: expected an integer in range, found another number (wire 3.6)",
		strings.Replace(prepare, "%", `"mcp_http_servers":[{"headers":{"a":4242}}]`, 1):             "payload.configuration.mcp_http_servers[0].headers.a: expected a string, found a number (wire 3.6)",
		`{"type":"workspace_write","id":"m","payload":{"data":"4242!"}}`:                            "payload.data: expected base64, found other text (wire 3.10.2)",
		`{"type":"heartbeat","payload":[4242]}`:                                                     "payload: expected an object, found an array (wire 3.1)",
	} {
		frame := decode(t, text)
		if frame.Fault == nil || frame.Fault.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", text, frame.Fault, want)
		}
	}
	long := decode(t, `{"type":"tool_call","id":"r","payload":{"`+strings.Repeat("k", 1<<16)+`":1}}`)
	if got := len(long.Fault.Error()); got > 400 {
		t.Errorf("got a fault of %d bytes for a long key, want a short one", got)
	}
}
