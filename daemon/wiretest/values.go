package wiretest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Operators of values in scenario files. As a whole value, $any is anything that is there, $optional anything or
// nothing, $absent a member to leave out of a $base.
const (
	opAny      = "$any"      // {$any: SAMPLE}: anything that is there; SAMPLE is what is sent
	opOptional = "$optional" // {$optional: VALUE}: the value or nothing; the value is sent
	opOneOf    = "$one_of"   // {$one_of: [VALUE, …]}: one of them; the first is sent
	opBase     = "$base"     // {$base: VALUE, key: …}: an object with members replaced
	opOthers   = "$others"   // a member that allows further members; nothing is sent for it
	opAbsent   = "$absent"
)

func operators() []string { return []string{opAny, opOptional, opOneOf, opBase, opOthers} }

// placeholders are the values that a Runtime makes, with what a scripted Runtime sends for them (behaviour 10). A name
// may have a number behind: $handle_2 is a second handle and never equal to the first.
func placeholders() map[string]any {
	return map[string]any{"executor": "executor", "handle": "handle", "expires_at": int64(1_800_000_000_000),
		"call": "call", "item": "item"}
}

// stem is a placeholder's name without its number.
func stem(name string) string {
	base := strings.TrimRight(name, "0123456789")
	if base != name && strings.HasSuffix(base, "_") {
		return strings.TrimSuffix(base, "_")
	}
	return name
}

// sample is what stands for a placeholder where nothing binds it.
func sample(name string) any {
	text, isText := placeholders()[stem(name)].(string)
	if !isText || stem(name) == name {
		return placeholders()[stem(name)]
	}
	return text + strings.TrimPrefix(name, stem(name))
}

// nameable reports whether $name may stand in a file.
func nameable(name string) bool {
	_, placeholder := placeholders()[stem(name)]
	return placeholder || slices.Contains([]string{"any", "optional", "absent"}, name) || slices.Contains(givenNames(), name)
}

// values are what the names in a scenario stand for during one replay.
type values struct {
	given map[string]any
	bound map[string]any // placeholders that have a value
}

// newValues binds the samples at once for a player of the Runtime: on Core's side the literal values travel.
func newValues(given map[string]any, plays Role) *values {
	v := &values{given: given, bound: map[string]any{}}
	if plays == Runtime {
		v.bound = nil
	}
	return v
}

// lookup finds the value of a placeholder; false while nothing is bound.
func (v *values) lookup(name string) (any, bool) {
	if v.bound == nil {
		return sample(name), true
	}
	value, ok := v.bound[name]
	return value, ok
}

// bind keeps what a matched frame bound.
func (v *values) bind(found map[string]any) {
	if v.bound != nil {
		maps.Copy(v.bound, found)
	}
}

// interpolation is a given value inside a text.
var interpolation = regexp.MustCompile(`\$\{(\w+)\}`)

// text replaces given values inside a text.
func (v *values) text(text string) string {
	return interpolation.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := v.given[found[2:len(found)-1]]; ok {
			return fmt.Sprint(value)
		}
		return found
	})
}

// name is the placeholder or given name that a value consists of, "" when it is neither.
func name(value any) string {
	text, isText := value.(string)
	if !isText || !strings.HasPrefix(text, "$") || strings.HasPrefix(text, "${") {
		return ""
	}
	return text[1:]
}

// operator finds an operator object's operator and operand.
func operator(value any) (op string, operand any) {
	object, isObject := value.(map[string]any)
	if !isObject {
		return "", nil
	}
	for _, op := range []string{opAny, opOptional, opOneOf, opBase} {
		if operand, has := object[op]; has {
			return op, operand
		}
	}
	return "", nil
}

// leftOut marks a member that is not sent.
type leftOut struct{}

// send makes the value that is sent for what stands in the file. A placeholder without a value stays as it is written.
func (v *values) send(value any) any {
	switch n := name(value); n {
	case "":
	case "any":
		return "text"
	case "optional", "absent":
		return leftOut{}
	default:
		return v.named(n)
	}
	switch value := value.(type) {
	case string:
		return v.text(value)
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = v.send(element)
		}
		return list
	case map[string]any:
		return v.sendObject(value)
	}
	return value
}

func (v *values) named(n string) any {
	if given, ok := v.given[n]; ok {
		return v.send(given)
	}
	if bound, ok := v.lookup(n); ok {
		return bound
	}
	return "$" + n
}

func (v *values) sendObject(object map[string]any) any {
	result := map[string]any{}
	switch op, operand := operator(object); op {
	case opAny, opOptional:
		return v.send(operand)
	case opOneOf:
		return v.send(operand.([]any)[0])
	case opBase:
		if base, isObject := v.send(operand).(map[string]any); isObject {
			result = maps.Clone(base)
		}
	}
	for key, member := range object {
		if key == opBase || key == opOthers {
			continue
		}
		result[v.text(key)] = v.send(member)
	}
	maps.DeleteFunc(result, func(_ string, member any) bool { return member == leftOut{} })
	return result
}
