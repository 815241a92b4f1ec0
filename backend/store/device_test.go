package store_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/store"
)

// digest is one of 16 digests.
func digest(digit string) string { return strings.Repeat(digit, 64) }

func binding() store.Binding {
	return store.Binding{EnvironmentID: "environment-1", SessionID: "session-1", WorkspaceDirectory: "/workspace"}
}

func aDevice() store.Device {
	return store.Device{Name: "bench", RuntimeType: store.AgentDaemon, Digest: digest("a"), Created: time.UnixMilli(1_700_000_000_123).UTC()}
}

func created(t *testing.T, s *store.Store, d store.Device) store.Device {
	t.Helper()
	d, err := s.CreateDevice(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// behaviour 2.2: a device comes back as it was created, in the lab's one workspace, with its name trimmed.
func TestDeviceComesBackAsCreated(t *testing.T) {
	t.Parallel()
	s := opened(t)
	loose, bound := aDevice(), aDevice()
	loose.Name, bound.Binding = " bench\t", binding()
	for _, d := range []store.Device{loose, bound} {
		made := created(t, s, d)
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(made.ID) {
			t.Errorf("id: got %q, want a UUID", made.ID)
		}
		d.ID, d.Name, d.WorkspaceID = made.ID, "bench", store.LocalWorkspace
		if got, err := s.Device(t.Context(), made.ID); err != nil || got != d || made != d {
			t.Errorf("got %+v (%v), made %+v, want %+v", got, err, made, d)
		}
	}
	list, err := s.Devices(t.Context())
	if err != nil || len(list) != 2 || list[0].EnvironmentID != "" || list[1].EnvironmentID != "environment-1" {
		t.Errorf("list: got %+v (%v), want both, the oldest first", list, err)
	}
	if _, err := s.Device(t.Context(), "nobody"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown id: got %v, want ErrNotFound", err)
	}
}

// behaviour 2.2: a name has 1 to 256 bytes after trimming; nothing is stored that a list could not show.
func TestUnfitDeviceIsRefused(t *testing.T) {
	t.Parallel()
	s := opened(t)
	fit := aDevice()
	fit.Name = strings.Repeat("n", 256)
	created(t, s, fit)
	for name, spoil := range map[string]func(*store.Device){
		"no name":               func(d *store.Device) { d.Name = " \n" },
		"a name of 257 bytes":   func(d *store.Device) { d.Name = strings.Repeat("n", 257) },
		"a name of two lines":   func(d *store.Device) { d.Name = "a\nb" },
		"a name that is bytes":  func(d *store.Device) { d.Name = "a\xff" },
		"no digest":             func(d *store.Device) { d.Digest = "" },
		"a digest in capitals":  func(d *store.Device) { d.Digest = digest("A") },
		"half a binding":        func(d *store.Device) { d.SessionID = "session-1" },
		"a binding to no place": func(d *store.Device) { d.Binding = binding(); d.WorkspaceDirectory = "" },
	} {
		d := aDevice()
		spoil(&d)
		if _, err := s.CreateDevice(t.Context(), d); !errors.Is(err, store.ErrUnfit) {
			t.Errorf("%s: got %v, want ErrUnfit", name, err)
		}
	}
	if list, err := s.Devices(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("got %d devices (%v), want the one that fits", len(list), err)
	}
}

// behaviour 2.2: revocation takes the digest away, is idempotent and keeps the time of the first.
func TestRevokedDeviceHasNoAuthority(t *testing.T) {
	t.Parallel()
	s := opened(t)
	d := aDevice()
	d.Binding = binding()
	d = created(t, s, d)
	for _, tt := range []struct {
		id, digest string
		want       bool
	}{{d.ID, digest("a"), true}, {d.ID, digest("b"), false}, {d.ID, "", false}, {"nobody", digest("a"), false}} {
		if got, err := s.Authority(t.Context(), tt.id, tt.digest); err != nil || got != tt.want {
			t.Errorf("authority of %q with %.3q: got %t (%v), want %t", tt.id, tt.digest, got, err, tt.want)
		}
	}
	for _, at := range []int64{5, 9} {
		if err := s.RevokeDevice(t.Context(), d.ID, time.UnixMilli(at)); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []string{digest("a"), ""} {
		if got, err := s.Authority(t.Context(), d.ID, one); err != nil || got {
			t.Errorf("authority after revocation with %.3q: got %t (%v), want none", one, got, err)
		}
	}
	if got, err := s.Device(t.Context(), d.ID); err != nil || got.Digest != "" || got.Revoked.UnixMilli() != 5 {
		t.Errorf("got %+v (%v), want no digest and the first time", got, err)
	}
	if err := s.RevokeDevice(t.Context(), "nobody", time.Now()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown id: got %v, want ErrNotFound", err)
	}
}

// An Environment has one device that may connect; revoking it gives the Environment free.
func TestEnvironmentHasOneDevice(t *testing.T) {
	t.Parallel()
	s := opened(t)
	d := aDevice()
	d.Binding = binding()
	first := created(t, s, d)
	if _, err := s.CreateDevice(t.Context(), d); !errors.Is(err, store.ErrBound) || !strings.Contains(err.Error(), first.ID) {
		t.Errorf("a second device: got %v, want ErrBound with the first", err)
	}
	if err := s.RevokeDevice(t.Context(), first.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	created(t, s, d)
}

func TestDeviceIsNotedAsSeen(t *testing.T) {
	t.Parallel()
	s := opened(t)
	d := created(t, s, aDevice())
	if err := s.TouchDevice(t.Context(), d.ID, time.UnixMilli(77)); err != nil {
		t.Fatal(err)
	}
	d.LastSeen = time.UnixMilli(77).UTC()
	if got, err := s.Device(t.Context(), d.ID); err != nil || got != d {
		t.Errorf("got %+v (%v), want %+v", got, err, d)
	}
	if list, err := s.Devices(t.Context()); err != nil || !slices.Equal(list, []store.Device{d}) {
		t.Errorf("list: got %+v (%v), want the same", list, err)
	}
}
