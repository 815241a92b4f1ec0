package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Binding is the one Environment that a Runtime serves. Without a binding only executions with environment none are
// admitted.
type Binding struct {
	EnvironmentID string
	SessionID     string
	// WorkspaceDirectory is compared with what a request names; it is the name that both sides agreed on, not
	// necessarily the folder's path here.
	WorkspaceDirectory string
}

// Sender writes one frame to the peer and returns when it was written, or when it is not known whether it was.
type Sender = func(ctx context.Context, frame proto.Frame) error

// Poster puts one frame behind those that wait to be written, and does not wait; false when it did not take the frame.
// What is sent after it is written after it.
type Poster = func(frame proto.Frame) bool

// Config is what a Router is made of.
type Config struct {
	Registry *harness.Registry
	Binding  *Binding    // nil: none
	Files    Files       // nil: no workspace operations
	Setup    Environment // nil: no initialization
	Send     Sender
	Post     Poster       // nil: every frame is sent
	Log      *slog.Logger // nil: silent; at most ten lines a minute of each message
	// AdmissionLife and IdleLife may only shorten the limits of behaviour 5.1; 0 leaves them.
	AdmissionLife time.Duration
	IdleLife      time.Duration
}

// Errors of Handle. They tell the log why a frame had no answer; none ends the connection.
var (
	ErrRouterClosed = errors.New("router is closed")
	ErrQuiesced     = errors.New("router is quiesced")
	ErrUnanswerable = errors.New("frame cannot be answered")
)

// Router owns everything that one connection admitted. The lock guards every field below it and every field of
// admissions, owners and runs that is not said to be constant; nothing is sent while it is held.
type Router struct {
	config Config // its Log is on rations
	spent  *spending

	work      work    // everything that shutdown joins
	quiescing work    // the one goroutine that joins work itself
	answers   answers // Handle waits while they are too many
	life      context.Context
	end       context.CancelCauseFunc // ends life: aborts sends and native starts

	mu         sync.Mutex
	send       Sender
	post       Poster
	closed     bool
	byHandle   map[string]*admission
	byRequest  map[string]*admission
	owners     map[string]*owner // by Session
	runs       map[string]*run
	memory     inputMemory
	applied    *appliedResults
	results    pending // function results given to Turns and not answered
	gate       gate
	transfer   *transfer       // the write, export or initialization under way, nil for none
	reading    map[string]bool // ids of reads that are not answered yet
	suspension suspension
}

// New makes a Router for one connection.
func New(config Config) *Router {
	life, end := context.WithCancelCause(context.Background())
	log, spent := rationed(config.Log)
	config.Log = log
	r := &Router{config: config, spent: spent, life: life, end: end, send: config.Send, post: config.Post,
		byHandle: map[string]*admission{}, byRequest: map[string]*admission{},
		owners: map[string]*owner{}, runs: map[string]*run{}, reading: map[string]bool{}, memory: newInputMemory(), applied: newAppliedResults()}
	return r
}

// Handle decides what to do with one frame and returns soon. Its error says why a frame got no answer. Calls do not
// overlap.
//
// A peer that does not read gets nothing more done: while too many answers wait to be written, Handle waits for one to be
// written or given up, which the receipt limit and the connection's end bound. So the peer's frames stay with the peer.
func (r *Router) Handle(frame proto.Frame) error {
	if r.answers.room(r.life) != nil {
		return ErrRouterClosed
	}
	if err := r.admitFrame(frame.Type); err != nil {
		return err
	}
	defer r.work.ended()
	switch frame.Type {
	case proto.TypeExecutionPrepare:
		return r.prepare(frame)
	case proto.TypeExecutionStart:
		return r.start(frame)
	case proto.TypeExecutionRelease:
		return r.release(frame)
	case proto.TypePromptCancel:
		return r.cancel(frame)
	case proto.TypePromptSteer:
		return r.steer(frame)
	case proto.TypeFunctionResult:
		return r.functionResult(frame)
	case proto.TypeWorkspaceRead:
		return r.workspaceRead(frame)
	case proto.TypeWorkspaceWrite:
		return r.workspaceWrite(frame)
	case proto.TypeWorkspaceExport:
		return r.workspaceExport(frame)
	case proto.TypeRuntimePrepare:
		return r.runtimePrepare(frame)
	case proto.TypeEnvironmentQuiesce:
		return r.quiesce(frame)
	case proto.TypeEnvironmentResume:
		return r.resume(frame)
	}
	return errors.New("unknown envelope type") // its text is the peer's and stays out of the log
}

// admitFrame counts the handling of a frame as work, so that nothing can begin beside a shutdown that saw no work.
func (r *Router) admitFrame(t proto.Type) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return ErrRouterClosed
	case r.suspension.fenced != nil && t != proto.TypeEnvironmentResume:
		return ErrQuiesced
	}
	r.work.begin()
	return nil
}

// ActiveRuns is the number of Runs in progress, for heartbeats.
func (r *Router) ActiveRuns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.runs)
}

// deliver sends one frame within the receipt limit; shutdown aborts it (behaviour 5.1).
func (r *Router) deliver(frame proto.Frame) error {
	ctx, cancel := context.WithTimeout(r.life, proto.ReceiptTimeout)
	defer cancel()
	return r.sender()(ctx, frame)
}

func (r *Router) sender() Sender {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.send
}

func (r *Router) poster() Poster {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.post
}

// operate runs f as work that shutdown and the drain of a quiesce join.
func (r *Router) operate(f func()) {
	r.work.run(f)
}

// respond runs f, which sends one answer, as work of its own.
func (r *Router) respond(answer proto.Frame, f func()) {
	sent := r.answers.count(answer)
	r.operate(func() {
		defer sent()
		f()
	})
}

// receipt answers with a frame of which nobody waits for the end: posted, or sent as work of its own. A failed receipt is
// never made up for. The caller does not hold the lock.
func (r *Router) receipt(frame proto.Frame) {
	if post := r.poster(); post != nil && post(frame) {
		return
	}
	r.respond(frame, func() { r.reply(frame) })
}

// reply sends an answer; whether it arrives changes nothing.
func (r *Router) reply(frame proto.Frame) {
	if err := r.deliver(frame); err != nil {
		r.config.Log.Warn("send answer", "type", frame.Type, "error", err)
	}
}

func (r *Router) admissionLife() time.Duration {
	return shorter(r.config.AdmissionLife, proto.AdmissionLife)
}

func (r *Router) idleLife() time.Duration { return shorter(r.config.IdleLife, proto.IdleLife) }

func shorter(asked, limit time.Duration) time.Duration {
	if asked <= 0 {
		return limit
	}
	return min(asked, limit)
}

// newID makes an opaque id; short enough for every bound on ids (wire 3.10.1).
func newID(prefix string) string {
	var random [12]byte
	rand.Read(random[:]) // never fails
	return prefix + hex.EncodeToString(random[:])
}
