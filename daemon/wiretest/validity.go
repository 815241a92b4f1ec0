package wiretest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/daemon/proto"
)

// valid holds a frame of the side under test to the rules of the wire. What breaks one is told by its fault: the place,
// what was expected there and what was found.
func (p *player) valid(got received) error {
	if !p.judges || got.err != nil {
		return nil
	}
	err := got.frame.Validate()
	if err == nil {
		return nil
	}
	d := &difference{expected: fmt.Sprintf("a %s that follows the wire", got.frame.Type), seen: shown(got),
		text: fmt.Sprintf("the %s is not valid: %v", got.frame.Type, err)}
	var faults proto.Faults
	if errors.As(err, &faults) && len(faults) > 0 {
		d.section = faults[0].Rule
	}
	if gaps := undeclared(got); gaps != "" {
		d.text, d.section = "the heartbeat is not valid: "+gaps, "wire 4.1"
	}
	return d
}

// undeclared says which kinds of a heartbeat declare something else than the 25 capabilities, each true or false; "" when
// none does.
func undeclared(got received) string {
	if got.frame.Type != proto.TypeHeartbeat {
		return ""
	}
	payload, err := plain(got.frame.Raw)
	if err != nil {
		return ""
	}
	beat, _ := payload.(map[string]any)
	kinds, _ := beat["supported_agent_kinds"].([]any)
	var gaps []string
	for _, element := range kinds {
		kind, _ := element.(map[string]any)
		if gap := undeclaredBy(kind["capabilities"]); gap != "" {
			gaps = append(gaps, fmt.Sprintf("kind %s: %s", brief(kind["kind"]), gap))
		}
	}
	return strings.Join(gaps, "; ")
}

func undeclaredBy(declaration any) string {
	const most = 5 // names of one sort that are told
	declared, _ := declaration.(map[string]any)
	missing, unfit, unknown := []string{}, []string{}, []string{}
	for c := range proto.CapabilityCount {
		name := c.String()
		value, there := declared[name]
		switch _, isBool := value.(bool); {
		case !there:
			missing = append(missing, name)
		case !isBool:
			unfit = append(unfit, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if _, known := proto.CapabilityNamed(name); !known {
			unknown = append(unknown, name)
		}
	}
	var gaps []string
	for _, sort := range []struct {
		names          []string
		one, many, why string
	}{
		{missing, "is missing", "are missing", fmt.Sprintf("all %d must be there", proto.CapabilityCount)},
		{unfit, "is neither true nor false", "are neither true nor false", "each is a boolean"},
		{unknown, "is not known", "are not known", fmt.Sprintf("there are %d and no others", proto.CapabilityCount)},
	} {
		switch n := len(sort.names); {
		case n == 1:
			gaps = append(gaps, fmt.Sprintf("capability %q %s; %s", sort.names[0], sort.one, sort.why))
		case n > most:
			gaps = append(gaps, fmt.Sprintf("%d capabilities, %q the first, %s; %s", n, sort.names[0], sort.many, sort.why))
		case n > 1:
			gaps = append(gaps, fmt.Sprintf("capabilities %q %s; %s", sort.names, sort.many, sort.why))
		}
	}
	return strings.Join(gaps, "; ")
}
