package store_test

import (
	"errors"
	"testing"

	"parley/backend/store"
)

// behaviour 8.3: an initialization is claimed once; nothing follows failed and expired.
func TestEnvironmentGoesItsWay(t *testing.T) {
	t.Parallel()
	s := opened(t)
	steps := map[string]func(id string) (store.Environment, error){
		"claim": func(id string) (store.Environment, error) { return s.ClaimInitialization(t.Context(), id, nil) },
		"finish": func(id string) (store.Environment, error) {
			return s.FinishInitialization(t.Context(), id, moment(), nil)
		},
		"fail": func(id string) (store.Environment, error) { return s.FailInitialization(t.Context(), id, "code", nil) },
	}
	for _, state := range []store.EnvironmentState{store.EnvironmentConnected, store.EnvironmentDisconnected, store.EnvironmentExpired, store.EnvironmentPending, store.EnvironmentFailed} {
		steps[string(state)] = func(id string) (store.Environment, error) { return s.SetEnvironmentState(t.Context(), id, state, nil) }
	}
	for _, tt := range []struct {
		steps []string
		state store.EnvironmentState
		init  store.InitState
		err   error // of the last step
	}{
		{[]string{"connected"}, store.EnvironmentConnected, store.InitPending, nil},
		{[]string{"connected", "claim"}, store.EnvironmentConnected, store.InitRunning, nil},
		{[]string{"claim", "claim"}, store.EnvironmentPending, store.InitRunning, store.ErrChanged},
		{[]string{"finish"}, store.EnvironmentPending, store.InitPending, store.ErrChanged},
		{[]string{"claim", "finish"}, store.EnvironmentPending, store.InitComplete, nil},
		{[]string{"claim", "finish", "fail"}, store.EnvironmentPending, store.InitComplete, store.ErrChanged},
		{[]string{"claim", "finish", "connected", "disconnected", "connected"}, store.EnvironmentConnected, store.InitComplete, nil},
		{[]string{"claim", "fail"}, store.EnvironmentFailed, store.InitFailed, nil},
		{[]string{"fail"}, store.EnvironmentFailed, store.InitFailed, nil},
		{[]string{"fail", "connected"}, store.EnvironmentFailed, store.InitFailed, store.ErrChanged},
		{[]string{"expired", "claim"}, store.EnvironmentExpired, store.InitPending, store.ErrChanged},
		{[]string{"pending"}, store.EnvironmentPending, store.InitPending, store.ErrUnfit},
		{[]string{"failed"}, store.EnvironmentPending, store.InitPending, store.ErrUnfit},
	} {
		e := anEnvironment(t, s, "")
		var err error
		for _, step := range tt.steps {
			_, err = steps[step](e.ID)
		}
		got, readErr := s.Environment(t.Context(), e.ID)
		if !errors.Is(err, tt.err) || readErr != nil || got.State != tt.state || got.Init != tt.init {
			t.Errorf("%q: got %s, %s (%v, %v), want %s, %s (%v)", tt.steps, got.State, got.Init, err, readErr, tt.state, tt.init, tt.err)
		}
	}
}

// A change is described, what was so already is not.
func TestOnlyChangesOfAnEnvironmentAreDescribed(t *testing.T) {
	t.Parallel()
	s := opened(t)
	e := anEnvironment(t, s, "")
	describe := func(e store.Environment) store.Journal {
		return store.Journal{Events: []store.Event{event("", string(e.State))}}
	}
	for range 3 {
		if _, err := s.SetEnvironmentState(t.Context(), e.ID, store.EnvironmentConnected, describe); err != nil {
			t.Fatal(err)
		}
	}
	if list := journal(t, s, e.SessionID); len(list) != 1 || list[0].Type != "connected" {
		t.Errorf("got %+v, want one event", list)
	}
}

func TestEnvironmentsAreFoundByDeviceAndWork(t *testing.T) {
	t.Parallel()
	s := opened(t)
	first, second := anEnvironment(t, s, "device-1"), anEnvironment(t, s, "")
	if _, err := s.BindEnvironment(t.Context(), second.ID, "device-1"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.EnvironmentsOfDevice(t.Context(), "device-1"); err != nil || len(list) != 2 || list[1].ID != second.ID {
		t.Errorf("of the device: got %+v (%v), want both", list, err)
	}
	if list, err := s.EnvironmentsOfDevice(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("of no device: got %+v (%v), want none", list, err)
	}
	if _, err := s.ClaimInitialization(t.Context(), first.ID, nil); err != nil {
		t.Fatal(err)
	}
	if list, err := s.EnvironmentsToInitialize(t.Context(), 9); err != nil || len(list) != 1 || list[0].ID != second.ID {
		t.Errorf("to initialize: got %+v (%v), want the second", list, err)
	}
}
