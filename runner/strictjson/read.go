package strictjson

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits bound what Read accepts and reports.
type Limits struct {
	Depth   int // deepest nesting, the document itself being 1
	Unknown int // unknown names reported one by one; the rest is counted
}

// Shape is a closed object: the names it knows. It is made once by NewShape and never changes.
type Shape struct {
	members []Member
}

// Member is one known name. With an Object, its members are found too.
type Member struct {
	Name   string
	Object *Shape

	path   string // JSON Pointer from the document
	quoted string // the name as most documents spell it
}

// NewShape makes the shape of a whole document; a shape inside it belongs to it alone.
func NewShape(members ...Member) *Shape {
	s := &Shape{members: members}
	s.place("")
	return s
}

func (s *Shape) place(prefix string) {
	for i := range s.members {
		m := &s.members[i]
		m.path, m.quoted = prefix+"/"+escape(m.Name), `"`+m.Name+`"`
		if m.Object != nil {
			m.Object.place(m.path)
		}
	}
}

// Members lists the known names.
func (s *Shape) Members() []Member { return slices.Clone(s.members) }

// member finds a name as it was sent, quotes and all.
func (s *Shape) member(raw []byte) *Member {
	for i := range s.members {
		if s.members[i].quoted == string(raw) {
			return &s.members[i]
		}
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return nil
	}
	name := Value{Text: raw}.Decoded()
	for i := range s.members {
		if s.members[i].Name == name {
			return &s.members[i]
		}
	}
	return nil
}

// Document is what Read found.
type Document struct {
	Unknown     []Value // unknown names, in document order
	MoreUnknown int     // how many more there are

	values []Value
}

// Value gives a known value by JSON Pointer, and whether it is there.
func (d *Document) Value(path string) (Value, bool) {
	for _, v := range d.values {
		if v.Path == path {
			return v, true
		}
	}
	return Value{}, false
}

// Fault is the first lexical fault of a document. It is a verdict, not an error of the program.
type Fault struct {
	Path     string // JSON Pointer of the value in which it lies, "" for the document
	Offset   int64  // bytes before it
	Expected string
	Found    string
}

// Read finds the known values of the object that data must be.
func Read(data []byte, shape *Shape, limits Limits) (*Document, *Fault) {
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		return nil, &Fault{Expected: "a JSON object", Found: "a byte order mark"}
	}
	r := &reader{data: data, dec: jsontext.NewDecoder(bytes.NewBuffer(data)), limits: limits,
		doc: &Document{values: make([]Value, 0, 16)}}
	if kind := r.dec.PeekKind(); kind != '{' && kind != 0 {
		return nil, &Fault{Offset: r.next(), Expected: "a JSON object", Found: Value{Text: data[r.next():]}.Kind().noun()}
	}
	if err := r.object(shape, ""); err != nil {
		return nil, r.fault(err)
	}
	rest := r.next()
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Fault{Offset: rest, Expected: "nothing after the JSON object", Found: "trailing data"}
	}
	return r.doc, nil
}

type reader struct {
	data   []byte
	dec    *jsontext.Decoder
	limits Limits
	doc    *Document
}

var errDepth = errors.New("nesting too deep")

func (r *reader) object(shape *Shape, path string) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() == '"' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		if m := shape.member(raw); m != nil {
			if err := r.known(m); err != nil {
				return err
			}
			continue
		}
		if err := r.unknown(path + "/" + escape(Value{Text: raw}.Decoded())); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// value reads the next value. An object with a shape is walked by it, everything else is only checked.
func (r *reader) value(shape *Shape, path string) (Value, error) {
	kind := r.dec.PeekKind()
	start := r.next()
	var err error
	switch {
	case kind == '{' && shape != nil:
		err = r.object(shape, path)
	case kind == '{' || kind == '[':
		err = r.skip()
	default:
		_, err = r.dec.ReadValue()
	}
	if err != nil {
		return Value{}, err
	}
	return Value{Path: path, Offset: start, Text: r.data[start:r.dec.InputOffset()]}, nil
}

// skip checks one array or object without keeping it.
func (r *reader) skip() error {
	base := r.dec.StackDepth()
	for {
		if _, err := r.dec.ReadToken(); err != nil {
			return err
		}
		if r.dec.StackDepth() > r.limits.Depth {
			return errDepth
		}
		if r.dec.StackDepth() == base {
			return nil
		}
	}
}

func (r *reader) known(m *Member) error {
	v, err := r.value(m.Object, m.path)
	r.doc.values = append(r.doc.values, v)
	return err
}

func (r *reader) unknown(path string) error {
	v, err := r.value(nil, path)
	if len(r.doc.Unknown) == r.limits.Unknown {
		r.doc.MoreUnknown++
		return err
	}
	r.doc.Unknown = append(r.doc.Unknown, v)
	return err
}

// next is where the next value starts: the decoder stops before the separators and white space in front of it.
func (r *reader) next() int64 {
	at := r.dec.InputOffset()
	for at < int64(len(r.data)) && strings.IndexByte(" \t\r\n:,", r.data[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) fault(err error) *Fault {
	if errors.Is(err, errDepth) {
		return &Fault{Path: string(r.dec.StackPointer()), Offset: r.dec.InputOffset(), Expected: "nesting no deeper than the request has", Found: "more levels than are read"}
	}
	f := &Fault{Offset: r.dec.InputOffset(), Expected: "a JSON value", Found: "a syntax error"}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		f.Offset = syntactic.ByteOffset
		f.Path = string(syntactic.JSONPointer)
	}
	f.Expected, f.Found = r.reason(err, f.Offset)
	return f
}

// reason words a fault by what stands at its offset, so that the words do not depend on the library's.
func (r *reader) reason(err error, offset int64) (expected, found string) {
	rest := r.data[min(offset, int64(len(r.data))):]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "each name once", "the same name again"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		if len(bytes.TrimSpace(r.data)) == 0 {
			return "a JSON object", "nothing"
		}
		return "a complete JSON object", "the end of the text"
	case brokenRune(rest):
		return "valid UTF-8", "bytes that are not"
	case bytes.HasPrefix(rest, []byte(`\u`)):
		return "a whole character", "half of a surrogate pair or a broken escape"
	case len(rest) > 0 && rest[0] < ' ':
		return "JSON text", "a raw control character"
	}
	return "JSON text", "something else at this place"
}

func brokenRune(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return r == utf8.RuneError && size == 1
}

// escape is the JSON Pointer spelling of one name (RFC 6901).
func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
