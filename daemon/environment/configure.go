package environment

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// Configure adds variables to the Environment; a name that is there gets the new value. Every later step's process has
// them (wire 3.8.3). They are kept in a file that only its owner can read.
func (e *Environment) Configure(ctx context.Context, env map[string]string) Outcome {
	return outcomeOf(e.configure(ctx, env))
}

func (e *Environment) configure(ctx context.Context, env map[string]string) error {
	if err := e.admit(ctx); err != nil {
		return fmt.Errorf("configure: %w", err)
	}
	for name, value := range env {
		if err := checkVariable(name, value); err != nil {
			return fmt.Errorf("configure: %w", err)
		}
	}
	merged := maps.Clone(e.variables)
	maps.Copy(merged, env)
	if err := e.writeJSON(variablesFile, merged); err != nil {
		return fmt.Errorf("configure: %w", err)
	}
	e.variables = merged
	return nil
}

// checkVariable never quotes a value.
func checkVariable(name, value string) error {
	if name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, "=\x00\r\n") {
		return fmt.Errorf("%w: variable name %q; expected UTF-8 without =, NUL, CR and LF", ErrRefused, name)
	}
	if !utf8.ValidString(value) || strings.Contains(value, "\x00") {
		return fmt.Errorf("%w: value of variable %q; expected UTF-8 without NUL", ErrRefused, name)
	}
	return nil
}
