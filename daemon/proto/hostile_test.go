package proto_test

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/daemon/proto"
)

// filled repeats a unit between two texts up to the size of the largest frame.
func filled(before, unit, after string) string {
	return before + strings.Repeat(unit, (proto.MaxFrame-len(before)-len(after))/len(unit)) + after
}

// keyed writes 400,000 members between two texts.
func keyed(before, after, value string, distinct bool) string {
	text := []byte(before)
	for i := range int64(400_000) {
		if !distinct {
			i = 0
		}
		text = strconv.AppendInt(append(text, '"'), 100_000+i, 10)
		text = append(append(text, `":`...), value...)
		text = append(text, ',')
	}
	return string(text[:len(text)-1]) + after
}

// hostile are frames that are cheap to send, each with whether it is an envelope at all.
func hostile() map[string]struct {
	text     string
	envelope bool
} {
	deep := func(open, inner, closing string) string {
		return strings.Repeat(open, 100_000) + inner + strings.Repeat(closing, 100_000)
	}
	return map[string]struct {
		text     string
		envelope bool
	}{
		"depth as the message":          {deep("[", "", ""), false},
		"depth of objects":              {deep(`{"a":`, "1", "}"), false},
		"depth in an unknown member":    {`{"type":"delta","id":"r","x":` + deep("[", "", "]") + `}`, false},
		"depth in the payload":          {`{"type":"delta","id":"r","payload":` + deep(`{"a":`, "1", "}") + `}`, false},
		"depth in a free value":         {`{"type":"function_call","id":"r","payload":{"arguments":` + deep("[", "", "]") + `}}`, false},
		"arrays in an unknown member":   {filled(`{"type":"delta","id":"r","payload":{"z":[`, "[],", `[]]}}`), true},
		"arrays for messages":           {filled(`{"type":"prompt_steer","id":"r","payload":{"input":[`, "[],", `[]]}}`), true},
		"empty messages":                {filled(`{"type":"prompt_steer","id":"r","payload":{"input_id":"1","input":[`, "{},", `{}]}}`), true},
		"empty recipients":              {filled(`{"type":"subagent_coordination","id":"r","payload":{"recipients":[`, `"",`, `""]}}`), true},
		"distinct keys of the envelope": {keyed(`{"type":"delta","id":"r",`, `}`, "1", true), true},
		"distinct keys of the payload":  {keyed(`{"type":"delta","id":"r","payload":{`, `}}`, "1", true), true},
		"distinct capabilities":         {keyed(`{"type":"heartbeat","payload":{"supported_agent_kinds":[{"kind":"k","capabilities":{`, `}}]}}`, "true", true), true},
		"distinct options":              {keyed(`{"type":"execution_prepare","id":"r","payload":{"configuration":{"agent_options":{`, `}}}}`, "1", true), true},
		"distinct keys for a harness":   {keyed(`{"type":"execution_prepare","id":"r","payload":{"configuration":{"agent_options":{"harness_config":{`, `}}}}}`, "1", true), true},
		"distinct metadata":             {keyed(`{"type":"done","id":"r","payload":{"metadata":{`, `}}}`, "1", true), true},
		"distinct variables":            {keyed(`{"type":"runtime_prepare","id":"r","payload":{"step":"begin","initialization":{"env":{`, `}}}}`, `""`, true), true},
		"equal keys of the envelope":    {keyed(`{"type":"delta","id":"r",`, `}`, "1", false), true},
		"equal keys of the payload":     {keyed(`{"type":"delta","id":"r","payload":{`, `}}`, "1", false), true},
		"equal payloads":                {filled(`{"type":"delta","id":"r"`, `,"payload":{}`, `}`), true},
		"long number for an integer":    {filled(`{"type":"delta","id":"r","payload":{"sequence":`, `9`, `}}`), true},
		"long number for a float":       {filled(`{"type":"usage","id":"r","payload":{"cost_usd":`, `9`, `}}`), true},
		"long number for a status":      {filled(`{"type":"error","id":"r","payload":{"code":"connection_failed","http_status":`, `9`, `}}`), true},
		"long number nobody asked for":  {filled(`{"type":"delta","id":"r","payload":{"z":`, `9`, `}}`), true},
		"escapes in a text":             {filled(`{"type":"delta","id":"r","payload":{"delta":"`, `\u0000`, `"}}`), true},
		"escapes in the id":             {filled(`{"type":"delta","id":"`, `\u0000`, `"}`), true},
		"long type":                     {filled(`{"type":"`, `x`, `","id":"r"}`), true},
	}
}

// Whatever a peer sends, a frame costs at most twenty times what the standard library
// takes to read one text of the largest size, and holds at most twelve times its own bytes. It measures, so nothing else may run beside it.
func TestHostileFramesStayCheap(t *testing.T) {
	plain := []byte(`"` + strings.Repeat("x", proto.MaxFrame) + `"`)
	scan := time.Hour
	for range 3 {
		var text string
		start := time.Now()
		if err := json.Unmarshal(plain, &text); err != nil {
			t.Fatal(err)
		}
		scan = min(scan, time.Since(start))
	}
	for name, frame := range hostile() {
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			var held int64
			for range 4 { // the machine may have been busy with something else
				took, held = cost(t, frame.text, frame.envelope)
				if took <= 20*scan {
					break
				}
			}
			if took > 20*scan {
				t.Errorf("got %v, want at most 20 times %v", took, scan)
			}
			if most := int64(12 * max(len(frame.text), 1<<20)); held > most {
				t.Errorf("got %d bytes held, want at most %d", held, most)
			}
		})
	}
}

// cost decodes and validates a frame, and tells the time and the memory that the frame then holds.
func cost(t *testing.T, text string, envelope bool) (time.Duration, int64) {
	t.Helper()
	data := []byte(text)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	frame, err := proto.Decode(data)
	var fault error
	if err == nil {
		fault = frame.Validate()
	}
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if (err == nil) != envelope {
		t.Fatalf("got %v, want an envelope %v", err, envelope)
	}
	if fault != nil && len(fault.Error()) > 16<<10 {
		t.Errorf("got a fault of %d bytes, want a short one", len(fault.Error()))
	}
	runtime.KeepAlive(frame)
	runtime.KeepAlive(data)
	return took, int64(after.HeapAlloc) - int64(before.HeapAlloc)
}
