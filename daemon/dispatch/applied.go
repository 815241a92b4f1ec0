package dispatch

import (
	"crypto/sha256"
	"fmt"
	"time"

	"parley/daemon/proto"
)

// appliedResults remembers function results that were applied, so that a repeated delivery is answered without a native
// call (behaviour 6.6). The Router's lock guards it.
type appliedResults struct {
	byCall map[appliedCall]appliedResult
	order  []appliedCall // oldest first
}

// appliedCall stands for a Run's call: ids have no longest length in the contract, and a thousand of them are kept.
type appliedCall [sha256.Size]byte

func callOf(run, call string) appliedCall {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s%s", len(run), run, call)
	return appliedCall(hash.Sum(nil))
}

type appliedResult struct {
	digest [32]byte
	at     time.Time
}

func newAppliedResults() *appliedResults {
	return &appliedResults{byCall: map[appliedCall]appliedResult{}}
}

// find tells whether a call was answered, and whether with the same result.
func (m *appliedResults) find(run, call string, digest [32]byte) (same, known bool) {
	m.forgetOld()
	result, known := m.byCall[callOf(run, call)]
	return known && result.digest == digest, known
}

func (m *appliedResults) keep(run, call string, digest [32]byte) {
	m.forgetOld()
	if len(m.order) >= proto.MaxAppliedResults {
		m.forgetFirst()
	}
	key := callOf(run, call)
	m.byCall[key] = appliedResult{digest: digest, at: time.Now()}
	m.order = append(m.order, key)
}

func (m *appliedResults) forgetOld() {
	for len(m.order) > 0 && time.Since(m.byCall[m.order[0]].at) > proto.AppliedResultsLife {
		m.forgetFirst()
	}
}

func (m *appliedResults) forgetFirst() {
	delete(m.byCall, m.order[0])
	m.order = m.order[1:]
}
