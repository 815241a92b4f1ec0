package strictjson

import (
	"bytes"
	"slices"
)

// Limits bound what Read accepts and reports.
type Limits struct {
	Depth   int // deepest nesting, the document itself being 1
	Keys    int // most keys of one object
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
	r := &reader{scanner: scanner{data: data, deepest: limits.Depth, keys: limits.Keys}, unknownLimit: limits.Unknown}
	r.doc.values = r.room[:0]
	if f := r.start(); f != nil {
		return nil, f
	}
	if f := r.members(shape, ""); f != nil {
		return nil, f
	}
	r.space()
	if r.at < len(data) {
		return nil, r.fault("nothing after the JSON object", "trailing data")
	}
	return &r.doc, nil
}

// reader walks one document by its shape.
type reader struct {
	scanner
	doc          Document
	room         [16]Value // the values of an ordinary request
	unknownLimit int
}

// start finds the opening brace.
func (r *reader) start() *Fault {
	if bytes.HasPrefix(r.data, []byte("\uFEFF")) {
		return r.fault("a JSON object", "a byte order mark")
	}
	r.space()
	switch c := r.next(); {
	case r.at == len(r.data):
		return &Fault{Expected: "a JSON object", Found: "nothing"}
	case c == '{':
		return nil
	case c >= 'a' && c <= 'z' && literal(r.data[r.at:]) == "":
		return r.unexpected("a JSON object")
	}
	kind := Value{Text: r.data[r.at:]}.Kind()
	if kind == None {
		return r.unexpected("a JSON object")
	}
	return r.fault("a JSON object", kind.noun())
}

// members reads an object of the shape.
func (r *reader) members(shape *Shape, path string) *Fault {
	return r.object(func(name []byte) *Fault {
		if m := shape.member(name); m != nil {
			return r.known(m, name)
		}
		return r.unknown(path, name)
	})
}

// known reads a value that the shape has. An object with a shape is walked by it; if another kind stands there, its
// reader says so.
func (r *reader) known(m *Member, name []byte) *Fault {
	start := r.at
	var f *Fault
	if m.Object != nil && r.next() == '{' {
		f = r.members(m.Object, m.path)
	} else {
		f = r.value()
	}
	r.doc.values = append(r.doc.values, Value{Path: m.path, Offset: int64(start), Text: r.data[start:r.at]})
	return within(name, f)
}

func (r *reader) unknown(path string, name []byte) *Fault {
	start := r.at
	f := r.value()
	if len(r.doc.Unknown) == r.unknownLimit {
		r.doc.MoreUnknown++
		return within(name, f)
	}
	r.doc.Unknown = append(r.doc.Unknown, Value{Path: path + "/" + escape(Value{Text: name}.Decoded()),
		Offset: int64(start), Text: r.data[start:r.at]})
	return within(name, f)
}
