package core

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"parley/backend/store"
	"parley/daemon/proto"
)

// Bounds of one journal write (behaviour 8.5).
const (
	journalFlush  = 100 * time.Millisecond
	journalEvents = 64
	journalBytes  = 768 << 10
	maxItemText   = 256 << 10 // of one item, in bytes; what is beyond is cut and said so
)

// projection turns the frames of a Run into items and public events (behaviour 8.6). It keeps what is not written yet.
type projection struct {
	session string
	turn    string
	prefix  string           // of the items' ids, which are unique within the Session
	items   map[string]*item // by the name that the Runtime knows them by, which other Turns may use as well
	order   []*item
	events  []store.Event
	bytes   int
	changed map[string]*item
}

// item is one part of the Turn's history while it grows.
type item struct {
	id     string
	index  int64
	kind   string
	status string
	text   string
	cut    bool
	body   map[string]any
}

func newProjection(j *job, run string) *projection {
	return &projection{session: j.session.ID, turn: j.turn.ID, prefix: fmt.Sprintf("item_%d_", j.turn.Seq), items: map[string]*item{}, changed: map[string]*item{}}
}

// full reports that what waits should be written now.
func (p *projection) full() bool { return len(p.events) >= journalEvents || p.bytes >= journalBytes/2 }

// take gives at most one write's worth; more says that something is left.
func (p *projection) take() (j store.Journal, more bool) {
	n, bytes := 0, 0
	for n < len(p.events) && n < journalEvents && (n == 0 || bytes+len(p.events[n].Payload) <= journalBytes) {
		bytes += len(p.events[n].Payload)
		n++
	}
	j.Events = p.events[:n]
	p.events = append([]store.Event(nil), p.events[n:]...)
	p.bytes -= bytes
	if len(p.events) > 0 {
		return j, true
	}
	for _, it := range p.order {
		if p.changed[it.id] != nil {
			j.Items = append(j.Items, store.Item{ID: it.id, TurnID: p.turn, Index: it.index, Kind: it.kind, Payload: it.payload()})
		}
	}
	clear(p.changed)
	return j, false
}

func (it *item) payload() []byte {
	body := map[string]any{"id": it.id, "type": it.kind, "status": it.status}
	for key, value := range it.body {
		body[key] = value
	}
	if it.kind == "message" {
		body["role"] = "assistant"
		body["content"] = []any{map[string]any{"type": "output_text", "text": it.text}}
	}
	if it.kind == "reasoning" {
		body["text"] = it.text
	}
	if it.cut {
		body["cut"] = true
	}
	data, err := json.Marshal(body)
	if err != nil || len(data) > proto.MaxReadBytes/2 {
		data, _ = json.Marshal(map[string]any{"id": it.id, "type": it.kind, "status": it.status, "cut": true})
	}
	return data
}

// emit queues one event.
func (p *projection) emit(kind string, at time.Time, body map[string]any) {
	body["session_id"], body["turn_id"] = p.session, p.turn
	e := event(kind, p.turn, at, body)
	p.events = append(p.events, e)
	p.bytes += len(e.Payload)
}

// open makes an item, or gives the one that is there.
func (p *projection) open(name, kind string, at time.Time, body map[string]any) (it *item, fresh bool) {
	if it = p.items[name]; it != nil {
		return it, false
	}
	index := int64(len(p.order))
	it = &item{id: p.prefix + strconv.FormatInt(index, 10), index: index, kind: kind, status: "in_progress", body: body}
	p.items[name] = it
	p.order = append(p.order, it)
	p.touch(it)
	p.emit(EventItemAdded, at, map[string]any{"output_index": it.index, "item": json.RawMessage(it.payload())})
	return it, true
}

func (p *projection) touch(it *item) { p.changed[it.id] = it }

// end closes an item.
func (p *projection) end(it *item, status string, at time.Time) {
	if it.status != "in_progress" {
		return
	}
	it.status = status
	p.touch(it)
	p.emit(EventItemDone, at, map[string]any{"output_index": it.index, "item": json.RawMessage(it.payload())})
}

// text adds to an item's text within its bound.
func (it *item) add(text string) {
	if len(it.text)+len(text) > maxItemText {
		text, it.cut = cut(text, maxItemText-len(it.text)), true
	}
	it.text += text
}

// delta is text of a message: of a named one, or of the one message of a harness without message items.
func (p *projection) delta(d *proto.Delta, at time.Time) {
	it := p.openMessage(nameOr(d.ItemID, "message"), at)
	it.add(d.Delta)
	p.touch(it)
	p.emit(EventTextDelta, at, map[string]any{"item_id": it.id, "output_index": it.index, "content_index": 0, "delta": d.Delta})
}

func nameOr(id, fallback string) string {
	if id == "" {
		return fallback
	}
	return id
}

func (p *projection) openMessage(name string, at time.Time) *item {
	it, fresh := p.open(name, "message", at, map[string]any{})
	if fresh {
		p.emit(EventPartAdded, at, map[string]any{"item_id": it.id, "output_index": it.index, "content_index": 0,
			"part": map[string]any{"type": "output_text", "text": ""}})
	}
	return it
}

// message tells the start or the end of a message.
func (p *projection) message(m *proto.OutputMessage, at time.Time) {
	it := p.openMessage(m.ID, at)
	if m.Phase == "commentary" || m.Phase == "final_answer" {
		it.body["phase"] = m.Phase
	}
	if m.Status == "in_progress" {
		return
	}
	if m.Text != nil {
		it.text, it.cut = "", false
		it.add(*m.Text)
	}
	p.endMessage(it, m.Status, at)
}

