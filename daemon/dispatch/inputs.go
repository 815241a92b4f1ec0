package dispatch

import (
	"crypto/sha256"

	"parley/daemon/proto"
)

// input is one active input of a Run and, once settled, its last receipt.
type input struct {
	id      string
	digest  [32]byte
	settled bool
	ack     proto.PromptSteerAck
}

// inputs are the active inputs of one Run. The Router's lock guards them; a nil inputs knows none.
type inputs struct {
	byID   map[string]*input
	flying bool
}

func newInputs() *inputs { return &inputs{byID: map[string]*input{}} }

func (i *inputs) get(id string) *input {
	if i == nil {
		return nil
	}
	return i.byID[id]
}

func (i *inputs) begin(id string, digest [32]byte) *input {
	in := &input{id: id, digest: digest}
	i.byID[id] = in
	i.flying = true
	return in
}

// settle keeps the receipt, except of a refusal after which the same input may be tried again (behaviour 6.5).
func (i *inputs) settle(in *input, ack proto.PromptSteerAck) {
	i.flying = false
	in.settled, in.ack = true, ack
	if ack.ErrorCode == proto.CodeNotReady {
		delete(i.byID, in.id)
	}
}

// rememberedRuns bounds the Runs whose receipts are repeated after their end. The number is ours.
const rememberedRuns = 64

// inputMemory keeps the receipts of Runs that are over. The Router's lock guards it.
type inputMemory struct {
	byRun map[runKey]*inputs
	order []runKey
}

// runKey stands for a Run's id, which has no longest length in the contract.
type runKey [sha256.Size]byte

func keyOf(run string) runKey { return sha256.Sum256([]byte(run)) }

func newInputMemory() inputMemory { return inputMemory{byRun: map[runKey]*inputs{}} }

func (m *inputMemory) find(run string) *inputs {
	if len(m.byRun) == 0 {
		return nil
	}
	return m.byRun[keyOf(run)]
}

// keep remembers a Run's inputs and forgets the oldest Run when there are too many.
func (m *inputMemory) keep(run string, i *inputs) {
	if len(i.byID) == 0 {
		return
	}
	key := keyOf(run)
	if _, again := m.byRun[key]; !again {
		m.order = append(m.order, key)
	}
	m.byRun[key] = i
	if len(m.order) > rememberedRuns {
		delete(m.byRun, m.order[0])
		m.order = m.order[1:]
	}
}
