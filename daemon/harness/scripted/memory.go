package scripted

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/daemon/proto"
)

// Bounds of what is remembered.
const (
	maxSessions     = 4096 // native Sessions; the one that rested longest is forgotten first
	maxHistory      = 16   // inputs of a native Session
	maxHistoryBytes = 256  // of each of them
)

// memory holds the native Sessions of one factory.
type memory struct {
	mu       sync.Mutex
	sessions map[string]*session // by state key
	uses     uint64
}

// session is one native Session: an id and what was said in it.
type session struct {
	id string

	mu      sync.Mutex
	turns   int
	history []string // of earlier Turns, oldest first
	used    uint64   // guarded by the memory's mutex
}

func newMemory() *memory { return &memory{sessions: map[string]*session{}} }

// find looks for the native Session that a configuration continues. It is nil without an error when a new one may be
// made.
func (m *memory) find(config proto.Configuration) (*session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.sessions[config.AgentStateKey]
	if known == nil && (config.AgentSessionID != "" || config.RequireExistingNativeSession) {
		return nil, fmt.Errorf("find native session %q of state key %q: this harness has none; its history ends with the process",
			config.AgentSessionID, config.AgentStateKey)
	}
	if known != nil && config.AgentSessionID != "" && config.AgentSessionID != known.id {
		return nil, fmt.Errorf("find native session %q: state key %q belongs to %q", config.AgentSessionID, config.AgentStateKey, known.id)
	}
	if known != nil {
		m.use(known)
	}
	return known, nil
}

// use notes that a native Session does not rest; the caller holds the mutex.
func (m *memory) use(s *session) {
	m.uses++
	s.used = m.uses
}

// open gives the native Session of a state key, new if there is none.
func (m *memory) open(key string) *session {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.sessions[key]
	if known == nil {
		m.makeRoom()
		known = &session{id: nativeID(key)}
		m.sessions[key] = known
	}
	m.use(known)
	return known
}

func (m *memory) makeRoom() {
	if len(m.sessions) < maxSessions {
		return
	}
	oldest, since := "", m.uses+1
	for key, s := range m.sessions {
		if s.used < since {
			oldest, since = key, s.used
		}
	}
	delete(m.sessions, oldest)
}

// nativeID derives an id from the state key: no other Session's id can equal it, not even one of an earlier process.
func nativeID(key string) string {
	if id := Kind + ":" + key; proto.NativeID(id) && proto.NativeID(key) {
		return id
	}
	sum := sha256.Sum256([]byte(key))
	return Kind + ":" + hex.EncodeToString(sum[:])
}

// begin notes one more Turn and gives its number, from 1, and what was said before it.
func (s *session) begin(input string) (number int, before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = strings.Join(s.history, "; ")
	s.turns++
	s.history = append(s.history, cut(input, maxHistoryBytes))
	if over := len(s.history) - maxHistory; over > 0 {
		s.history = slices.Delete(s.history, 0, over)
	}
	return s.turns, before
}
