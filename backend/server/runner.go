package server

import (
	"context"

	"parley/runner"
	"parley/runner/admission"
	"parley/runner/attempt"
)

// Runner is what the server needs of the runner service.
type Runner interface {
	Negotiate(ctx context.Context, data []byte) runner.Negotiation
	Validate(ctx context.Context, data []byte) runner.Receipt
	Inspect(ctx context.Context, data []byte) admission.Inspection
	Run(ctx context.Context, data []byte, policy attempt.Policy) attempt.Ended
}

var _ Runner = (*attempt.Service)(nil)
