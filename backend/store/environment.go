package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// EnvironmentState is one of the five of behaviour 8.3.
type EnvironmentState string

// The states of an Environment. Nothing follows failed and expired.
const (
	EnvironmentPending      EnvironmentState = "pending"
	EnvironmentConnected    EnvironmentState = "connected"
	EnvironmentDisconnected EnvironmentState = "disconnected"
	EnvironmentFailed       EnvironmentState = "failed"
	EnvironmentExpired      EnvironmentState = "expired"
)

// InitState is how far the initialization of an Environment is (behaviour 8.3).
type InitState string

// The states of an initialization.
const (
	InitPending  InitState = "pending"
	InitRunning  InitState = "running" // claimed once; found after a restart it becomes failed
	InitComplete InitState = "complete"
	InitFailed   InitState = "failed"
)

// Environment is where a Session's work happens. A Session of type none has no record.
type Environment struct {
	ID          string // UUID
	Type        string // self_hosted
	SessionID   string
	DeviceID    string // the device bound to it, "" while there is none
	Workspace   string // folder on the Runtime's machine
	State       EnvironmentState
	Init        InitState
	Steps       []byte // JSON array of initialization steps, [] for none
	ErrorCode   string // with failed
	Created     time.Time
	Initialized time.Time // zero: not complete
}

// keptEnvironment is an Environment with its place and that of its Session.
type keptEnvironment struct {
	Environment
	place, session int64
}

const environmentColumns = `e.place, e.session, e.id, e.type, s.id, e.device_id, e.workspace, e.state, e.init, e.steps, e.error_code,
	e.created_at_ms, e.initialized_at_ms`

const environmentTables = "environment e JOIN session s ON s.place = e.session"

const (
	insertEnvironment = `INSERT INTO environment (id, session, type, device_id, workspace, state, init, steps, created_at_ms)
		VALUES (?, ?, ?, ?, ?, 'pending', 'pending', ?, ?)`
	selectEnvironment  = "SELECT " + environmentColumns + " FROM " + environmentTables + " WHERE e.id = ?"
	selectBySession    = "SELECT " + environmentColumns + " FROM " + environmentTables + " WHERE s.id = ?"
	selectByDevice     = "SELECT " + environmentColumns + " FROM " + environmentTables + " WHERE e.device_id = ? AND e.device_id <> '' ORDER BY e.place"
	selectToInitialize = "SELECT " + environmentColumns + " FROM " + environmentTables + " WHERE e.init = 'pending' ORDER BY e.place LIMIT ?"
	saveEnvironment    = `UPDATE environment SET device_id = ?, state = ?, init = ?, error_code = ?, initialized_at_ms = ?
		WHERE place = ?`
)

func (e *Environment) fit() error {
	if e.Steps == nil {
		e.Steps = []byte("[]")
	}
	if len(e.Steps) > MaxConfig {
		return fmt.Errorf("%w: steps: expected at most %d bytes, found %d", ErrUnfit, MaxConfig, len(e.Steps))
	}
	return errors.Join(fitName("environment type", e.Type), fitText("workspace directory", e.Workspace, maxDirectory))
}

func (w *work) createEnvironment(held *heldSession, e Environment, at time.Time) (*Environment, error) {
	e.ID, e.SessionID, e.Created = uuid.NewString(), held.id, kept(at)
	e.State, e.Init, e.ErrorCode, e.Initialized = EnvironmentPending, InitPending, "", time.Time{}
	_, err := w.exec(insertEnvironment, e.ID, held.place, e.Type, e.DeviceID, e.Workspace, e.Steps, at.UnixMilli())
	return &e, err
}

// Environment gives the Environment with an id, or ErrNotFound.
func (s *Store) Environment(ctx context.Context, id string) (Environment, error) {
	return s.oneEnvironment(ctx, "environment", selectEnvironment, id)
}

// EnvironmentOf gives the Environment of a Session, or ErrNotFound.
func (s *Store) EnvironmentOf(ctx context.Context, session string) (Environment, error) {
	return s.oneEnvironment(ctx, "environment of session", selectBySession, session)
}

func (s *Store) oneEnvironment(ctx context.Context, what, query, id string) (Environment, error) {
	e, err := oneOf(s.read.QueryRowContext(ctx, query, id), scanEnvironment)
	if err != nil {
		return Environment{}, fmt.Errorf("read %s %q: %w", what, id, s.note(err))
	}
	return e.Environment, nil
}

