package captured_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
)

// runner 4.4: the table, and the rows it leaves open.
func TestEffectiveSkills(t *testing.T) {
	t.Parallel()
	const set, paths, empty, deny, sentinel = "set", "[skills]", "[]", `["*"]`, "[none]"
	tests := []struct {
		name, scenario, skill, eval, task, disabled string
		want                                        []string // paths of findings
	}{
		{"scenario alone", set, omit, omit, omit, omit, nil},
		{"scenario and skill", set, set, omit, omit, omit, []string{"skill"}},
		{"eval paths", set, omit, paths, omit, omit, []string{"config.skill_directories"}},
		{"task paths", set, omit, omit, paths, omit, []string{"skill_directories"}},
		{"eval paths beside a task's empty list", set, set, paths, empty, omit, []string{"config.skill_directories"}},
		{"a task's empty list under a scenario", set, set, omit, empty, omit, nil},
		{"a skill without scenario", omit, set, omit, omit, omit, []string{"skill"}},
		{"a task's empty list without scenario inherits", omit, set, omit, empty, omit, []string{"skill"}},
		{"deny all", set, set, omit, omit, deny, nil},
		{"deny all without scenario", omit, set, omit, omit, deny, nil},
		{"sentinel", set, set, sentinel, omit, omit, nil},
		{"sentinel without scenario", omit, set, sentinel, omit, omit, nil},

		{"neither scenario nor skill", omit, omit, omit, omit, omit, []string{"scenario"}},
		{"neither, but deny all", omit, omit, omit, omit, deny, nil},
		{"an eval's empty list says nothing", set, set, empty, omit, omit, []string{"skill"}},
		{"a task's null says nothing", set, set, omit, "null", omit, []string{"skill"}},
		{"another list does not deny", set, set, omit, omit, `["*", x]`, []string{"skill"}},
		{"skill and task paths", set, set, omit, paths, omit, []string{"skill", "skill_directories"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eval := baseEval(mock()).set("scenario", tt.scenario).set("skill", tt.skill).
				set("config.skill_directories", tt.eval).set("config.disabled_skills", tt.disabled)
			if tt.scenario == omit {
				eval = eval.set("schemaVersion", `"1.0"`)
			}
			task := baseTask().set("skill_directories", tt.task)
			unit, found := captured.Admit(request(eval.String(), task.String()), mock())
			var got []string
			for _, f := range found {
				got = append(got, f.Path)
				if f.Code != unsupported {
					t.Errorf("got %s, want %s", f.Code, unsupported)
				}
			}
			if strings.Join(got, " ") != strings.Join(tt.want, " ") || (unit != nil) != (tt.want == nil) {
				t.Errorf("got findings %v, want them at %v", messages(found), tt.want)
			}
		})
	}
}

// runner 4.2: schemaVersion without a scenario, skills denied so that only the version is judged.
func TestSuiteVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]runner.Code{
		omit: "", `"1.0"`: "", `"1.12"`: "", `"2.0"`: unsupported, `"1."`: unsupported, `"1"`: unsupported, `""`: unsupported,
		`"11.0"`: unsupported, "1.0": invalid,
	} {
		eval := baseEval(mock()).set("scenario", omit).set("config.disabled_skills", `["*"]`).set("schemaVersion", version)
		one(t, request(eval.String(), baseTask().String()), mock(), want)
	}
}