// endMessage: text done, part done, item done (behaviour 8.6).
func (p *projection) endMessage(it *item, status string, at time.Time) {
	if it.status != "in_progress" {
		return
	}
	place := map[string]any{"item_id": it.id, "output_index": it.index, "content_index": 0, "text": it.text}
	p.emit(EventTextDone, at, place)
	p.emit(EventPartDone, at, map[string]any{"item_id": it.id, "output_index": it.index, "content_index": 0,
		"part": map[string]any{"type": "output_text", "text": it.text}})
	p.end(it, status, at)
}

// thinking is one reasoning item until something else comes.
func (p *projection) thinking(t *proto.Thinking, at time.Time) {
	it, _ := p.open(fmt.Sprintf("reasoning_%d", p.reasonings()), "reasoning", at, map[string]any{})
	it.add(t.Text)
	p.touch(it)
	p.emit(EventTextDelta, at, map[string]any{"item_id": it.id, "output_index": it.index, "content_index": 0, "delta": t.Text})
}

// reasonings numbers the reasoning item that grows now: a new one begins when the last item is another.
func (p *projection) reasonings() int {
	n := 0
	for _, it := range p.order {
		if it.kind == "reasoning" {
			n++
		}
	}
	if len(p.order) > 0 && p.order[len(p.order)-1].kind == "reasoning" {
		n--
	}
	return n
}

// tool is a tool before or after its work; without an observation no public item is made (wire 3.3).
func (p *projection) tool(t *proto.ToolCall, at time.Time) {
	if t.Observation == nil {
		return
	}
	o := t.Observation
	it, _ := p.open(t.ID, o.Kind, at, map[string]any{"name": t.Name, "tool_call_id": t.ID})
	var body map[string]any
	if data, err := json.Marshal(o); err == nil && json.Unmarshal(data, &body) == nil {
		for key, value := range body {
			if key != "status" && key != "kind" {
				it.body[key] = value
			}
		}
	}
	p.touch(it)
	if o.Status == "in_progress" {
		return
	}
	status := o.Status
	if o.Kind == "web_search" && status == "failed" {
		status = "incomplete"
	}
	p.end(it, status, at)
}

// commandOutput is live output of a command that is in progress; of one that has ended it is ignored (wire 3.2).
func (p *projection) commandOutput(c *proto.CommandOutput, at time.Time) {
	it := p.items[c.ID]
	if it == nil || it.status != "in_progress" {
		return
	}
	it.add(c.Delta)
	it.body["live_output"] = it.text
	p.touch(it)
	p.emit(EventCommandText, at, map[string]any{"item_id": it.id, "output_index": it.index, "delta": c.Delta})
}

// function is a call that asks for an answer.
func (p *projection) function(c *proto.FunctionCall, at time.Time) {
	p.open("call_"+c.CallID, "function_call", at, map[string]any{"call_id": c.CallID, "name": c.Name,
		"arguments": json.RawMessage(c.Arguments), "native_id": c.NativeID})
}

// answered completes a call whose answer was applied.
func (p *projection) answered(call string, at time.Time) {
	if it := p.items["call_"+call]; it != nil {
		p.end(it, "completed", at)
	}
}

func (p *projection) withdrawn(c *proto.FunctionCallWithdrawn, at time.Time) {
	if it := p.items["call_"+c.CallID]; it != nil {
		it.body["withdrawn"] = true
		p.end(it, "incomplete", at)
	}
}

// subagent tells a child: created by its identity, then what its lifecycle says; its items are snapshots.
func (p *projection) subagent(frame proto.Frame, at time.Time) {
	body := map[string]any{"frame": string(frame.Type), "subagent": json.RawMessage(frame.Raw)}
	switch s := frame.Payload.(type) {
	case *proto.SubagentIdentity:
		p.emit(EventSubagentCreated, at, body)
	case *proto.SubagentLifecycle:
		kind := EventSubagentActive
		if s.Status == "closed" {
			kind = EventSubagentClosed
		}
		p.emit(kind, at, body)
	case *proto.SubagentItem:
		it, _ := p.open("sub_"+s.NativeID+"_"+s.ItemID, "subagent_item", at, map[string]any{"native_id": s.NativeID})
		it.body["kind"], it.body["position"], it.body["snapshot"] = s.Kind, s.Position, json.RawMessage(s.Payload)
		p.touch(it)
	case *proto.SubagentCoordination:
		it, _ := p.open("coordination_"+s.ID, "subagent_coordination", at, map[string]any{})
		it.body["call"] = json.RawMessage(frame.Raw)
		p.touch(it)
		if s.Status != "in_progress" {
			p.end(it, s.Status, at)
		}
	}
}

// close ends what is open and gives all that is left: with a completed Turn items are complete, otherwise incomplete.
func (p *projection) close(status store.TurnStatus, at time.Time) store.Journal {
	word := "incomplete"
	if status == store.TurnCompleted {
		word = "completed"
	}
	for _, it := range p.order {
		if it.kind == "message" {
			p.endMessage(it, word, at)
			continue
		}
		p.end(it, word, at)
	}
	var all store.Journal
	for {
		j, more := p.take()
		all = join(all, j)
		if !more {
			return all
		}
	}
}
