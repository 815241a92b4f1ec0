package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"parley/backend/gateway"
	"parley/runner"
)

// Right is what a route can do to the lab.
type Right string

// The three rights.
const (
	Read  Right = "read"  // changes nothing
	Write Right = "write" // changes what the lab stores or does
	Paid  Right = "paid"  // may start work that somebody is charged for
)

// Route is one row of the table: everything that router, guard test and docs/http.md need to know.
type Route struct {
	Method string
	Path   string // echo's pattern
	Group  Group
	Right  Right
	Body   int64  // largest body in bytes; 0: no body is read
	Media  string // accepted media type of the body; "" where no body is read
	About  string // for docs/http.md

	handle echo.HandlerFunc
}

const (
	maxDocument = runner.MaxDocumentBytes
	maxNote     = 4 << 10 // the page's small messages
	textType    = "text/plain"
	anyType     = "any type" // announced or not
)

// Routes is the table as data.
func Routes() []Route { return new(Server).routes() }

// routes is the one table. Order: by group, as docs/http.md shows it.
func (s *Server) routes() []Route {
	get, post, put, del := http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	return []Route{
		{get, "/api/v1/runner/capabilities", GroupContract, Read, 0, "", "the advertisement", s.contract.capabilities},
		{post, "/api/v1/runner/negotiate", GroupContract, Read, maxDocument, jsonType, "compact or complete request in, negotiation out; executes nothing", s.contract.negotiate},
		{post, "/api/v1/runner/validate", GroupContract, Read, maxDocument, jsonType, "complete request in, unit receipt out; executes nothing", s.contract.validate},
		{post, "/api/v1/runner/run", GroupContract, Paid, maxDocument, jsonType, "complete request in, terminal out; executes one unit, stores nothing", s.contract.run},

		{post, machinePrefix + "bootstrap", GroupMachine, Read, gateway.MaxMachineBody, anyType, "where and how a Runtime connects; the device's credential as bearer", s.machine.bootstrap},
		{get, machinePrefix + "device-status", GroupMachine, Read, 0, "", "whether the device ?device_id= is connected; its credential as bearer", s.machine.status},
		{get, machinePrefix + "ws", GroupMachine, Write, 0, "", "the WebSocket of a Runtime; ?device_id= and ?version=, the device's credential as bearer", s.machine.connect},
		{post, machinePrefix + "enroll", GroupMachine, Write, gateway.MaxMachineBody, anyType, "binds an executor token, sent as bearer, to a device of its Environment", s.machine.enroll},
		{get, machinePrefix + "connection", GroupMachine, Read, 0, "", "whether the Runtime of ?environment_id= is connected; the executor token as bearer", s.machine.connection},

		{post, "/v1/agents", GroupCore, Write, maxCoreBody, jsonType, "create an agent", s.api.does(API.CreateAgent)},
		{get, "/v1/agents", GroupCore, Read, 0, "", "agents; ?limit=, ?after=, ?order= as every list of this group", s.api.does(API.ListAgents)},
		{get, "/v1/agents/:id", GroupCore, Read, 0, "", "one agent", s.api.does(API.GetAgent)},
		{post, "/v1/agents/:id", GroupCore, Write, maxCoreBody, jsonType, "replace an agent's configuration; Sessions keep theirs", s.api.does(API.UpdateAgent)},
		{del, "/v1/agents/:id", GroupCore, Write, 0, "", "forget an agent; its Sessions go on", s.api.does(API.DeleteAgent)},
		{post, "/v1/agents/sessions", GroupCore, Paid, maxCoreBody, jsonType, "begin a Session with its first input; \"stream\":true answers with its events; an Idempotency-Key makes it once", s.api.does(API.CreateSession)},
		{get, "/v1/agents/sessions", GroupCore, Read, 0, "", "Sessions; ?agent_id= those of one agent", s.api.does(API.ListSessions)},
		{get, "/v1/agents/sessions/:id", GroupCore, Read, 0, "", "one Session", s.api.does(API.GetSession)},
		{post, "/v1/agents/sessions/:id", GroupCore, Write, maxCoreBody, jsonType, "replace a Session's metadata", s.api.does(API.UpdateSession)},
		{del, "/v1/agents/sessions/:id", GroupCore, Write, 0, "", "forget a Session that has no unfinished Turn, with all that belongs to it", s.api.does(API.DeleteSession)},
		{post, "/v1/agents/sessions/:id/events", GroupCore, Paid, maxCoreBody, jsonType, "messages, cancels and tool results; an Idempotency-Key makes them count once", s.api.does(API.AddEvents)},
		{get, "/v1/agents/sessions/:id/events", GroupCore, Read, 0, "", "the Session's events as they happen, as text/event-stream; ?after= the id of an event goes on from there", s.api.does(API.StreamEvents)},
		{get, "/v1/agents/sessions/:id/turns", GroupCore, Read, 0, "", "the Session's Turns", s.api.does(API.ListTurns)},
		{get, "/v1/agents/sessions/:id/turns/:turn", GroupCore, Read, 0, "", "one Turn", s.api.does(API.GetTurn)},
		{get, "/v1/agents/sessions/:id/turns/:turn/items", GroupCore, Read, 0, "", "the items of one Turn", s.api.does(API.ListItemsOfTurn)},
		{get, "/v1/agents/sessions/:id/items", GroupCore, Read, 0, "", "the Session's items", s.api.does(API.ListItems)},
		{get, "/v1/agents/environments/:id", GroupCore, Read, 0, "", "one Environment", s.api.does(API.GetEnvironment)},

		{get, openAPIPath, GroupPublic, Read, 0, "", "the description of Core's API in OpenAPI 3.1", s.api.does(API.OpenAPI)},
		{get, "/healthz", GroupPublic, Read, 0, "", "that the lab answers", s.health},
		{get, "/schemas/", GroupPublic, Read, 0, "", "the names of the published JSON Schemas", s.schemaIndex},
		{get, "/schemas/:file", GroupPublic, Read, 0, "", "one JSON Schema: {name}.schema.json", s.schemaFile},
		{get, "/static/*", GroupPublic, Read, 0, "", "styles, scripts and icons under names that hold their hash", s.static},

		{get, "/open", GroupOpen, Write, 0, "", "exchanges the one-time ?token= for the session cookie and goes to the lab", s.pages.open},

		{post, "/api/v1/lab/runner/negotiate", GroupLab, Write, maxDocument, jsonType, "check compatibility, file the record, answer with the report as HTML", s.acts.negotiate},
		{post, "/api/v1/lab/runner/validate", GroupLab, Write, maxDocument, jsonType, "validate the exact work, file the record, answer with the report as HTML", s.acts.validate},
		{post, "/api/v1/lab/runner/run", GroupLab, Paid, maxDocument, jsonType, "run the selected unit, file the record, answer with the report as HTML", s.acts.run},
		{post, "/api/v1/lab/runner/inspect", GroupLab, Read, maxDocument, jsonType, "what the editor marks in a text; executes and stores nothing", s.acts.inspect},
		{del, "/api/v1/lab/runner/acts/:act", GroupLab, Write, 0, "", "cancel a running act by its Parley-Act name", s.acts.cancel},
		{get, "/api/v1/lab/records", GroupLab, Read, 0, "", "records newest first; ?before= a sequence number, ?limit= up to 200", s.records.list},
		{get, "/api/v1/lab/records/:id/request", GroupLab, Read, 0, "", "the exact bytes that were sent", s.records.request},
		{get, "/api/v1/lab/records/:id/answer", GroupLab, Read, 0, "", "the exact bytes that were answered", s.records.answer},
		{get, "/api/v1/lab/records/:id/receipt", GroupLab, Read, 0, "", "the unit receipt behind a run", s.records.receipt},
		{get, "/api/v1/lab/records/:id/export", GroupLab, Read, 0, "", "the whole record as one JSON document", s.records.export},
		{get, "/api/v1/lab/drafts/:name", GroupLab, Read, 0, "", "the text of a draft", s.drafts.read},
		{put, "/api/v1/lab/drafts/:name", GroupLab, Write, maxDocument, textType, "keep the text of a draft", s.drafts.save},
		{del, "/api/v1/lab/drafts/:name", GroupLab, Write, 0, "", "forget a draft", s.drafts.remove},
		{get, "/api/v1/lab/runtimes", GroupLab, Read, 0, "", "devices that may connect as Runtimes, with what the connected ones advertise", s.runtimes.list},
		{get, "/api/v1/lab/runtimes/rail", GroupLab, Read, 0, "", "the rail's state of the Runtimes as HTML", s.pages.railLive},
		{get, "/api/v1/lab/runtimes/screen", GroupLab, Read, 0, "", "what changes on the Runtimes page, as HTML; ?device= the one that is open", s.pages.runtimesLive},
		{post, "/api/v1/lab/runtimes/own/wake", GroupLab, Write, 0, "", "bring the lab's own Runtime back from a suspension", s.runtimes.wake},
		{post, "/api/v1/lab/core/drive", GroupLab, Write, maxDrive, jsonType, "one line of the driver's protocol: makes Core do one wire operation, or tells what it observed", s.runtimes.drive},
		{post, "/api/v1/lab/sessions", GroupLab, Write, maxAct, jsonType, "begin a Session with an agent and a first text; the key makes it one act", s.sessions.create},
		{get, "/api/v1/lab/sessions/:id/live", GroupLab, Read, 0, "", "event stream for a page: the number of the Session's last event, at most ten times a second", s.sessions.live},
		{get, "/api/v1/lab/sessions/:id/screen", GroupLab, Read, 0, "", "what changes on the page of a Session, as HTML; ?from= the number of the first Turn that may have", s.pages.sessionLive},
		{post, "/api/v1/lab/sessions/:id/messages", GroupLab, Write, maxAct, jsonType, "give a Session a text: it begins a Turn, or joins the one that has not ended", s.sessions.message},
		{post, "/api/v1/lab/sessions/:id/cancel", GroupLab, Write, maxAct, jsonType, "ask for the cancel of the Turn that is named", s.sessions.cancel},
		{post, "/api/v1/lab/sessions/:id/answers", GroupLab, Write, maxAct, jsonType, "answer a function call, or that it failed", s.sessions.answer},
		{post, "/api/v1/lab/ready", GroupLab, Write, maxNote, jsonType, `a page says that it is ready: {"screen":"runner","theme":"dark"}`, s.state.ready},
		{get, "/api/v1/lab/state", GroupLab, Read, 0, "", "version, start, data folder, pages that reported ready", s.state.read},

		{get, "/", GroupPages, Read, 0, "", "goes to the runner page", s.pages.home},
		{get, "/runner", GroupPages, Read, 0, "", "the runner page; ?from= a record takes its request", s.pages.runner},
		{get, "/runner/:name", GroupPages, Read, 0, "", "the runner page with a draft or a sample", s.pages.runnerNamed},
		{get, "/runs", GroupPages, Read, 0, "", "the history; ?before= a sequence number", s.pages.history},
		{get, "/runs/:id", GroupPages, Read, 0, "", "one record; latest goes to the newest", s.pages.record},
		{get, "/sessions", GroupPages, Read, 0, "", "the Sessions newest first, and the form that begins one; ?after= a Session", s.pages.sessionList},
		{get, "/sessions/:id", GroupPages, Read, 0, "", "one Session; ?turn= a Turn shows that one", s.pages.session},
		{get, "/runtimes", GroupPages, Read, 0, "", "the Runtimes and what is known of the first", s.pages.runtimes},
		{get, "/runtimes/:device", GroupPages, Read, 0, "", "the Runtimes and what is known of one", s.pages.runtimes},
	}
}

