package strictjson_test

import (
	"strconv"
	"strings"
	"testing"

	"parley/runner/strictjson"
)

var limits = strictjson.Limits{Depth: 64, Keys: 1000, Unknown: 4}

// probe knows "a" and "o" with one member "b".
func probe() *strictjson.Shape {
	return strictjson.NewShape(
		strictjson.Member{Name: "a"},
		strictjson.Member{Name: "o", Object: strictjson.NewShape(strictjson.Member{Name: "b"})},
	)
}

// runner 3, rules 2 to 5 and 10: the first lexical fault is named with its place.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, path string
		offset           int64
		found            string
	}{
		{"empty", "", "", 0, "nothing"},
		{"white space only", " \r\n\t ", "", 0, "nothing"},
		{"array", `[1]`, "", 0, "an array"},
		{"string", ` "x"`, "", 1, "a string"},
		{"number", `1`, "", 0, "a number"},
		{"null", `null`, "", 0, "null"},
		{"bare word", `nope`, "", 0, "the character n"},
		{"true", `true`, "", 0, "a boolean"},
		{"control byte", "\x01", "", 0, "the byte 0x1"},
		{"byte order mark", "\uFEFF{}", "", 0, "a byte order mark"},
		{"trailing value", `{} {}`, "", 3, "trailing data"},
		{"trailing bracket", `{}]`, "", 2, "trailing data"},
		{"trailing nul", "{}\x00", "", 2, "trailing data"},
		{"cut", `{"a":1`, "", 6, "the end of the text"},
		{"cut in a string", `{"a":"x`, "/a", 7, "the end of the text"},
		{"duplicate", `{"a":1,"a":2}`, "/a", 7, "the same key again"},
		{"duplicate after unescaping", `{"a":1,"\u0061":2}`, "/a", 7, "the same key again"},
		{"duplicate unknown", `{"z":1,"z":1}`, "/z", 7, "the same key again"},
		{"duplicate below a known object", `{"o":{"b":1,"b":1}}`, "/o/b", 12, "the same key again"},
		{"duplicate below an unknown value", `{"z":[{"k":1,"k":1}]}`, "/z/0/k", 13, "the same key again"},
		{"invalid utf-8 in a value", "{\"a\":\"\xff\"}", "/a", 6, "bytes that are not"},
		{"overlong utf-8", "{\"a\":\"\xc0\xaf\"}", "/a", 6, "bytes that are not"},
		{"encoded surrogate", "{\"a\":\"\xed\xa0\x80\"}", "/a", 6, "bytes that are not"},
		{"invalid utf-8 in a name", "{\"\xff\":1}", "", 2, "bytes that are not"},
		{"lone high surrogate", `{"a":"\ud800"}`, "/a", 6, "half of a surrogate pair or a broken escape"},
		{"lone low surrogate", `{"a":"\udc00"}`, "/a", 6, "half of a surrogate pair or a broken escape"},
		{"surrogates in wrong order", `{"a":"\udc00\ud800"}`, "/a", 6, "half of a surrogate pair or a broken escape"},
		{"lone surrogate in a name", `{"\ud800":1}`, "", 2, "half of a surrogate pair or a broken escape"},
		{"raw control character", "{\"a\":\"x\ny\"}", "/a", 7, "a raw control character"},
		{"leading zero", `{"a":01}`, "", 6, "the character 1"},
		{"plus", `{"a":+1}`, "/a", 5, "the character +"},
		{"single quotes", `{'a':1}`, "", 1, "the character '"},
		{"comment", `{/*x*/"a":1}`, "", 1, "the character /"},
		{"trailing comma", `{"a":1,}`, "", 7, "the character }"},
		{"missing colon", `{"a" 1}`, "/a", 5, "the character 1"},
		{"NaN", `{"a":NaN}`, "/a", 5, "the character N"},
		{"too deep in an unknown value", `{"z":` + strings.Repeat("[", 100000), "", 0, "more levels than are read"},
		{"too deep in a known value", `{"a":` + strings.Repeat("[", 100000), "", 0, "more levels than are read"},
		{"too deep as the document", strings.Repeat(`{"o":`, 100000), "", 0, "more levels than are read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc, fault := strictjson.Read([]byte(c.text), probe(), limits)
			if fault == nil {
				t.Fatalf("got a document %+v, want a fault", doc)
			}
			if fault.Found != c.found || fault.Expected == "" {
				t.Errorf("got expected %q found %q, want found %q", fault.Expected, fault.Found, c.found)
			}
			if strings.HasPrefix(c.name, "too deep") {
				return // the place is 64 levels down
			}
			if fault.Path != c.path || fault.Offset != c.offset {
				t.Errorf("got %q at %d, want %q at %d", fault.Path, fault.Offset, c.path, c.offset)
			}
		})
	}
}

// runner 3, rules 3 to 6: known values come back as sent, unknown ones are reported.
func TestReadFinds(t *testing.T) {
	t.Parallel()
	text := ` {"a" : "\ud83d\ude00\u0000" ,"A":1, "o":{ "b" : 1.0e2, "c":[[]]}, "p/q":null}` + "\n"
	doc, fault := strictjson.Read([]byte(text), probe(), limits)
	if fault != nil {
		t.Fatalf("got fault %+v, want a document", fault)
	}
	for _, want := range []struct{ path, text string }{{"/a", `"\ud83d\ude00\u0000"`}, {"/o/b", `1.0e2`}, {"/o", `{ "b" : 1.0e2, "c":[[]]}`}} {
		v, ok := doc.Value(want.path)
		if !ok || string(v.Text) != want.text || text[v.Offset:v.Offset+int64(len(v.Text))] != want.text {
			t.Errorf("got %q at %d (%v), want %q", v.Text, v.Offset, ok, want.text)
		}
	}
	if v, _ := doc.Value("/a"); v.Decoded() != "😀\x00" {
		t.Errorf("got %q, want the decoded pair", v.Decoded())
	}
	var unknown []string
	for _, v := range doc.Unknown {
		unknown = append(unknown, v.Path)
	}
	if got, want := strings.Join(unknown, " "), "/A /o/c /p~1q"; got != want {
		t.Errorf("got unknown %q, want %q", got, want)
	}
}

func TestReadCountsWhatItDoesNotList(t *testing.T) {
	t.Parallel()
	doc, fault := strictjson.Read([]byte(`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0}`), probe(), limits)
	if fault != nil || len(doc.Unknown) != 4 || doc.MoreUnknown != 2 {
		t.Fatalf("got %+v %+v, want 4 unknown and 2 more", doc, fault)
	}
}

func TestEntriesKeepTextAndPlace(t *testing.T) {
	t.Parallel()
	text := `{"a":[ "x\"]" , 2,{"k":[1,"}"]} ,[],null, -1e2,"",true]}`
	doc, fault := strictjson.Read([]byte(text), probe(), limits)
	if fault != nil {
		t.Fatalf("got fault %+v", fault)
	}
	v, _ := doc.Value("/a")
	var got []string
	for i, e := range v.Entries {
		got = append(got, strconv.Itoa(i)+"="+text[e.Offset:e.Offset+int64(len(e.Text))])
	}
	if want := `0="x\"]" 1=2 2={"k":[1,"}"]} 3=[] 4=null 5=-1e2 6="" 7=true`; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
