package store_test

import (
	"errors"
	"testing"
	"time"

	"parley/backend/store"
)

func anExecutor(t *testing.T, s *store.Store, digit string) store.ExecutorCredential {
	t.Helper()
	c, err := s.CreateExecutorCredential(t.Context(), store.ExecutorCredential{Digest: digest(digit), Binding: binding(), Created: time.UnixMilli(3)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func enrolled(t *testing.T, s *store.Store, digit string) store.Device {
	t.Helper()
	d, err := s.Enroll(t.Context(), digest(digit), "environment-1", time.UnixMilli(4))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// behaviour 2.3: enrolling binds the credential to a device once; again gives the same; the credential is the device's.
func TestEnrollmentBindsOnce(t *testing.T) {
	t.Parallel()
	s := opened(t)
	c := anExecutor(t, s, "a")
	if _, err := s.Enrolled(t.Context(), digest("a"), "environment-1"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before: got %v, want ErrNotFound", err)
	}
	first, again := enrolled(t, s, "a"), enrolled(t, s, "a")
	if first != again || first.Binding != binding() || first.RuntimeType != store.AgentDaemon {
		t.Errorf("got %+v and %+v, want the same device twice, bound", first, again)
	}
	if got, err := s.Enrolled(t.Context(), digest("a"), "environment-1"); err != nil || got != first {
		t.Errorf("after: got %+v (%v), want %+v", got, err, first)
	}
	if ok, err := s.Authority(t.Context(), first.ID, digest("a")); err != nil || !ok {
		t.Errorf("authority with the executor credential: got %t (%v), want it", ok, err)
	}
	c.DeviceID = first.ID
	if list, err := s.ExecutorCredentials(t.Context()); err != nil || len(list) != 1 || list[0] != c {
		t.Errorf("list: got %+v (%v), want %+v", list, err, c)
	}
}

// behaviour 2.3: a credential that is unknown, foreign or revoked has no authority; an Environment that another device
// has is a conflict.
func TestEnrollmentIsRefused(t *testing.T) {
	t.Parallel()
	s := opened(t)
	anExecutor(t, s, "a")
	anExecutor(t, s, "b")
	revoked := anExecutor(t, s, "c")
	if err := s.RevokeExecutorCredential(t.Context(), revoked.KeyID, time.Now()); err != nil {
		t.Fatal(err)
	}
	enrolled(t, s, "a")
	for _, tt := range []struct {
		name, digest, environment string
		want                      error
	}{
		{"unknown", digest("d"), "environment-1", store.ErrNoAuthority},
		{"empty", "", "environment-1", store.ErrNoAuthority},
		{"revoked", digest("c"), "environment-1", store.ErrNoAuthority},
		{"foreign", digest("a"), "environment-2", store.ErrNoAuthority},
		{"another key", digest("b"), "environment-1", store.ErrBound},
	} {
		if _, err := s.Enroll(t.Context(), tt.digest, tt.environment, time.Now()); !errors.Is(err, tt.want) {
			t.Errorf("enroll, %s: got %v, want %v", tt.name, err, tt.want)
		}
		if _, err := s.Enrolled(t.Context(), tt.digest, tt.environment); !errors.Is(err, tt.want) {
			t.Errorf("look, %s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// behaviour 2.2: rotation kills the old secret at once, also the device's.
func TestRotationKillsTheOldSecret(t *testing.T) {
	t.Parallel()
	s := opened(t)
	c := anExecutor(t, s, "a")
	d := enrolled(t, s, "a")
	if got, err := s.RotateExecutorCredential(t.Context(), c.KeyID, digest("b")); err != nil || got.EnvironmentID != "environment-1" {
		t.Fatalf("got %+v (%v), want the credential", got, err)
	}
	for one, want := range map[string]bool{digest("a"): false, digest("b"): true} {
		if ok, err := s.Authority(t.Context(), d.ID, one); err != nil || ok != want {
			t.Errorf("authority with %.3q: got %t (%v), want %t", one, ok, err, want)
		}
	}
	if _, err := s.Enroll(t.Context(), digest("a"), "environment-1", time.Now()); !errors.Is(err, store.ErrNoAuthority) {
		t.Errorf("enroll with the old secret: got %v, want ErrNoAuthority", err)
	}
	if again := enrolled(t, s, "b"); again.ID != d.ID {
		t.Errorf("enroll with the new secret: got device %s, want %s", again.ID, d.ID)
	}
	if _, err := s.RotateExecutorCredential(t.Context(), "nothing", digest("c")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown key: got %v, want ErrNotFound", err)
	}
}

// behaviour 2.2: revoking is idempotent; credential and device end together, from either side, and free the Environment.
func TestCredentialAndDeviceEndTogether(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(*store.Store, store.ExecutorCredential, store.Device) error{
		"credential": func(s *store.Store, c store.ExecutorCredential, _ store.Device) error {
			return s.RevokeExecutorCredential(t.Context(), c.KeyID, time.Now())
		},
		"device": func(s *store.Store, _ store.ExecutorCredential, d store.Device) error {
			return s.RevokeDevice(t.Context(), d.ID, time.Now())
		},
	} {
		s := opened(t)
		c := anExecutor(t, s, "a")
		d := enrolled(t, s, "a")
		for range 2 {
			if err := revoke(s, c, d); err != nil {
				t.Fatal(err)
			}
		}
		if ok, err := s.Authority(t.Context(), d.ID, digest("a")); err != nil || ok {
			t.Errorf("%s: authority: got %t (%v), want none", name, ok, err)
		}
		if _, err := s.Enroll(t.Context(), digest("a"), "environment-1", time.Now()); !errors.Is(err, store.ErrNoAuthority) {
			t.Errorf("%s: enroll: got %v, want ErrNoAuthority", name, err)
		}
		if _, err := s.RotateExecutorCredential(t.Context(), c.KeyID, digest("b")); !errors.Is(err, store.ErrRevoked) {
			t.Errorf("%s: rotate: got %v, want ErrRevoked", name, err)
		}
		anExecutor(t, s, "e")
		enrolled(t, s, "e")
	}
	if err := opened(t).RevokeExecutorCredential(t.Context(), "nothing", time.Now()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown key: got %v, want ErrNotFound", err)
	}
}
