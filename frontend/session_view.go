package frontend

import "time"

// SessionsView is the list of Sessions with the form that begins one.
type SessionsView struct {
	Lab    Lab
	Now    time.Time
	Rows   []SessionRow
	First  bool   // the newest page
	Older  string // address of the next page, "" none
	Error  string // why the list could not be read, "" when it could
	Agents []AgentChoice
	Left   bool   // there are more Agents than are listed
	Recent string // id of the Agent that is chosen at first: the newest Session's; "" none
	// AgentsError is why the Agents could not be read, "" when they could.
	AgentsError string
}

// SessionRow is one Session of the list.
type SessionRow struct {
	ID         string
	Agent      string // its name
	State      SessionState
	Turns      int64
	LastActive time.Time
}

// AgentChoice is an Agent that a Session can begin with.
type AgentChoice struct {
	ID      string
	Name    string
	About   string // its description, "" none
	Harness string // kind
}

// SessionState is how a Session stands (behaviour 8.6).
type SessionState string

// The states of a Session.
const (
	SessionIdle     SessionState = "idle"
	SessionWorking  SessionState = "in_progress"
	SessionRequires SessionState = "requires_action"
	SessionFailed   SessionState = "failed"
)

// SessionView is one Session with a part of its history.
type SessionView struct {
	Lab         Lab
	Now         time.Time
	ID          string
	Agent       AgentChoice
	Model       string
	State       SessionState
	Created     time.Time
	LastActive  time.Time
	Count       int64      // of all Turns
	Turns       []TurnView // those that are shown, the oldest first
	Last        *TurnView  // the latest Turn, whether it is shown or not; nil: none
	Earlier     string     // id of the Turn before the first one shown, "" none
	Latest      bool       // the newest Turns are shown
	Environment *EnvironmentView
	Usage       *UsageView // of all Turns that told it; nil: none did
	DeviceID    string     // that ran the last Turn, "" before
	Runtime     *RuntimeView
	Seq         int64 // of the last event that what is shown may hold
}

// EnvironmentView is where a Session's work happens.
type EnvironmentView struct {
	ID, Type, State, Init, Workspace, DeviceID, Code string
}

// UsageView is what a model used, in tokens.
type UsageView struct{ Input, Cached, Output, Reasoning, Total int64 }

// TurnStatus is how a Turn stands (behaviour 8.1).
type TurnStatus string

// The statuses of a Turn.
const (
	TurnQueued    TurnStatus = "queued"
	TurnRunning   TurnStatus = "in_progress"
	TurnWaiting   TurnStatus = "waiting"
	TurnCompleted TurnStatus = "completed"
	TurnFailed    TurnStatus = "failed"
	TurnCancelled TurnStatus = "cancelled"
)

// TurnView is one Turn. Zero times are not known or have not come.
type TurnView struct {
	ID        string
	Number    int64 // from 1
	Status    TurnStatus
	RunID     string
	Created   time.Time
	Started   time.Time
	Completed time.Time
	Cancel    time.Time // when a cancel was asked for
	Code      string    // of a failure
	Told      string    // what was told of a failure, "" nothing
	Usage     *UsageView
	Items     []ItemView
	Left      bool // there are earlier items that are not shown
}

func (t TurnView) ended() bool {
	return t.Status == TurnCompleted || t.Status == TurnFailed || t.Status == TurnCancelled
}

// ItemKind says what an item is.
type ItemKind string

// The kinds of items. Another kind is shown with its data.
const (
	ItemUser         ItemKind = "user_message"
	ItemMessage      ItemKind = "message"
	ItemReasoning    ItemKind = "reasoning"
	ItemCommand      ItemKind = "command"
	ItemMCP          ItemKind = "mcp"
	ItemFunction     ItemKind = "function"
	ItemSearch       ItemKind = "web_search"
	ItemCall         ItemKind = "function_call"
	ItemSubagent     ItemKind = "subagent_item"
	ItemCoordination ItemKind = "subagent_coordination"
)

// ItemView is one item of a Turn.
type ItemView struct {
	ID        string
	Kind      ItemKind
	Status    string    // in_progress, completed, failed or incomplete
	At        time.Time // zero: not told
	Text      string    // what was said, thought or put out
	Cut       bool      // only the beginning of the text is there
	Images    int       // beside the text
	Steering  bool      // a message to a Turn that was there already
	Accepted  bool      // of steering: the Runtime has taken it
	Over      bool      // the Turn has ended: what did not come by then does not come
	Title     string    // command, name of a tool, query
	Exit      *int64
	Elapsed   time.Duration // zero: not told
	Arguments string        // JSON, as it was sent
	Fault     string        // what a tool told of its failure
	Call      *CallView
}

// CallView is a function call that asks for an answer.
type CallView struct {
	Turn    string // id
	ID      string
	State   string // open, answered, applied, failed or withdrawn
	Answer  string
	Failed  bool // the answer says that the function failed
	Settled time.Time
}
