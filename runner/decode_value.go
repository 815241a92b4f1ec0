package runner

import (
	"fmt"
	"unicode/utf8"

	"parley/runner/strictjson"
)

const capabilityWords = "a capability name: a letter or digit, then up to 127 letters, digits, dots, underscores or hyphens"

const keyWords = "a key: a letter or digit, then up to 127 letters, digits, dots, underscores or hyphens"

// value gives a required value of the wanted kind. Missing, null and wrong type are three different findings
// (runner 3, rule 7).
func (d *decoder) value(path string, kind strictjson.Kind, expected string) (strictjson.Value, bool) {
	v, there := d.doc.Value(path)
	switch {
	case !there:
		d.report(Finding{Path: path, Offset: d.parentOffset(path), Expected: expected, Found: "nothing: the key is missing"})
	case v.Kind() != kind:
		f := Finding{Path: path, Offset: v.Offset, Expected: expected, Found: v.Describe()}
		if v.Kind() == strictjson.String && kind == strictjson.Number {
			f.Hint = "write the number without quotes"
		}
		d.report(f)
	default:
		return v, true
	}
	return strictjson.Value{}, false
}

// parentOffset is where an editor should mark a missing key.
func (d *decoder) parentOffset(path string) int64 {
	for _, parent := range []string{"/selection", "/input"} {
		if v, ok := d.doc.Value(parent); ok && len(path) > len(parent) && path[:len(parent)+1] == parent+"/" {
			return v.Offset
		}
	}
	return 0
}

func (d *decoder) schemaVersion() string {
	expected := fmt.Sprintf("the string %q", SchemaVersion)
	v, ok := d.value("/schema_version", strictjson.String, expected)
	if !ok {
		return ""
	}
	s := v.Decoded()
	if s != SchemaVersion {
		d.report(Finding{Path: v.Path, Offset: v.Offset, Expected: expected, Found: v.Describe(),
			Hint: "the envelope version is apart from the offered runner versions"})
	}
	return s
}

func (d *decoder) object(path, members string) bool {
	_, ok := d.value(path, strictjson.Object, "an object with "+members)
	return ok
}

func (d *decoder) key(path string) string {
	v, ok := d.value(path, strictjson.String, keyWords)
	if !ok {
		return ""
	}
	s := v.Decoded()
	if !isName(s) {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: keyWords, Found: v.Describe()})
	}
	return s
}

func (d *decoder) text(path string) string {
	const expected = "a string with YAML text"
	v, ok := d.value(path, strictjson.String, expected)
	if !ok {
		return ""
	}
	if len(v.Text) == 2 {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: expected, Found: v.Describe()})
	}
	return v.Decoded()
}

func (d *decoder) boolean(path string) bool {
	v, ok := d.value(path, strictjson.Boolean, "true or false")
	return ok && v.Text[0] == 't'
}

// integer accepts every exact spelling of an integer within the bounds (runner 3.1).
func (d *decoder) integer(path string, lower, upper int64) int64 {
	expected := fmt.Sprintf("an integer from %d to %d", lower, upper)
	v, ok := d.value(path, strictjson.Number, expected)
	if !ok {
		return 0
	}
	n, verdict := strictjson.Integer(v.Text, lower, upper)
	if verdict == strictjson.Exact {
		return n
	}
	found := v.Describe()
	if verdict == strictjson.Fraction {
		found += ", which is not an integer"
	}
	d.report(Finding{Path: path, Offset: v.Offset, Expected: expected, Found: found})
	return 0
}

// listRule bounds an array of strings. Zero for most and longest means that only the document's size does.
type listRule struct {
	least, most, longest int
	match                func(string) bool
	what                 string
}

// list gives an array of distinct strings, or an empty one if anything in it is at fault. It is never nil.
func (d *decoder) list(path string, rule listRule) []string {
	v, ok := d.value(path, strictjson.Array, "an array of strings")
	if !ok {
		return []string{}
	}
	before := len(d.findings) + d.more
	out, seen := []string{}, map[string]bool{}
	for _, entry := range v.Entries {
		s, ok := d.entry(entry, rule)
		if ok && seen[s] {
			d.report(Finding{Path: entry.Path, Offset: entry.Offset, Expected: "each entry once", Found: entry.Describe() + " again"})
		}
		seen[s] = ok
		out = append(out, s)
	}
	if len(out) < rule.least {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: fmt.Sprintf("at least %d entry: %s", rule.least, rule.what), Found: "an empty array"})
	}
	if rule.most > 0 && len(out) > rule.most {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: fmt.Sprintf("at most %d entries", rule.most), Found: fmt.Sprintf("%d", len(out))})
	}
	if len(d.findings)+d.more > before {
		return []string{}
	}
	return out
}

func (d *decoder) entry(v strictjson.Value, rule listRule) (string, bool) {
	if v.Kind() != strictjson.String {
		d.report(Finding{Path: v.Path, Offset: v.Offset, Expected: rule.what, Found: v.Describe()})
		return "", false
	}
	s := v.Decoded()
	if !rule.match(s) || rule.longest > 0 && utf8.RuneCountInString(s) > rule.longest {
		d.report(Finding{Path: v.Path, Offset: v.Offset, Expected: rule.what, Found: v.Describe()})
		return s, false
	}
	return s, true
}

// isName is KeyPattern and CapabilityPattern, which are the same.
func isName(s string) bool {
	if len(s) == 0 || len(s) > 128 || !isAlphanumeric(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// isVersion is VersionPattern.
func isVersion(s string) bool {
	dot := -1
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c == '.' && dot < 0:
			dot = i
		default:
			return false
		}
	}
	return dot > 0 && dot < len(s)-1
}
