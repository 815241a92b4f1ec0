package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// errStaysQueued says that a Turn was not claimed and may be tried again (behaviour 8.4).
var errStaysQueued = errors.New("turn stays queued")

// job is one Turn on its way through preparation, claim and Run. Its goroutine owns it.
type job struct {
	service     *Service
	turn        store.Turn
	session     store.Session
	agent       AgentConfig
	environment *store.Environment
	messages    proto.MessageInput // what the Run begins with
	applied     int64              // Seq of the last of them

	peer     *gateway.Connection
	declared *declaration
}

// declaration is what a device declared for the harness when the job was admitted to it.
type declaration struct {
	kind proto.AgentKind
	text []byte // as JSON, for the record
}

// jobOf reads what a Turn needs.
func (s *Service) jobOf(ctx context.Context, turn store.Turn) (*job, error) {
	session, err := s.store.Session(ctx, turn.SessionID)
	if err != nil {
		return nil, err
	}
	j := &job{service: s, turn: turn, session: session}
	if err := json.Unmarshal(session.Agent, &j.agent); err != nil {
		return nil, fmt.Errorf("read agent of session %q: %w", session.ID, err)
	}
	if session.EnvironmentID != "" {
		environment, err := s.store.Environment(ctx, session.EnvironmentID)
		if err != nil {
			return nil, err
		}
		j.environment = &environment
	}
	inputs, err := s.store.PendingInputs(ctx, turn.ID, maxInputs)
	if err != nil {
		return nil, err
	}
	if j.messages, err = messagesOf(inputs); err != nil {
		return nil, err
	}
	for _, input := range inputs {
		j.applied = input.Seq
	}
	return j, nil
}

// admittedBy checks a device's declaration for the job; nil when it lacks something.
func (j *job) admittedBy(peer *gateway.Connection) *declaration {
	kinds, _ := peer.Kinds() // nothing is known before the first heartbeat
	kind := kindOf(kinds, j.agent.Core.Harness)
	if kind == nil {
		return nil
	}
	if _, lacks := requirementsOf(j.session, j.agent, j.environment, j.messages).lacking(kind.Capabilities); lacks {
		return nil
	}
	return &declaration{kind: *kind, text: declarationText(*kind)}
}

// declarationText writes what a device declared, for the record.
func declarationText(kind proto.AgentKind) []byte {
	supported := map[string]bool{}
	for capability := range proto.CapabilityCount {
		supported[capability.String()] = kind.Capabilities.Has(capability)
	}
	data, err := json.Marshal(map[string]any{"kind": kind.Kind, "version": kind.Version, "capabilities": supported})
	if err != nil {
		return []byte("{}") // cannot be: text and booleans only
	}
	return data
}

// fail settles the Turn as failed with a code of behaviour 8.5. What is told of the cause stays apart from what Core
// concludes.
func (j *job) fail(code string, cause error) error {
	return j.settle(store.Settlement{Status: store.TurnFailed, ErrorCode: code}, outcome{Error: text(cause), ErrorCode: code}, nil)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
