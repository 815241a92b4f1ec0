package identity

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/captured"
)

// ErrNotEncodable marks a node that the encoding has no form for: admitted documents hold none.
var ErrNotEncodable = errors.New("value has no canonical encoding")

// Type letters (runner-identity 2).
const (
	letterMapping  = 'm'
	letterSequence = 'a'
	letterString   = 's'
	letterInteger  = 'i'
	letterBoolean  = 'b' // chosen
	letterNull     = 'n' // chosen
	letterFraction = 'f' // chosen; legal inside metrics only, which admission sees to
)

// Encode gives the canonical encoding of a node (runner-identity 2). It refuses with ErrNotEncodable what admission
// refuses before: aliases, anchors, foreign tags, keys that are no unique strings, numbers without an exact value, and
// nesting over runner.MaxDepth.
func Encode(n *yaml.Node) (string, error) {
	var b strings.Builder
	if err := encode(&b, n, 1); err != nil {
		return "", err
	}
	return b.String(), nil
}

func encode(b *strings.Builder, n *yaml.Node, depth int) error {
	switch {
	case n == nil:
		return fmt.Errorf("encode nothing: %w", ErrNotEncodable)
	case n.Anchor != "":
		return refuse(n, "an anchor")
	case depth > runner.MaxDepth:
		return refuse(n, fmt.Sprintf("nesting over %d levels", runner.MaxDepth))
	}
	switch n.Kind {
	case yaml.MappingNode:
		return encodeMapping(b, n, depth)
	case yaml.SequenceNode:
		return encodeSequence(b, n, depth)
	case yaml.ScalarNode:
		return encodeScalar(b, n)
	case yaml.AliasNode:
		return refuse(n, "an alias")
	}
	return refuse(n, "a node that is no value")
}

// encodeMapping writes the pairs in ascending byte order of the key text, not of the encoded key.
func encodeMapping(b *strings.Builder, n *yaml.Node, depth int) error {
	if n.ShortTag() != "!!map" || len(n.Content)%2 != 0 {
		return refuse(n, "a mapping of another type")
	}
	pairs := make([][2]*yaml.Node, 0, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "" {
			return refuse(key, "a key that is no plain string")
		}
		pairs = append(pairs, [2]*yaml.Node{key, n.Content[i+1]})
	}
	slices.SortFunc(pairs, func(x, y [2]*yaml.Node) int { return strings.Compare(x[0].Value, y[0].Value) })
	count(b, letterMapping, len(pairs))
	for i, pair := range pairs {
		if i > 0 && pairs[i-1][0].Value == pair[0].Value {
			return refuse(pair[0], "a repeated key")
		}
		token(b, letterString, pair[0].Value)
		if err := encode(b, pair[1], depth+1); err != nil {
			return err
		}
	}
	return nil
}

func encodeSequence(b *strings.Builder, n *yaml.Node, depth int) error {
	if n.ShortTag() != "!!seq" {
		return refuse(n, "a list of another type")
	}
	count(b, letterSequence, len(n.Content))
	for _, item := range n.Content {
		if err := encode(b, item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// encodeScalar follows the resolved type: "2.0" in quotes is a string, bare 2.0 a number.
func encodeScalar(b *strings.Builder, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!str":
		token(b, letterString, n.Value)
		return nil
	case "!!null":
		token(b, letterNull, "")
		return nil
	case "!!bool":
		var on bool
		if err := n.Decode(&on); err != nil {
			return refuse(n, "a boolean that is neither true nor false")
		}
		token(b, letterBoolean, strconv.FormatBool(on))
		return nil
	}
	return encodeNumber(b, n)
}

// encodeNumber writes the exact value; a fraction spelling of an integer, such as 1.0, is that integer.
func encodeNumber(b *strings.Builder, n *yaml.Node) error {
	x, err := captured.NumberOf(n)
	if err != nil {
		return refuse(n, err.Error())
	}
	letter := byte(letterFraction)
	if x.IsInteger() {
		letter = letterInteger
	}
	token(b, letter, x.String())
	return nil
}

// sink takes an encoding piece by piece and never fails.
type sink interface {
	io.ByteWriter
	io.StringWriter
}

// count opens a collection: letter, number of members, colon.
func count(b sink, letter byte, n int) {
	b.WriteByte(letter)
	b.WriteString(strconv.Itoa(n))
	b.WriteByte(':')
}

// token writes letter, length in UTF-8 bytes, colon, text.
func token(b sink, letter byte, text string) {
	count(b, letter, len(text))
	b.WriteString(text)
}

func refuse(n *yaml.Node, found string) error {
	return fmt.Errorf("encode value at line %d column %d: %w: %s", n.Line, n.Column, ErrNotEncodable, found)
}
