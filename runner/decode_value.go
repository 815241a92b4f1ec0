package runner

import (
	"fmt"
	"strconv"
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
	const expected = `the string "` + SchemaVersion + `"`
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

func (d *decoder) object(path, expected string) bool {
	_, ok := d.value(path, strictjson.Object, expected)
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
	if !d.texts {
		return ""
	}
	return v.Decoded()
}

func (d *decoder) boolean(path string) bool {
	v, ok := d.value(path, strictjson.Boolean, "true or false")
	return ok && v.Text[0] == 't'
}

// bounds of an integer field, and how a message words them.
type bounds struct {
	lower, upper int64
	words        string
}

func ordinal() bounds { return bounds{MinOrdinal, MaxOrdinal, "an integer from 1 to 2147483647"} }

func timeout() bounds { return bounds{MinTimeoutMS, MaxTimeoutMS, "an integer from 1 to 86400000"} }

// integer accepts every exact spelling of an integer within the bounds (runner 3.1).
func (d *decoder) integer(path string, b bounds) int64 {
	v, ok := d.value(path, strictjson.Number, b.words)
	if !ok {
		return 0
	}
	n, verdict := strictjson.Integer(v.Text, b.lower, b.upper)
	if verdict == strictjson.Exact {
		return n
	}
	found := v.Describe()
	if verdict == strictjson.Fraction {
		found += ", which is not an integer"
	}
	d.report(Finding{Path: path, Offset: v.Offset, Expected: b.words, Found: found})
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
	out := make([]string, 0, 4)
	var seen set
	entries := 0
	for i, entry := range v.Entries {
		entries++
		s, ok := rule.read(entry)
		switch {
		case !ok:
			d.reportEntry(path, i, entry, rule.what, "")
		case !seen.add(s):
			d.reportEntry(path, i, entry, "each entry once", " again")
		default:
			out = append(out, s)
		}
	}
	if entries < rule.least {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: fmt.Sprintf("at least %d entry: %s", rule.least, rule.what), Found: "an empty array"})
	}
	if rule.most > 0 && entries > rule.most {
		d.report(Finding{Path: path, Offset: v.Offset, Expected: fmt.Sprintf("at most %d entries", rule.most), Found: strconv.Itoa(entries)})
	}
	if len(d.findings)+d.more > before {
		return []string{}
	}
	return out
}

// read gives the entry's string and whether it fits.
func (r listRule) read(v strictjson.Value) (string, bool) {
	if v.Kind() != strictjson.String {
		return "", false
	}
	s := v.Decoded()
	return s, r.match(s) && (r.longest == 0 || utf8.RuneCountInString(s) <= r.longest)
}

// reportEntry words the fault of one entry, unless it will only be counted: a list may have a million of them.
func (d *decoder) reportEntry(list string, i int, entry strictjson.Value, expected, more string) {
	if d.full() {
		d.more++
		return
	}
	d.report(Finding{Path: entryPath(list, i), Offset: entry.Offset, Expected: expected, Found: entry.Describe() + more})
}

func entryPath(list string, i int) string { return list + "/" + strconv.Itoa(i) }

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
