package browsertest_test

import (
	"strings"
	"testing"
)

// runner 8: the three acts on the sample unit, each with its verdict first.
func TestActsOnTheSampleUnit(t *testing.T) {
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	if got, want := p.text("#run-word"), "Run berth-7 · trial 3 · mock · free"; got != want {
		t.Errorf("run button: got %q, want %q", got, want)
	}
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible: 2 of 2 required capabilities are met.")
	p.click("#act-validate")
	p.waitResult("validate", "Ready: this is exactly one unit, no adjacent work.")
	for _, part := range []string{"0 engine calls", "not evidence of execution", "sha256-waza-c14n-v1", "attempt-"} {
		if got := p.result("validate"); !strings.Contains(got, part) {
			t.Errorf("validation: got %q, want it to contain %q", got, part)
		}
	}
	p.click("#act-run")
	p.waitResult("run", "Success, exit 0: both checks passed.")
	for _, part := range []string{"Covers this attempt only", "says-mooring", "Mock response for: Report the mooring at berth seven"} {
		if got := p.result("run"); !strings.Contains(got, part) {
			t.Errorf("run: got %q, want it to contain %q", got, part)
		}
	}
	p.waitText("#record-rows tr:first-child", "Success, exit 0")
	p.waitFor(`document.title.startsWith("Success, exit 0 – ")`)
}
