package runner_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"parley/runner"
)

// hostile-inputs J-2 and J-3: each document is judged, in memory of at most twelve times its bytes.
func TestHostileDocumentsStayCheap(t *testing.T) {
	const size = runner.MaxDocumentBytes
	keys := func(key func(int) string) string {
		var text strings.Builder
		text.WriteString(`{`)
		for i := 0; text.Len() < size-32; i++ {
			text.WriteString(`"` + key(i) + `":0,`)
		}
		return text.String() + `"last":0}`
	}
	for _, c := range []struct {
		name, text, found string
	}{
		{"distinct short keys", keys(func(i int) string { return strconv.FormatInt(int64(i), 36) }), "more than 1024"},
		{"many small objects", `{"x":[` + strings.Repeat(`{"a":0},`, (size-16)/8) + `0]}`, "an unknown key"},
		{"equal keys", keys(func(int) string { return "k" }), "the same key again"},
		{"distinct keys below a key", `{"selection":` + keys(func(i int) string { return strconv.FormatInt(int64(i), 36) }) + `}`, "more than 1024"},
		{"empty arrays in an unknown key", `{"x":[` + strings.Repeat("[],", (size-16)/3) + `[]]}`, "an unknown key"},
		{"a long number", `{"timeout_ms":` + strings.Repeat("9", size-16) + `}`, "a number of 4194288 characters"},
		{"a long fraction", `{"timeout_ms":0.` + strings.Repeat("0", size-20) + `1}`, ", which is not an integer"},
		{"a long exponent", `{"timeout_ms":1e` + strings.Repeat("9", size-20) + `}`, "characters"},
		{"escaped NULs", `{"run_key":"` + strings.Repeat(`\u0000`, (size-16)/6) + `"}`, "a string of"},
		{"open brackets", `{"x":` + strings.Repeat("[", size-8), "more levels than are read"},
		{"open objects", strings.Repeat(`{"x":`, size/5), "more levels than are read"},
		{"brackets as the document", strings.Repeat("[", size), "an array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := []byte(c.text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, faults := runner.ReadUnitRequest(data)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 12*size {
				t.Errorf("got %d bytes allocated for %d, want at most 12 times", got, len(data))
			}
			said := false
			for _, f := range faults.Findings {
				said = said || strings.Contains(f.Found, c.found)
			}
			if !said || len(faults.Findings) > runner.MaxFindings {
				t.Errorf("got %d findings, the first %+v, want %q found", len(faults.Findings), faults.Findings[0], c.found)
			}
		})
	}
}
