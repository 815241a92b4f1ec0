package grading

import (
	"context"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// quickWork is the product of pattern and output bytes below which a match takes no time worth interrupting. Matching
// is linear in that product; this one is some tens of milliseconds.
const quickWork = 1 << 22

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

// matches reports that the pattern is found anywhere. The answer means nothing once the context has ended.
func (r response) matches(re *regexp.Regexp) bool {
	if len(re.String())*len(r.text) <= quickWork {
		return re.MatchString(r.text)
	}
	return re.MatchReader(&runes{ctx: r.ctx, rest: r.text})
}

// runes feeds a text to a match and stops when the context ends, because a match itself cannot be interrupted.
type runes struct {
	ctx  context.Context
	rest string
}

func (s *runes) ReadRune() (rune, int, error) {
	if s.rest == "" || s.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(s.rest)
	s.rest = s.rest[n:]
	return r, n, nil
}
