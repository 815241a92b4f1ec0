package identity_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley/runner/captured"
	"parley/runner/identity"
)

// runner-identity 2: encoding never panics, is the same twice, does not depend on key order, and agrees with a second,
// slow reading of the table.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, 0.50, ~, true]\n", "{z: {}, é: [], '': \"\"}", "- 5e-1\n- 1e300\n- 0x1F\n- -0\n- 018\n", "!!int '7'",
		"a: &x [*x]", "1e-400", "? [a]\n: b", "!!float 12", "a: 2024-01-01", "12345678901234567890.5",
		"0E10000000000000000000",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := parse(text)
		if n == nil {
			return
		}
		got, err := identity.Encode(n)
		if again, errAgain := identity.Encode(n); again != got || (err == nil) != (errAgain == nil) {
			t.Fatalf("got %q, %v, then %q, %v", got, err, again, errAgain)
		}
		if err != nil {
			return
		}
		if want := slow(t, n); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		reverse(n)
		if turned, err := identity.Encode(n); err != nil || turned != got {
			t.Fatalf("keys in reverse order: got %q, %v, want %q", turned, err, got)
		}
	})
}

// parse gives the root of the first document, nil when the library refuses the text in any way.
func parse(text string) (root *yaml.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

// slow encodes by rational arithmetic and repeated minimum, with nothing for speed.
func slow(t *testing.T, n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		s := fmt.Sprintf("a%d:", len(n.Content))
		for _, item := range n.Content {
			s += slow(t, item)
		}
		return s
	case yaml.MappingNode:
		values := map[string]*yaml.Node{}
		var keys []string
		for i := 0; i < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
			values[n.Content[i].Value] = n.Content[i+1]
		}
		slices.Sort(keys)
		s := fmt.Sprintf("m%d:", len(keys))
		for _, key := range keys {
			s += fmt.Sprintf("s%d:%s", len(key), key) + slow(t, values[key])
		}
		return s
	}
	switch n.Tag {
	case "!!str":
		return fmt.Sprintf("s%d:%s", len(n.Value), n.Value)
	case "!!null":
		return "n0:"
	case "!!bool":
		if strings.EqualFold(n.Value, "true") {
			return "b4:true"
		}
		return "b5:false"
	}
	return slowNumber(t, n)
}

func slowNumber(t *testing.T, n *yaml.Node) string {
	value := new(big.Rat)
	if whole, ok := wholeOf(n); ok {
		value.SetInt(whole)
	} else if mantissa, _, _ := strings.Cut(strings.ToLower(n.Value), "e"); !strings.ContainsAny(mantissa, "123456789") {
		value.SetInt64(0) // whatever the exponent, which may be too large for a rational
	} else if _, ok := value.SetString(strings.ReplaceAll(n.Value, "_", "")); !ok {
		t.Fatalf("no rational in %q", n.Value)
	}
	if value.IsInt() {
		s := value.Num().String()
		return fmt.Sprintf("i%d:%s", len(s), s)
	}
	s := strings.TrimRight(value.FloatString(len(n.Value)+400), "0")
	return fmt.Sprintf("f%d:%s", len(s), s)
}

// wholeOf reads what YAML resolves as an integer of 64 bits.
func wholeOf(n *yaml.Node) (*big.Int, bool) {
	as := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: n.Value}
	var signed int64
	if as.Decode(&signed) == nil {
		return big.NewInt(signed), true
	}
	var unsigned uint64
	if as.Decode(&unsigned) == nil {
		return new(big.Int).SetUint64(unsigned), true
	}
	return nil, false
}

// reverse turns the pairs of every mapping around.
func reverse(n *yaml.Node) {
	for _, child := range n.Content {
		reverse(child)
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	var turned []*yaml.Node
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		turned = append(turned, n.Content[i], n.Content[i+1])
	}
	n.Content = turned
}

// runner 4.3: comparing the exact value agrees with rational arithmetic.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0.5", "1", "1.0000000000000000000001", "-0.0", "1e-324", "9e307", ".5e1", "0_1.5", "00012.50e+01"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := parse(text)
		if n == nil || n.Kind != yaml.ScalarNode || len(text) > 1000 {
			return
		}
		x, err := captured.NumberOf(n)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(x.String())
		if !ok {
			t.Fatalf("%q: got %q, want a plain decimal", text, x.String())
		}
		if x.Sign() != exact.Sign() || x.IsInteger() != exact.IsInt() || x.AboveOne() != (exact.Cmp(big.NewRat(1, 1)) > 0) {
			t.Errorf("%q: got sign %d, integer %v, above one %v, want those of %v", text, x.Sign(), x.IsInteger(), x.AboveOne(), exact)
		}
	})
}