// EnvironmentsOfDevice lists the Environments that a device is bound to, the oldest first.
func (s *Store) EnvironmentsOfDevice(ctx context.Context, device string) ([]Environment, error) {
	return s.listEnvironments(ctx, selectByDevice, device)
}

// EnvironmentsToInitialize lists Environments whose initialization nobody has claimed, the oldest first, at most limit and
// at most MaxPage.
func (s *Store) EnvironmentsToInitialize(ctx context.Context, limit int) ([]Environment, error) {
	return s.listEnvironments(ctx, selectToInitialize, min(max(limit, 1), MaxPage))
}

func (s *Store) listEnvironments(ctx context.Context, query string, arg any) ([]Environment, error) {
	list, err := listOf(ctx, s.read, scanEnvironment, query, arg)
	if err != nil {
		return nil, fmt.Errorf("list environments: %w", s.note(err))
	}
	environments := make([]Environment, len(list))
	for i, one := range list {
		environments[i] = one.Environment
	}
	return environments, nil
}

// BindEnvironment names the device that an Environment works on. Errors: ErrNotFound; ErrChanged where nothing follows its
// state.
func (s *Store) BindEnvironment(ctx context.Context, id, device string) (Environment, error) {
	return s.changeEnvironment(ctx, "bind", id, nil, func(e *Environment) error {
		e.DeviceID = device
		return nil
	})
}

// SetEnvironmentState notes a state that follows from a connection: connected, disconnected or expired; failed comes from
// FailInitialization. The same state again changes nothing and is not described. Errors: ErrNotFound; ErrChanged where
// nothing follows the state that it has; ErrUnfit.
func (s *Store) SetEnvironmentState(ctx context.Context, id string, to EnvironmentState, describe Describe[Environment]) (Environment, error) {
	if !slices.Contains([]EnvironmentState{EnvironmentConnected, EnvironmentDisconnected, EnvironmentExpired}, to) {
		return Environment{}, fmt.Errorf("set environment %q: %w: state %q", id, ErrUnfit, to)
	}
	return s.changeEnvironment(ctx, "set", id, describe, func(e *Environment) error {
		e.State = to
		return nil
	})
}

// changeEnvironment changes an Environment that may still change. What comes out as it was is not described.
func (s *Store) changeEnvironment(ctx context.Context, verb, id string, describe Describe[Environment], do func(*Environment) error) (Environment, error) {
	var e keptEnvironment
	err := s.together(ctx, func(w *work) (err error) {
		if e, err = oneOf(w.row(selectEnvironment, id), scanEnvironment); err != nil {
			return err
		}
		if e.State == EnvironmentFailed || e.State == EnvironmentExpired {
			return fmt.Errorf("%w: the Environment is %s", ErrChanged, e.State)
		}
		return w.reviseEnvironment(&e, describe, do)
	})
	if err != nil {
		return Environment{}, fmt.Errorf("%s environment %q: %w", verb, id, err)
	}
	return e.Environment, nil
}

func (w *work) reviseEnvironment(e *keptEnvironment, describe Describe[Environment], do func(*Environment) error) error {
	state, init, device := e.State, e.Init, e.DeviceID
	if err := do(&e.Environment); err != nil {
		return err
	}
	if e.State == state && e.Init == init && e.DeviceID == device {
		return nil
	}
	if _, err := w.exec(saveEnvironment, e.DeviceID, e.State, e.Init, e.ErrorCode, instant(e.Initialized), e.place); err != nil {
		return err
	}
	held, err := w.sessionAt(e.session)
	if err != nil {
		return err
	}
	return w.append(held, describe.of(e.Environment), nil)
}

func scanEnvironment(row scanner) (keptEnvironment, error) {
	var e keptEnvironment
	var created int64
	var initialized sql.NullInt64
	err := row.Scan(&e.place, &e.session, &e.ID, &e.Type, &e.SessionID, &e.DeviceID, &e.Workspace, &e.State, &e.Init, &e.Steps,
		&e.ErrorCode, &created, &initialized)
	e.Created, e.Initialized = time.UnixMilli(created).UTC(), moment(initialized)
	return e, err
}