// served lists the routes that answer. A server that listens beyond this machine has the offline contract, the machine
// connection and Core's API only (hostile-inputs 2): paid runs are refused there by runner 7.3 itself.
func (s *Server) served() []Route {
	return slices.DeleteFunc(s.routes(), func(r Route) bool {
		switch {
		case r.Group == GroupCore, r.Path == openAPIPath:
			return s.api.API == nil
		case r.Group == GroupMachine:
			return s.machine.Machine == nil
		case strings.HasPrefix(r.Path, "/api/v1/lab/runtimes"), strings.HasPrefix(r.Path, "/api/v1/lab/core/"), strings.HasPrefix(r.Path, "/runtimes"):
			return s.exposed || s.runtimes.core == nil
		case strings.HasPrefix(r.Path, "/api/v1/lab/sessions"), strings.HasPrefix(r.Path, "/sessions"):
			return s.exposed || s.sessions.Sessions == nil
		case s.exposed:
			return r.Group != GroupContract && r.Path != "/healthz"
		}
		return false
	})
}

// allowed gives the methods of each path, for the Allow header.
func allowed(routes []Route) map[string]string {
	methods := map[string][]string{}
	for _, r := range routes {
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	allow := map[string]string{}
	for path, list := range methods {
		allow[path] = strings.Join(list, ", ")
	}
	return allow
}
