package captured

import (
	"strconv"
	"strings"

	"parley/runner"
)

// never refuses every value: the profile cannot do what the field asks for.
func never(why string) rule {
	return func(v authored) {
		v.refuseAs(runner.CodeCapturedUnsupported, "no such field", describe, why)
	}
}

// setNever is never for fields that a null leaves unset.
func setNever(name, why string) field {
	return field{name: name, kind: anything, nullable: true, rule: never(why)}
}

// emptyOnly admits a list, mapping or string with nothing in it (runner 4.2 and 4.5).
func emptyOnly(why string) rule {
	return func(v authored) {
		if len(v.Content) > 0 || v.Value != "" {
			v.refuseAs(runner.CodeCapturedUnsupported, "nothing in it, or no such field", describe, why)
		}
	}
}

// falseOnly admits false.
func falseOnly(why string) rule {
	return func(v authored) {
		if on, _ := boolean(v.Node); on {
			v.refuseAs(runner.CodeCapturedUnsupported, "false, or no such field", describe, why)
		}
	}
}

// zeroOnly admits 0.
func zeroOnly(why string) rule {
	return func(v authored) {
		if i, _ := integer(v.Node); i != 0 {
			v.refuseAs(runner.CodeCapturedUnsupported, "0, or no such field", describe, why)
		}
	}
}

// voidOnly admits the empty and false forms of a field whose kind the contract does not settle: null, false, an empty
// string, list or mapping (our choice, runner 4.2).
func voidOnly(why string) rule {
	return func(v authored) {
		on, isFlag := boolean(v.Node)
		void := isNull(v.Node) || isFlag && !on || v.Tag == tagString && v.Value == "" ||
			(v.Tag == tagList || v.Tag == tagMapping) && len(v.Content) == 0
		if !void {
			v.refuseAs(runner.CodeCapturedUnsupported, "nothing in it, or no such field", describe, why)
		}
	}
}

// nonblank wants a visible character.
func nonblank(v authored) {
	if blank(v.Value) {
		v.refuse(runner.CodeCapturedYAMLInvalid, "a text that is not blank", blankFound(v.Value), "")
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func blankFound(s string) string {
	if s == "" {
		return "an empty string"
	}
	return "a blank one"
}

// exactly admits one value of a closed set.
func exactly(want string, code runner.Code, hint string) rule {
	expected := strconv.Quote(want)
	return func(v authored) {
		if v.Value != want {
			v.refuseAs(code, expected, enumerated, hint)
		}
	}
}
