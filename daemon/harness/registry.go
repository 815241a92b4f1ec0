package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/daemon/proto"
)

// Declaration is what one kind of harness can do at most (behaviour 9.2).
type Declaration struct {
	Kind         string
	Available    bool
	Version      string // of the native program
	Capabilities proto.Capabilities
}

// Registry holds the kinds of one Runtime. It may be read while kinds are registered.
type Registry struct {
	mu    sync.RWMutex
	kinds map[string]entry
}

type entry struct {
	declared Declaration
	factory  Factory
}

// NewRegistry makes an empty one.
func NewRegistry() *Registry { return &Registry{kinds: map[string]entry{}} }

// Declare validates a complete declaration and only then registers or replaces the kind, without a factory.
func (r *Registry) Declare(d Declaration) error {
	if proto.Blank(d.Kind) {
		return errors.New("declare harness: the kind has no name")
	}
	if err := d.Capabilities.Complete(); err != nil {
		return fmt.Errorf("declare harness %q: %w", d.Kind, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[d.Kind] = entry{declared: d}
	return nil
}

// SetFactory gives a declared kind its factory.
func (r *Registry) SetFactory(kind string, factory Factory) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.kinds[kind]
	if !ok {
		return fmt.Errorf("set factory of harness %q: the kind was not declared", kind)
	}
	known.factory = factory
	r.kinds[kind] = known
	return nil
}

// Kind finds a kind; factory is nil while it has none.
func (r *Registry) Kind(name string) (d Declaration, factory Factory, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	known, ok := r.kinds[name]
	return known.declared, known.factory, ok
}

// Kinds lists what is advertised, by name.
func (r *Registry) Kinds() []proto.AgentKind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]proto.AgentKind, 0, len(r.kinds))
	for _, known := range r.kinds {
		d := known.declared
		all = append(all, proto.AgentKind{Kind: d.Kind, Available: d.Available, Version: d.Version, Capabilities: d.Capabilities})
	}
	slices.SortFunc(all, func(a, b proto.AgentKind) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}
