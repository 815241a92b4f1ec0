package wiretest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/daemon/proto"
)

// contractKind is the kind that the scripted Runtime advertises (behaviour 10).
const contractKind = "contract"

// CoreOptions say how a Core is put to the test.
type CoreOptions struct {
	Profile Profile                         // of a device that the Core knows
	Driver  CoreDriver                      // nil: only what a peer can see from outside is tested
	Revoke  func(ctx context.Context) error // revokes the device for good; nil: scenarios that need it are not run
	Slow    bool                            // also scenarios that take a minute or more
	Only    []string                        // names; empty: all
	// Patience with a frame; 0 for the usual.
	Patience time.Duration
	Seen     func(Result) // called after each scenario; may be nil
}

// RunCore replays every scenario that can put a Core to the test. The error is about the suite itself, or that ctx ended it
// early; what the Core did wrong stands in the report.
func RunCore(ctx context.Context, o CoreOptions) (Report, error) {
	report := Report{Side: Core, Version: proto.Version}
	scenarios, err := chosen(Core, o.Only)
	if err != nil {
		return report, err
	}
	if err := newScriptedRuntime(o.Profile.withDefaults()).reach(ctx); err != nil {
		return report, err
	}
	// Nothing can be tested with a revoked device.
	slices.SortStableFunc(scenarios, func(a, b Scenario) int {
		return order(slices.Contains(a.Needs, NeedRevoke)) - order(slices.Contains(b.Needs, NeedRevoke))
	})
	for _, s := range scenarios {
		if ctx.Err() != nil {
			break
		}
		result, err := replayCore(ctx, s, o)
		if err != nil {
			return report, err
		}
		report.tell(result, o.Seen)
	}
	return report, context.Cause(ctx)
}

// ReplayCore replays one scenario against a Core.
func ReplayCore(ctx context.Context, s Scenario, o CoreOptions) Result {
	result, _ := replayCore(ctx, s, o)
	return result
}

// replayCore also tells an end that the Core under test has no part in.
func replayCore(ctx context.Context, s Scenario, o CoreOptions) (Result, error) {
	switch {
	case o.Driver == nil && (s.acts() || slices.Contains(s.Needs, NeedDriver)):
		return notRun(&s, "Core has to be made to act, and there is no driver"), nil
	case o.Revoke == nil && slices.Contains(s.Needs, NeedRevoke):
		return notRun(&s, "there is no way to revoke the device"), nil
	case s.Slow && !o.Slow:
		return notRun(&s, "takes a minute or more, and slow scenarios were not asked for"), nil
	}
	profile := o.Profile.withDefaults()
	began := time.Now()
	p := &player{plays: Runtime, judges: true, scenario: &s, runtime: newScriptedRuntime(profile), driver: o.Driver, revoke: o.Revoke,
		values:   newValues(given(profile, scriptedBehaviour(contractKind, s.Behaviour)), Runtime),
		patience: orUsual(o.Patience, framePatience)}
	step, err := p.play(ctx)
	result := judge(&s, step, err)
	result.Millis = time.Since(began).Milliseconds()
	switch {
	case errors.Is(err, ErrDriverEnded):
		return result, err
	case err != nil && replaced(p.newest):
		return result, fmt.Errorf("%s: %w", s.Name, ErrDeviceInUse)
	}
	return result, nil
}
