package strictjson_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley/runner/strictjson"
)

// library is the second opinion: a kept JSON library in its strictest mode. It says whether text is one object with no
// key twice, and how deep it goes.
func library(text []byte) (object bool, deepest int) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	if dec.PeekKind() != '{' {
		return false, 0
	}
	for {
		if _, err := dec.ReadToken(); err != nil {
			return false, deepest
		}
		deepest = max(deepest, dec.StackDepth())
		if dec.StackDepth() == 0 {
			break
		}
	}
	_, err := dec.ReadToken()
	return errors.Is(err, io.EOF), deepest
}

// runner 3: the reader and the library agree on every text, but for the depth that only the reader bounds.
func FuzzReadAgreesWithTheLibrary(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` {"a":[1,2.5e-3,"x\u00e9\ud83d\ude00"],"o":{"b":null}} `, `{"a":1,"\u0061":2}`, `{"a":"\ud800"}`, "{\"\xff\":0}",
		`{"a":01}`, `{"a":1,}`, `{} {}`, `[`, `{"a":-}`, `{"a":tru}`, `{"a":"\x"}`, `{"a" 1}`, "\uFEFF{}", `{"a":1e}`, `{"a":"\ud83d\u0041"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		agreeOn(t, text)
	})
}

func agreeOn(t *testing.T, text []byte) {
	t.Helper()
	object, deepest := library(text)
	doc, fault := strictjson.Read(text, probe(), limits)
	if deepest > limits.Depth {
		if fault == nil {
			t.Fatalf("%q: got a document %d levels deep, want a fault", text, deepest)
		}
		return
	}
	if (fault == nil) != object {
		t.Fatalf("%q: got fault %+v, the library takes it: %v", text, fault, object)
	}
	if fault != nil && (fault.Offset < 0 || fault.Offset > int64(len(text)) || fault.Expected == "" || fault.Found == "") {
		t.Fatalf("%q: got %+v, want a place and words", text, fault)
	}
	if doc == nil {
		return
	}
	for _, path := range []string{"/a", "/o", "/o/b"} {
		if v, ok := doc.Value(path); ok && !jsontext.Value(v.Text).IsValid() {
			t.Fatalf("%q: got %q at %s, want a whole value", text, v.Text, path)
		}
	}
}

// runner 3, rule 5: names are compared in objects of any size.
func TestDuplicatesInLargeObjects(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 11, 12, 13, 14, 500, 999} {
		var text strings.Builder
		text.WriteString(`{"z":{`)
		for i := range n {
			text.WriteString(`"k` + strings.Repeat("x", i) + `":0,`)
		}
		if _, fault := strictjson.Read([]byte(text.String()+`"a1":0,"a2":0}}`), probe(), limits); (fault == nil) != (n < 999) {
			t.Errorf("%d keys: got %+v, want a fault beyond 1000 keys only", n+2, fault)
		}
		for last, want := range map[string]bool{`"other":0}}`: true, `"k":0}}`: false, `"\u006b":0}}`: false} {
			_, fault := strictjson.Read([]byte(text.String()+last), probe(), limits)
			if (fault == nil) != want {
				t.Errorf("%d names then %s: got %+v", n, last, fault)
			}
		}
	}
}
