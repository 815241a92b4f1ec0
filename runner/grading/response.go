package grading

import (
	"context"
	"strings"
)

// response is an engine's output as the checks look at it.
type response struct {
	ctx   context.Context
	text  string
	lower string // per-character lower case of text
}

// ended reports that nobody waits for the rest of the results.
func (r response) ended() bool { return r.ctx.Err() != nil }

// holdsFold reports that the output contains item when case does not count.
func (r response) holdsFold(item string) bool {
	return strings.Contains(r.lower, strings.ToLower(item))
}

// holds reports that the output contains item exactly.
func (r response) holds(item string) bool { return strings.Contains(r.text, item) }
