package captured

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// admitMetrics checks a metrics list by the metric definition; an empty one is fine (runner 4.3). Metrics are bound
// into identity and never evaluated.
func admitMetrics(v authored) {
	one := field{kind: section, code: runner.CodeMetricsInvalid, fields: metricFields()}
	for i := range v.Content {
		one.check(v.item(i))
	}
}

func metricFields() []field {
	fields := []field{
		{name: "name", kind: text, required: true, rule: namedMetric},
		{name: "weight", kind: anything, required: true, rule: numberRule("a number above 0", aboveZero)},
		{name: "threshold", kind: anything, required: true, rule: numberRule("a number from 0 to 1", share)},
		{name: "description", kind: text},
		{name: "enabled", kind: flag},
	}
	for i := range fields {
		fields[i].code = runner.CodeMetricsInvalid
	}
	return fields
}

func aboveZero(x Number) bool { return x.Sign() > 0 }

func share(x Number) bool { return x.Sign() >= 0 && !x.AboveOne() }

// namedMetric is minLength 1: a blank name is a name.
func namedMetric(v authored) {
	if v.Value == "" {
		v.refuse(runner.CodeMetricsInvalid, "a string of at least one character", "an empty string", "")
	}
}

// numberRule judges the exact authored value, integer or float.
func numberRule(expected string, holds func(Number) bool) rule {
	return func(v authored) {
		x, err := NumberOf(v.Node)
		switch {
		case errors.Is(err, ErrNotFinite), errors.Is(err, ErrUnderflow):
			v.refuse(runner.CodeMetricsInvalid, expected, err.Error(), "")
		case err != nil:
			v.refuseAs(runner.CodeMetricsInvalid, expected, describe, numberHint(v.Node))
		case !holds(x):
			v.refuseAs(runner.CodeMetricsInvalid, expected, describe, "")
		}
	}
}

func numberHint(n *yaml.Node) string {
	if isString(n) {
		return "write a number without quotes, within the range of a native float"
	}
	return ""
}
