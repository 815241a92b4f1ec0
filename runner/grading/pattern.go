package grading

import (
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// quickWork is the product of program instructions and output bytes below which a match takes no time worth
// interrupting. A match's work is bounded by that product; this one is some tens of milliseconds.
const quickWork = 1 << 22

// malformed is what a text lacks to be an RE2 pattern, without the text itself.
type malformed struct{ cause error }

func (m malformed) Error() string {
	if e, ok := errors.AsType[*syntax.Error](m.cause); ok {
		return "one that does not compile: " + e.Code.String()
	}
	return "one that does not compile"
}

func (m malformed) Unwrap() error { return m.cause }

// readPattern gives the verdict of regexp.Compile at the price of reading: whatever can be read compiles.
func readPattern(p string) error {
	if _, err := syntax.Parse(p, syntax.Perl); err != nil {
		return malformed{err}
	}
	return nil
}

// instructions is the size of the pattern's program, 0 when it is none. The pattern's length says little: x{1000} has a
// thousand.
func instructions(p string) int {
	read, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(read.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// matches reports that the pattern is found anywhere. Its program is made for this one answer, which means nothing once
// the context has ended.
func (r response) matches(p string) bool {
	size := instructions(p)
	if r.ended() {
		return false
	}
	re, err := regexp.Compile(p)
	if err != nil || r.ended() {
		return false
	}
	if size*len(r.text) <= quickWork {
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
