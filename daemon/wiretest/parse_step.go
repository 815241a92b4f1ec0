package wiretest

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"parley/daemon/proto"
)

// stepKeys are the keys of each kind of step; the first begins it.
func stepKeys() [][]string {
	return [][]string{
		{"core", "id", "payload", "raw", "pad_to", "optional", "repeat", "within_ms", "rule", "note"},
		{"runtime", "id", "payload", "raw", "pad_to", "optional", "repeat", "within_ms", "rule", "note"},
		{"unordered", "rule", "note"},
		{"silent", "ms", "rule", "note"},
		{"settle", "rule", "note"},
		{"lose", "rule", "note"},
		{"reconnect", "within_ms", "rule", "note"},
		{"close", "code", "within_ms", "rule", "note"},
		{"dial", "version", "status", "error", "rule", "note"},
		{"stopped", "ms", "rule", "note"},
		{"wake", "rule", "note"},
		{"http", "path", "bearer", "body", "query", "headers", "status", "error", "reply", "absent_headers", "within_ms", "rule", "note"},
		{"observe", "id", "want", "rule", "note"},
		{"pull", "handle", "rule", "note"},
		{"each_capability", "rule", "note"},
	}
}

func (p *parser) steps(node *yaml.Node) ([]Step, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, p.fail(node, "expected a list of steps")
	}
	var steps []Step
	for _, element := range node.Content {
		some, err := p.step(element)
		if err != nil {
			return nil, err
		}
		steps = append(steps, some...)
	}
	return steps, nil
}

// step reads one element; each_capability gives many steps.
func (p *parser) step(node *yaml.Node) ([]Step, error) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return nil, p.fail(node, "expected a step")
	}
	begin := node.Content[0].Value
	keys := stepKeys()
	i := slices.IndexFunc(keys, func(keys []string) bool { return keys[0] == begin })
	if i < 0 {
		return nil, p.fail(node, "step begins with %q: expected the kind of the step", begin)
	}
	members, err := p.members(node, keys[i]...)
	if err != nil {
		return nil, err
	}
	if begin == "each_capability" {
		return p.eachCapability(members[begin])
	}
	r := &reading{parser: p, node: node, members: members, step: Step{File: p.file, Line: node.Line}}
	r.text("note", &r.step.Note)
	r.text("rule", &r.step.Rule)
	r.kind(begin)
	return []Step{r.step}, r.err
}

// eachCapability reads the steps once for every field of the declaration, with ${field} as its name.
func (p *parser) eachCapability(node *yaml.Node) ([]Step, error) {
	defer func() { p.field = "" }()
	var all []Step
	for c := range proto.CapabilityCount {
		p.field = c.String()
		steps, err := p.steps(node)
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}

// reading reads the members of one step; the first error stays.
type reading struct {
	*parser
	node    *yaml.Node
	members map[string]*yaml.Node
	step    Step
	err     error
}

// kind fills the step by the key that begins it.
func (r *reading) kind(begin string) {
	s := &r.step
	switch begin {
	case "core", "runtime":
		s.Kind, s.From = StepFrame, Role(begin)
		r.frame(begin)
	case "unordered":
		s.Kind = StepUnordered
		r.unordered()
	case "silent":
		s.Kind = StepSilent
		r.side(begin, Core, Runtime, Both)
		r.milliseconds("ms")
	case "close":
		s.Kind = StepClose
		r.side(begin, Core, Runtime)
		r.number("code", &s.Code)
		r.milliseconds("within_ms")
	case "stopped":
		s.Kind = StepStopped
		r.side(begin, Runtime)
		r.milliseconds("ms")
	case "reconnect":
		s.Kind, s.From = StepReconnect, Runtime
		r.milliseconds("within_ms")
	case "dial":
		s.Kind, s.From = StepDial, Runtime
		r.plain("version", &s.Version)
		r.number("status", &s.Status)
		r.text("error", &s.Error)
	case "observe":
		s.Kind, s.From = StepObserve, Core
		r.observe()
	case "pull":
		s.Kind, s.From = StepPull, Core
		r.plain("pull", &s.ID)
		r.plain("handle", &s.Handle)
	case "http":
		s.Kind, s.From = StepHTTP, Runtime
		r.exchange()
	default: // settle, lose, wake
		s.Kind = StepKind(begin)
	}
}

func (r *reading) frame(begin string) {
	s := &r.step
	r.text(begin, &s.Type)
	r.plain("id", &s.ID)
	r.plain("payload", &s.Payload)
	r.flag("optional", &s.Optional)
	r.flag("repeat", &s.Repeat)
	r.number("pad_to", &s.PadTo)
	r.milliseconds("within_ms")
	if raw := r.members["raw"]; raw != nil {
		s.Raw = &raw.Value
		return
	}
	kind, known := proto.KindOf(proto.Type(s.Type))
	if known && (kind.To == proto.ToRuntime) != (s.From == Core) {
		r.note("type %q is not sent by the %s", s.Type, s.From)
	}
}

func (r *reading) unordered() {
	steps, err := r.steps(r.members["unordered"])
	if err != nil {
		r.err = err
		return
	}
	r.step.Alternatives = steps
	for _, inner := range steps {
		if inner.Kind != StepFrame || inner.From != steps[0].From {
			r.note("unordered: expected frames of one side")
			return
		}
		r.step.From = inner.From
	}
}

func (r *reading) observe() {
	s := &r.step
	r.text("observe", &s.Observed.Of)
	if !slices.Contains(Watches(), s.Observed.Of) {
		r.note("observe: expected one of %q, found %q", Watches(), s.Observed.Of)
	}
	r.plain("id", &s.ID)
	var want any
	r.plain("want", &want)
	list, isList := want.([]any)
	if !isList {
		list = []any{want}
	}
	s.Want = list
}

// note keeps the first error.
func (r *reading) note(format string, args ...any) {
	if r.err == nil {
		r.err = r.fail(r.node, format, args...)
	}
}

func (r *reading) into(key string, target any) {
	if err := r.decode(r.members[key], target); err != nil && r.err == nil {
		r.err = err
	}
}

func (r *reading) text(key string, into *string) { r.into(key, into) }
func (r *reading) flag(key string, into *bool)   { r.into(key, into) }
func (r *reading) number(key string, into *int)  { r.into(key, into) }

func (r *reading) milliseconds(key string) {
	ms := 0
	r.number(key, &ms)
	r.step.Wait = time.Duration(ms) * time.Millisecond
}

func (r *reading) plain(key string, into *any) {
	node := r.members[key]
	if node == nil {
		return
	}
	value, err := r.value(node)
	if err != nil && r.err == nil {
		r.err = err
	}
	*into = value
}

func (r *reading) side(key string, allowed ...Role) {
	r.into(key, &r.step.From)
	if !slices.Contains(allowed, r.step.From) {
		r.note("%s: expected one of %q, found %q", key, allowed, r.step.From)
	}
}

func (r *reading) exchange() {
	e := &Exchange{}
	r.text("http", &e.Method)
	r.text("path", &e.Path)
	r.plain("bearer", &e.Bearer)
	r.plain("query", &e.Query)
	r.plain("body", &e.Body)
	r.into("headers", &e.Headers)
	r.number("status", &e.Status)
	r.text("error", &e.Error)
	r.plain("reply", &e.Reply)
	r.into("absent_headers", &e.AbsentHeaders)
	r.step.HTTP = e
	r.milliseconds("within_ms")
}
