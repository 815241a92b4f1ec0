package server

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"parley/backend/core"
	"parley/backend/store"
	"parley/daemon/proto"
	"parley/frontend"
)

// turnView reads a Turn with its newest items. Their texts are cut to what the budget has left.
func (h *pages) turnView(ctx context.Context, s core.SessionView, t store.Turn, budget *int) (frontend.TurnView, error) {
	view := turnFacts(t)
	items, left, err := h.sessions.ItemsOfTurn(ctx, t.ID, store.Page{Limit: store.MaxPage})
	if err != nil {
		return view, err
	}
	calls, err := h.sessions.Calls(ctx, t.ID)
	if err != nil {
		return view, err
	}
	view.Left = left
	for _, it := range items {
		item := itemView(it, calls)
		item.Steering = item.Kind == frontend.ItemUser && !t.Started.IsZero() && item.At.After(t.Started)
		item.Accepted = inputSeq(it) <= s.Applied
		item.Over = t.Status.Terminal()
		cutItem(&item, budget)
		view.Items = append(view.Items, item)
	}
	slices.Reverse(view.Items)
	return view, nil
}

// itemDocument is what the stored documents of items hold (behaviour 8.6).
type itemDocument struct {
	Status    string               `json:"status"`
	Cut       bool                 `json:"cut"`
	Seq       int64                `json:"input_seq"`
	At        int64                `json:"created_at_ms"`
	Content   []proto.InputContent `json:"content"`
	Text      string               `json:"text"`
	Name      string               `json:"name"`
	Command   string               `json:"command"`
	Server    string               `json:"server"`
	Exit      *int64               `json:"exit_code"`
	Elapsed   *int64               `json:"duration_ms"`
	Arguments json.RawMessage      `json:"arguments"`
	Output    json.RawMessage      `json:"output"`
	Error     json.RawMessage      `json:"error"`
	Live      string               `json:"live_output"`
	Action    *proto.SearchAction  `json:"action"`
	CallID    string               `json:"call_id"`
	Kind      string               `json:"kind"`
	NativeID  string               `json:"native_id"`
	Snapshot  json.RawMessage      `json:"snapshot"`
	Call      json.RawMessage      `json:"call"`
}

func inputSeq(it store.Item) int64 {
	var d struct {
		Seq int64 `json:"input_seq"`
	}
	if json.Unmarshal(it.Payload, &d) != nil {
		return 0
	}
	return d.Seq
}

// itemView reads an item's document; a member of another type than expected leaves the rest as it is.
func itemView(it store.Item, calls []store.Call) frontend.ItemView {
	var d itemDocument
	_ = json.Unmarshal(it.Payload, &d) // what could be read is shown
	view := frontend.ItemView{ID: it.ID, Kind: frontend.ItemKind(it.Kind), Status: d.Status, Cut: d.Cut, Text: d.Text,
		Exit: d.Exit, Arguments: pretty(d.Arguments), Fault: worded(d.Error)}
	if d.At > 0 {
		view.At = time.UnixMilli(d.At).Local()
	}
	if d.Elapsed != nil {
		view.Elapsed = time.Duration(*d.Elapsed) * time.Millisecond
	}
	switch view.Kind {
	case frontend.ItemUser, frontend.ItemMessage:
		view.Text, view.Images = said(d.Content)
	case frontend.ItemReasoning:
	case frontend.ItemCommand:
		view.Title, view.Text = d.Command, worded(d.Output)
		if view.Text == "" {
			view.Text = d.Live
		}
	case frontend.ItemSearch:
		view.Title, view.Text = searched(d.Action), worded(d.Output)
	case frontend.ItemCall:
		view.Title, view.Call = d.Name, callView(d.CallID, calls)
		if view.Call != nil {
			view.At = callAt(d.CallID, calls)
		}
	case frontend.ItemSubagent:
		view.Title, view.Text = d.Kind+" of "+d.NativeID, pretty(d.Snapshot)
		if view.Status == "in_progress" {
			view.Status = "observed" // a snapshot: its own end is not told
		}
	case frontend.ItemCoordination:
		view.Title, view.Text = coordination(d.Call), pretty(d.Call)
	default:
		view.Title, view.Text = d.Name, worded(d.Output)
		if d.Server != "" {
			view.Title = d.Server + ": " + d.Name
		}
		if view.Text == "" {
			view.Text, _ = said(d.Content)
		}
	}
	return view
}

// coordination says what was asked of a subagent.
func coordination(call json.RawMessage) string {
	var c struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	if json.Unmarshal(call, &c) != nil || c.Text == "" {
		return c.Kind
	}
	return c.Kind + ": " + c.Text
}

// said joins the texts of a message and counts its images.
func said(parts []proto.InputContent) (text string, images int) {
	for _, part := range parts {
		switch {
		case part.Text != nil && text != "":
			text += "\n" + *part.Text
		case part.Text != nil:
			text = *part.Text
		case part.ImageURL != nil:
			images++
		}
	}
	return text, images
}

func searched(action *proto.SearchAction) string {
	switch {
	case action == nil:
		return ""
	case action.Query != nil:
		return *action.Query
	case action.URL != nil:
		return *action.URL
	case action.Pattern != nil:
		return *action.Pattern
	case len(action.Queries) > 0:
		return action.Queries[0]
	}
	return action.Type
}

func callView(id string, calls []store.Call) *frontend.CallView {
	for _, c := range calls {
		if c.CallID != id {
			continue
		}
		view := &frontend.CallView{Turn: c.TurnID, ID: c.CallID, State: string(c.State), Settled: local(c.Settled)}
		var result struct {
			Success bool                 `json:"success"`
			Content []proto.InputContent `json:"content"`
		}
		if len(c.Result) > 0 && json.Unmarshal(c.Result, &result) == nil {
			view.Answer, _ = said(result.Content)
			view.Failed = !result.Success
		}
		return view
	}
	return nil
}

func callAt(id string, calls []store.Call) time.Time {
	at := slices.IndexFunc(calls, func(c store.Call) bool { return c.CallID == id })
	return local(calls[at].Created)
}

// pretty indents a document. Numbers and texts stay as they were spelled.
func pretty(document json.RawMessage) string {
	var out bytes.Buffer
	if len(document) == 0 || json.Indent(&out, document, "", "  ") != nil {
		return string(document)
	}
	return out.String()
}

// worded is a text as it is, and any other value as its document.
func worded(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return pretty(value)
}

// cutItem holds an item to its own bound and to what the page has left.
func cutItem(item *frontend.ItemView, budget *int) {
	texts := []*string{&item.Text, &item.Arguments, &item.Fault, &item.Title}
	if item.Call != nil {
		texts = append(texts, &item.Call.Answer)
	}
	for _, text := range texts {
		most := max(min(shownItem, *budget), 0)
		if len(*text) > most {
			for most > 0 && !utf8.RuneStart((*text)[most]) {
				most--
			}
			*text, item.Cut = (*text)[:most], true
		}
		*budget -= len(*text)
	}
}

func usageView(u *proto.TokenUsage) *frontend.UsageView {
	if u == nil {
		return nil
	}
	return &frontend.UsageView{Input: u.Input, Cached: u.CachedInput, Output: u.Output, Reasoning: u.ReasoningOutput, Total: u.Total}
}

// usageOf reads a stored measurement; what cannot be read is unknown.
func usageOf(stored []byte) *frontend.UsageView {
	var u proto.TokenUsage
	if len(stored) == 0 || json.Unmarshal(stored, &u) != nil {
		return nil
	}
	return usageView(&u)
}
