package wiretest

import "time"

// Role is one side of the wire.
type Role string

// The sides. Both is for steps that concern either.
const (
	Core    Role = "core"
	Runtime Role = "runtime"
	Both    Role = "both"
)

// other is the side that a player of this one talks to.
func (r Role) other() Role {
	if r == Core {
		return Runtime
	}
	return Core
}

// Scenario is one file: an exchange and what it proves.
type Scenario struct {
	Name      string
	Title     string
	Proves    []string // sections, like "behaviour 6.4"
	Tests     []Role   // the sides that can be under test
	Behaviour string   // what the native side does; "" when none is started
	Needs     []string // capabilities by name, or abilities of the surroundings
	Slow      bool     // takes a minute or more
	Ends      bool     // the Runtime stops for good
	// Unconnected scenarios begin without a connection.
	Unconnected bool
	Steps       []Step
}

// Abilities of the surroundings that a scenario may need beside capabilities.
const (
	NeedWake   = "wake"   // a suspended Runtime can be woken
	NeedRevoke = "revoke" // the device of a Core under test can be revoked
	NeedDriver = "driver" // a Core under test can be made to act
)

// TestsSide reports whether the scenario can put a side to the test.
func (s *Scenario) TestsSide(side Role) bool {
	for _, tested := range s.Tests {
		if tested == side {
			return true
		}
	}
	return false
}

// awaitsConnection is false for a scenario that begins with a refused dial, or says so.
func (s *Scenario) awaitsConnection() bool {
	return !s.Unconnected && (len(s.Steps) == 0 || s.Steps[0].Kind != StepDial)
}

// acts reports whether Core has to be made to do something.
func (s *Scenario) acts() bool {
	for _, step := range s.Steps {
		for _, frame := range step.frames() {
			if frame.From == Core {
				return true
			}
		}
	}
	return false
}

// StepKind is what happens in a step.
type StepKind string

// The kinds of steps, named by the key that begins one in a file.
const (
	StepFrame     StepKind = "frame"     // core: TYPE or runtime: TYPE
	StepUnordered StepKind = "unordered" // frames in any order
	StepSilent    StepKind = "silent"    // no frame of a side, and without a connection no dial
	StepSettle    StepKind = "settle"    // held native work is let go
	StepLose      StepKind = "lose"      // the connection is cut without a closing frame
	StepReconnect StepKind = "reconnect" // the Runtime dials; its first frame is a heartbeat
	StepClose     StepKind = "close"     // a side closes the connection
	StepDial      StepKind = "dial"      // the Runtime dials and is refused
	StepStopped   StepKind = "stopped"   // the Runtime makes no further attempt
	StepWake      StepKind = "wake"      // a suspended Runtime is woken
	StepHTTP      StepKind = "http"      // one HTTP request to Core
	StepObserve   StepKind = "observe"   // what Core itself observed
	StepPull      StepKind = "pull"      // a whole export
)

// Step is one line of a scenario.
type Step struct {
	Kind StepKind
	File string
	Line int
	Note string // why, for the report
	Rule string // the section that the step proves by itself, "" for those of the scenario
	// From is who sends, is silent or closes.
	From Role

	Type     string // of the frame
	ID       any
	Payload  any
	Raw      *string // the message instead of a frame
	Optional bool    // need not come
	Repeat   bool    // once or more
	PadTo    int     // size of a raw message, in bytes

	Alternatives []Step // of unordered
	// Wait is the time to watch for, or the patience with the peer; 0 for the usual.
	Wait time.Duration
	Code int // closing code, 0 for any

	HTTP    *Exchange
	Version any // of a dial
	Status  int
	Error   string

	Observed Watch
	Want     []any
	Handle   any // of a pull
}

// frames are the frames that the step consists of.
func (s *Step) frames() []Step {
	switch s.Kind {
	case StepFrame:
		return []Step{*s}
	case StepUnordered:
		return s.Alternatives
	case StepPull:
		return []Step{{Kind: StepFrame, From: Core, Type: "workspace_export"}}
	}
	return nil
}
