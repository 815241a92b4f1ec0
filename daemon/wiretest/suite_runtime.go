package wiretest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/daemon/proto"
)

// Patience with a peer: a frame or an end that has to come, a dial (behaviour 3.3 allows 30 s and a second between two),
// and the first dial of a Runtime that a person starts.
const (
	framePatience = 10 * time.Second
	dialPatience  = 45 * time.Second
	startPatience = 10 * time.Minute
)

// RuntimeOptions say how a Runtime is put to the test.
type RuntimeOptions struct {
	Core       *ScriptedCore // the Runtime connects to it; the caller closes it
	Behaviours Behaviours
	// Start starts a fresh Runtime for one scenario. Nil: one Runtime, started by somebody else, stays for all scenarios.
	Start  func(ctx context.Context, profile Profile) (Started, error)
	Settle func(ctx context.Context) error // lets held native work go; nil: it goes by itself
	Wake   func(ctx context.Context) error // wakes a suspended Runtime; nil: scenarios that need it are not run
	Only   []string                        // names; empty: all
	// Patience with a frame, and with a dial; 0 for the usual.
	Patience, DialPatience time.Duration
	Seen                   func(Result) // called after each scenario; may be nil
}

// Started is a Runtime that was started for one scenario.
type Started struct {
	Stop  func()          // ends it and returns when it has ended
	Ended <-chan struct{} // closed when it has ended, by whatever; nil when nobody can tell
	// How says, after Ended, how it ended, like "ended with exit 1", and the last line that it said, if any.
	How func() (how, said string)
}

// StartError says that no Runtime came of a start. It ends a suite: the next start would do no better.
type StartError struct{ Text string }

// Error is the text.
func (e *StartError) Error() string { return e.Text }

// RunRuntime replays every scenario that can put a Runtime to the test. The error is about the suite itself, or that ctx
// ended it early; what the Runtime did wrong stands in the report.
func RunRuntime(ctx context.Context, o RuntimeOptions) (Report, error) {
	report := Report{Side: Runtime, Version: proto.Version}
	scenarios, err := chosen(Runtime, o.Only)
	if err != nil {
		return report, err
	}
	// A Runtime that stopped for good is there for no further scenario.
	slices.SortStableFunc(scenarios, func(a, b Scenario) int { return order(a.Ends) - order(b.Ends) })
	gone := "" // why no Runtime is there any more
	first := true
	for i := range scenarios {
		if ctx.Err() != nil {
			break
		}
		s := &scenarios[i]
		result := notRun(s, gone)
		if gone == "" {
			patience := o
			if first && o.Start == nil && o.DialPatience == 0 {
				patience.DialPatience = startPatience
			}
			var ran bool
			result, ran, err = replayRuntime(ctx, s, patience)
			if failed := noStart(err, first && o.Start != nil, patience.DialPatience); failed != nil {
				return report, failed
			}
			first = first && !ran
			switch {
			case o.Start != nil:
			case errors.Is(err, errNoDial):
				gone = "the Runtime no longer connects"
			case s.Ends && ran:
				gone = "the Runtime stopped, as it has to; with a command that starts it these can be run too"
			}
		}
		report.tell(result, o.Seen)
	}
	return report, context.Cause(ctx)
}

// noStart is why no Runtime came of a start, nil when one did. One that dialled before is only late.
func noStart(err error, first bool, waited time.Duration) error {
	var failed *StartError
	switch {
	case errors.As(err, &failed):
		return failed
	case first && errors.Is(err, errNoDial):
		return &StartError{fmt.Sprintf("the start command runs, but no Runtime dialled within %v", orUsual(waited, dialPatience))}
	}
	return nil
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

func (r *Report) tell(result Result, seen func(Result)) {
	r.add(result)
	if seen != nil {
		seen(result)
	}
}

// chosen are the scenarios for a side, all or by name.
func chosen(side Role, only []string) ([]Scenario, error) {
	all, err := Scenarios()
	if err != nil {
		return nil, err
	}
	for _, name := range only {
		if !slices.ContainsFunc(all, func(s Scenario) bool { return s.Name == name && s.TestsSide(side) }) {
			return nil, fmt.Errorf("scenario %q: expected one that tests a %s", name, side)
		}
	}
	return slices.DeleteFunc(all, func(s Scenario) bool {
		return !s.TestsSide(side) || len(only) > 0 && !slices.Contains(only, s.Name)
	}), nil
}

// ReplayRuntime replays one scenario against a Runtime.
func ReplayRuntime(ctx context.Context, s Scenario, o RuntimeOptions) Result {
	result, _, _ := replayRuntime(ctx, &s, o)
	return result
}

// replayRuntime also reports whether a Runtime was asked to do anything, and how the replay ended.
func replayRuntime(ctx context.Context, s *Scenario, o RuntimeOptions) (result Result, ran bool, err error) {
	behaviour, mapped := o.Behaviours.of(s.Behaviour)
	if !mapped {
		return notRun(s, fmt.Sprintf("behaviour %q is not mapped: give a kind and configuration for it", s.Behaviour)), false, nil
	}
	if slices.Contains(s.Needs, NeedWake) && o.Wake == nil {
		return notRun(s, "there is no way to wake the Runtime"), false, nil
	}
	began := time.Now()
	p := &player{plays: Core, judges: true, scenario: s, core: o.Core, settle: o.Settle, wake: o.Wake,
		values:   newValues(given(o.Core.profile, behaviour), Core),
		patience: orUsual(o.Patience, framePatience), dialling: orUsual(o.DialPatience, dialPatience),
		declared: func(beat *proto.Heartbeat) error { return admits(beat, s, behaviour.Kind) }}
	if o.Start != nil {
		started, err := o.Start(ctx, o.Core.profile)
		if err != nil {
			failed := &StartError{fmt.Sprintf("the Runtime could not be started: %v", err)}
			return notRun(s, failed.Text), false, failed
		}
		p.started = started
		defer started.Stop()
		defer p.leave()
	}
	step, err := p.play(ctx)
	result = judge(s, step, err)
	result.Millis = time.Since(began).Milliseconds()
	return result, true, err
}

func orUsual(d, usual time.Duration) time.Duration {
	if d == 0 {
		return usual
	}
	return d
}

// admits holds what a scenario needs against the declaration.
func admits(beat *proto.Heartbeat, s *Scenario, kind string) error {
	declared, advertised := beat.Kind(kind)
	if !advertised || !declared.Available {
		return fmt.Errorf("%w: the Runtime does not offer the kind %q; map the behaviours to a kind that it has", errNotRun, kind)
	}
	for _, need := range s.Needs {
		if c, is := proto.CapabilityNamed(need); is && !declared.Capabilities.Has(c) {
			return fmt.Errorf("%w: %q of kind %q", errNotApplicable, need, kind)
		}
	}
	return nil
}
