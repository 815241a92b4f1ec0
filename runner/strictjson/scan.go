package strictjson

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner checks JSON text from front to back. Every fault is one of the text, with the place where it stands; paths are
// put together on the way out, so that text without faults pays nothing for them.
type scanner struct {
	data    []byte
	at      int // bytes read
	depth   int // open arrays and objects
	deepest int // nesting that is read
	keys    int // keys of one object that are read
}

func (s *scanner) fault(expected, found string) *Fault {
	return &Fault{Offset: int64(s.at), Expected: expected, Found: found}
}

// unexpected is a fault by what stands at this place.
func (s *scanner) unexpected(expected string) *Fault {
	if s.at == len(s.data) {
		return s.fault(expected, "the end of the text")
	}
	return s.fault(expected, shownByte(s.data[s.at:]))
}

// shownByte names the character that text begins with, as far as it can be shown.
func shownByte(text []byte) string {
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
		return "the byte 0x" + strconv.FormatUint(uint64(text[0]), 16)
	}
	return "the character " + string(r)
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// next gives the byte at this place, 0 at the end. A NUL is legal nowhere outside a string.
func (s *scanner) next() byte {
	if s.at == len(s.data) {
		return 0
	}
	return s.data[s.at]
}

// value checks one value.
func (s *scanner) value() *Fault {
	switch c := s.next(); {
	case c == '"':
		return s.text()
	case c == '{':
		return s.object(func(name []byte) *Fault { return within(name, s.value()) })
	case c == '[':
		return s.array()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	if word := literal(s.data[s.at:]); word != "" {
		s.at += len(word)
		return nil
	}
	return s.unexpected("a JSON value")
}

// literal gives the word that text begins with, "" if it is none of JSON's.
func literal(text []byte) string {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}

// within says in which member a fault lies.
func within(name []byte, f *Fault) *Fault {
	if f != nil {
		f.Path = "/" + escape(Value{Text: name}.Decoded()) + f.Path
	}
	return f
}

func (s *scanner) enter() *Fault {
	s.at++
	if s.depth++; s.depth > s.deepest {
		return s.fault("nesting no deeper than the request has", "more levels than are read")
	}
	return nil
}

func (s *scanner) leave() {
	s.at++
	s.depth--
}

// object checks one object; member checks the value of each name, which it gets as it was sent.
func (s *scanner) object(member func(name []byte) *Fault) *Fault {
	if f := s.enter(); f != nil {
		return f
	}
	s.space()
	if s.next() == '}' {
		s.leave()
		return nil
	}
	var names nameSet
	for {
		if names.size() == s.keys {
			return s.fault("no more keys than a request has", "more than "+strconv.Itoa(s.keys))
		}
		if f := s.member(&names, member); f != nil {
			return f
		}
		s.space()
		switch s.next() {
		case ',':
			s.at++
			s.space()
		case '}':
			s.leave()
			return nil
		default:
			return s.unexpected("a comma or the end of the object")
		}
	}
}

func (s *scanner) member(names *nameSet, member func(name []byte) *Fault) *Fault {
	start := s.at
	if s.next() != '"' {
		return s.unexpected("a key in double quotes")
	}
	if f := s.text(); f != nil {
		return f
	}
	name := s.data[start:s.at]
	if !names.add(name) {
		s.at = start
		return within(name, s.fault("each key once", "the same key again"))
	}
	s.space()
	if s.next() != ':' {
		return within(name, s.unexpected("a colon"))
	}
	s.at++
	s.space()
	return member(name)
}

func (s *scanner) array() *Fault {
	if f := s.enter(); f != nil {
		return f
	}
	s.space()
	if s.next() == ']' {
		s.leave()
		return nil
	}
	for i := 0; ; i++ {
		if f := s.value(); f != nil {
			f.Path = "/" + strconv.Itoa(i) + f.Path
			return f
		}
		s.space()
		switch s.next() {
		case ',':
			s.at++
			s.space()
		case ']':
			s.leave()
			return nil
		default:
			return s.unexpected("a comma or the end of the array")
		}
	}
}

// number checks -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? and leaves what follows to the caller.
func (s *scanner) number() *Fault {
	if s.next() == '-' {
		s.at++
	}
	if s.next() == '0' {
		s.at++
	} else if !s.digits() {
		return s.unexpected("a digit")
	}
	if s.next() == '.' {
		s.at++
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.at++
		if c := s.next(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		s.at++
	}
	return s.at > start
}

// text checks one string: UTF-8, no raw control character, whole escapes, no half of a surrogate pair (runner 3, rules
// 2 and 3).
func (s *scanner) text() *Fault {
	for s.at++; ; {
		s.plain()
		if s.at == len(s.data) {
			return s.unexpected("the end of the string")
		}
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c == '\\':
			if f := s.escaped(); f != nil {
				return f
			}
		case c < ' ':
			return s.fault("JSON text", "a raw control character")
		default:
			_, size := utf8.DecodeRune(s.data[s.at:])
			if size == 1 {
				return s.fault("valid UTF-8", "bytes that are not")
			}
			s.at += size
		}
	}
}

// plain skips what needs no look: most of a long text.
func (s *scanner) plain() {
	rest := s.data[s.at:]
	for i, c := range rest {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			s.at += i
			return
		}
	}
	s.at = len(s.data)
}

func (s *scanner) escaped() *Fault {
	rest := s.data[s.at+1:]
	switch {
	case len(rest) == 0:
		s.at = len(s.data)
		return s.unexpected("the end of the string")
	case strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0:
		s.at += 2
		return nil
	case rest[0] != 'u':
		return s.fault("JSON text", "an unknown escape")
	}
	first, ok := hex4(rest[1:])
	if ok && !utf16.IsSurrogate(first) {
		s.at += len(`\u0000`)
		return nil
	}
	const pair = len(`\ud83d\u`)
	if ok && len(rest) >= pair && rest[5] == '\\' && rest[6] == 'u' {
		if second, ok := hex4(rest[7:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
			s.at += len(`\ud83d\ude00`)
			return nil
		}
	}
	return s.fault("a whole character", "half of a surrogate pair or a broken escape")
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil
}

// escape is the JSON Pointer spelling of one name (RFC 6901).
func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
