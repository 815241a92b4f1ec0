package scripted

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

// Values of the keys kind and stage of a tool.
const (
	toolCommand   = "command"
	toolMCP       = "mcp"
	toolFunction  = "function"
	toolWebSearch = "web_search"
	stageBefore   = "before"
	stageAfter    = "after"
)

// tool is one native tool with its observation (wire 3.3).
type tool struct {
	Kind       string               `json:"kind" about:"what kind of tool" need:"yes" of:"command,mcp,function,web_search"`
	ID         string               `json:"id" about:"its id; one is made otherwise; needed with stage"`
	Stage      string               `json:"stage" about:"only this half of it; both otherwise" of:"before,after"`
	Status     string               `json:"status" about:"how it ends; completed otherwise" of:"completed,failed,incomplete"`
	Command    string               `json:"command" about:"of a command, which needs it"`
	Cwd        *string              `json:"cwd" about:"folder of a command"`
	ExitCode   *int64               `json:"exit_code" about:"of a command"`
	DurationMS *int64               `json:"duration_ms" about:"of a command, as it is reported"`
	Server     string               `json:"server" about:"of mcp, which needs it"`
	Name       string               `json:"name" about:"of mcp and function, which need it"`
	Arguments  jsontext.Value       `json:"arguments" about:"of mcp and function; placeholders are filled in"`
	Output     jsontext.Value       `json:"output" about:"what came out; of a command, a text; placeholders are filled in"`
	Error      jsontext.Value       `json:"error" about:"what went wrong"`
	Content    []proto.InputContent `json:"content" about:"content parts of a function's result"`
	Action     *proto.SearchAction  `json:"action" about:"of web_search: type, query, queries, url, pattern"`
	PaceMS     milliseconds         `json:"pace_ms" about:"time between before and after"`
}

func (t *tool) check(seen labels) error {
	switch {
	case t.Kind == toolCommand && t.Command == "":
		return errors.New("a command needs the key command")
	case t.Kind == toolCommand && t.Output != nil && t.Output.Kind() != '"':
		return errors.New("key \"output\": that of a command is a text")
	case t.Kind == toolMCP && (t.Server == "" || t.Name == ""):
		return errors.New("mcp needs the keys server and name")
	case t.Kind == toolFunction && t.Name == "":
		return errors.New("a function needs the key name")
	case t.Stage != "" && t.ID == "":
		return errors.New("key \"id\" is missing; expected one beside stage, to know both halves by")
	}
	if _, err := readParts(t.Content); err != nil {
		return fmt.Errorf("key \"content\": %w", err)
	}
	if t.Stage == stageAfter {
		return seen.refer("tool", t.ID)
	}
	if t.Kind == toolCommand && t.ID != "" {
		seen["command "+t.ID] = true
	}
	return seen.introduce("tool", t.ID)
}

func (t *tool) play(p *player) error {
	if t.Kind == toolWebSearch && p.turn.executor.searchDisabled() {
		if t.Stage == stageAfter {
			return nil // said at the first half
		}
		return p.note("Web search is disabled; a search was left out.")
	}
	call := proto.ToolCall{ID: p.id(t.ID, "tool"), Name: t.nativeName()}
	if t.Stage != stageAfter {
		before := call
		before.Stage, before.Observation = stageBefore, t.begun(p)
		if err := p.send(&before); err != nil {
			return err
		}
	}
	if t.Stage == stageBefore {
		return nil
	}
	if err := p.pause(t.PaceMS); err != nil {
		return err
	}
	call.Stage, call.Observation = stageAfter, t.ended(p)
	return p.send(&call)
}

func (t *tool) nativeName() string {
	switch t.Kind {
	case toolCommand:
		return "shell"
	case toolWebSearch:
		return "search"
	}
	return t.Name
}

// begun is the observation of a tool at work: its status is in_progress, if and only if the stage is before.
func (t *tool) begun(p *player) *proto.Observation {
	return &proto.Observation{
		Kind: t.Kind, Status: statusStarted, Name: t.Name, Command: p.text(t.Command), Cwd: t.Cwd, Server: t.Server,
		Arguments: p.json(t.Arguments), Action: t.Action,
	}
}

func (t *tool) ended(p *player) *proto.Observation {
	o := t.begun(p)
	o.Status, o.ExitCode, o.DurationMS = orElse(t.Status, statusCompleted), t.ExitCode, t.DurationMS
	o.Output, o.Error = p.json(t.Output), p.json(t.Error)
	if t.Content != nil {
		o.Content = &t.Content
	}
	return o
}

// commandOutput is live output of a command (wire 3.2).
type commandOutput struct {
	ID   string `json:"id" about:"of the command's tool step" need:"yes"`
	Text string `json:"text" about:"what it prints; placeholders are filled in" need:"yes"`
}

func (c *commandOutput) check(seen labels) error {
	if c.Text == "" {
		return errors.New("key \"text\": expected text that is not empty")
	}
	return seen.refer(toolCommand, c.ID)
}

func (c *commandOutput) play(p *player) error {
	text := p.text(c.Text)
	if text == "" {
		return nil // the value of a placeholder; an empty piece is no frame
	}
	return p.send(&proto.CommandOutput{ID: p.text(c.ID), Delta: text})
}
