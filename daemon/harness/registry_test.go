package harness_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// complete is a declaration with every field set; those listed are supported.
func complete(kind string, supported ...proto.Capability) harness.Declaration {
	d := harness.Declaration{Kind: kind, Available: true, Version: "1"}
	for capability := range proto.CapabilityCount {
		d.Capabilities[capability] = proto.Unsupported
	}
	for _, capability := range supported {
		d.Capabilities[capability] = proto.Supported
	}
	return d
}

var errMade = errors.New("made by this factory")

func failing(context.Context, proto.Configuration) (harness.Executor, error) { return nil, errMade }

func registered(t *testing.T) *harness.Registry {
	t.Helper()
	r := harness.NewRegistry()
	if err := r.Declare(complete("kind", proto.Streaming)); err != nil {
		t.Fatal(err)
	}
	if err := r.SetFactory("kind", failing); err != nil {
		t.Fatal(err)
	}
	return r
}

// sameAsRegistered holds the registry to what registered made.
func sameAsRegistered(t *testing.T, r *harness.Registry) {
	t.Helper()
	d, factory, ok := r.Kind("kind")
	if !ok || d != complete("kind", proto.Streaming) {
		t.Errorf("kind: got %+v (there: %t), want the declaration of before", d, ok)
	}
	if factory == nil {
		t.Error("factory: got none, want the one of before")
	}
	if got := len(r.Kinds()); got != 1 {
		t.Errorf("kinds: got %d, want 1", got)
	}
}

// TestDeclareRefusesEachOmittedCapability: every field is declared, and a refused declaration changes nothing.
// behaviour 9.2
func TestDeclareRefusesEachOmittedCapability(t *testing.T) {
	t.Parallel()
	if proto.CapabilityCount != 25 {
		t.Fatalf("got %d capabilities, want 25", proto.CapabilityCount)
	}
	for omitted := range proto.CapabilityCount {
		t.Run(omitted.String(), func(t *testing.T) {
			t.Parallel()
			for _, available := range []bool{true, false} {
				r := registered(t)
				d := complete("kind")
				d.Available = available
				d.Capabilities[omitted] = proto.Unspecified
				err := r.Declare(d)
				if err == nil || !strings.Contains(err.Error(), omitted.String()) {
					t.Errorf("available %t: got error %v, want one that names %q", available, err, omitted)
				}
				sameAsRegistered(t, r)
			}
		})
	}
}

func TestDeclareRefuses(t *testing.T) {
	t.Parallel()
	outside := complete("kind")
	outside.Capabilities[proto.Streaming] = 7
	for name, d := range map[string]harness.Declaration{
		"no name":                  complete(""),
		"a blank name":             complete(" \t"),
		"nothing at all":           {Kind: "kind"},
		"a value that is no value": outside,
	} {
		r := registered(t)
		if err := r.Declare(d); err == nil {
			t.Errorf("%s: got success, want an error", name)
		}
		sameAsRegistered(t, r)
	}
}

// TestDeclareAgainResetsTheFactory: registration comes first, and the factory after it. behaviour 9.2
func TestDeclareAgainResetsTheFactory(t *testing.T) {
	t.Parallel()
	r := registered(t)
	if err := r.Declare(complete("kind", proto.Preparation)); err != nil {
		t.Fatal(err)
	}
	d, factory, ok := r.Kind("kind")
	if !ok || !d.Capabilities.Has(proto.Preparation) || d.Capabilities.Has(proto.Streaming) {
		t.Errorf("got %+v (there: %t), want the second declaration", d, ok)
	}
	if factory != nil {
		t.Error("factory: got the one of before, want none")
	}
}

func TestFactoryNeedsADeclaration(t *testing.T) {
	t.Parallel()
	r := harness.NewRegistry()
	if err := r.SetFactory("kind", failing); err == nil {
		t.Error("set factory of an undeclared kind: got success, want an error")
	}
	if _, factory, ok := r.Kind("kind"); ok || factory != nil {
		t.Errorf("kind: got there %t and factory %t, want neither", ok, factory != nil)
	}
	_, factory, _ := registered(t).Kind("kind")
	if _, err := factory(t.Context(), proto.Configuration{}); !errors.Is(err, errMade) {
		t.Errorf("factory: got error %v, want that of the one that was set", err)
	}
}

// TestUnsupportedStaysUnsupported: the declaration is the maximum, and a factory grants nothing. behaviour 9.2
func TestUnsupportedStaysUnsupported(t *testing.T) {
	t.Parallel()
	kinds := registered(t).Kinds()
	for capability := range proto.CapabilityCount {
		want := capability == proto.Streaming
		if got := kinds[0].Capabilities.Has(capability); got != want {
			t.Errorf("%s: got %t, want %t", capability, got, want)
		}
	}
}

func TestKindsAreSortedByName(t *testing.T) {
	t.Parallel()
	r := harness.NewRegistry()
	for _, name := range []string{"scripted", "codex", "mcode"} {
		if err := r.Declare(complete(name)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, kind := range r.Kinds() {
		got = append(got, kind.Kind)
	}
	if want := "codex mcode scripted"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRegistryIsReadWhileKindsAreRegistered is for the race detector.
func TestRegistryIsReadWhileKindsAreRegistered(t *testing.T) {
	t.Parallel()
	r := registered(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if err := r.Declare(complete("kind", proto.Streaming)); err != nil {
					t.Error(err)
				}
				if err := r.SetFactory("kind", failing); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 100 {
				r.Kinds()
				r.Kind("kind")
			}
		})
	}
	all.Wait()
	sameAsRegistered(t, r)
}
