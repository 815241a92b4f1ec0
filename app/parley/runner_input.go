package main

import (
	"context"
	"io"

	"parley/runner"
)

// inputFault is a request that could not be read from standard input.
type inputFault struct {
	code    runner.Code
	message string
	outcome runner.Outcome
}

func (f *inputFault) terminal() runner.Terminal {
	return runner.Refuse(f.outcome, runner.BoundaryInput, runner.NotChecked, runner.Diagnose(f.code, f.message))
}

// readRequest reads standard input to its end, or one byte beyond the size limit, which the reader of requests then
// refuses. A signal ends the wait at once, without the producer closing its end (runner 1.2).
func readRequest(ctx context.Context, stdin io.Reader) ([]byte, *inputFault) {
	type reading struct {
		data []byte
		err  error
	}
	// The goroutine may stay behind in a read that nobody can interrupt; the process ends right after.
	done := make(chan reading, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(stdin, runner.MaxDocumentBytes+1))
		done <- reading{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, &inputFault{code: runner.CodeInputCancelled, outcome: runner.Cancelled}
	case r := <-done:
		if r.err != nil {
			return nil, &inputFault{code: runner.CodeBodyReadFailed, outcome: runner.InvalidInput,
				message: "standard input: expected a request document, found that it cannot be read"}
		}
		return r.data, nil
	}
}
